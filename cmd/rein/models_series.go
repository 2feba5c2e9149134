package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rein/kit/providers"
	"rein/model"
)

// newModelsTest returns the command "models test".
func newModelsTest() *cobra.Command {
	var dir string
	var asJSON bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "test PROVIDER/MODEL",
		Short: "Send a model a short series of requests and report what works",
		Long: `Send a model a short series of requests and report what works: a text, a call of a tool, three calls in one
answer, thinking, an image, and an answer that is cut at the limit of tokens. These are about nine small
requests, which the provider bills. No tool runs.

works    the feature is there
missing  the endpoint answered, but the feature was not in the answer
failed   the request failed, or the answer was wrong in a way that no model causes
skipped  nothing was sent

The exit code is 1 when a check failed, or when texts or calls do not work.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			real, err := realDir(dir)
			if err != nil {
				return err
			}
			m, err := openModel(cmd.Context(), real, args[0], warningsTo(cmd))
			if err != nil {
				return err
			}
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return runSeries(ctx, cmd, m, timeout, asJSON)
		},
	}
	cmd.Flags().StringVarP(&dir, "cwd", "C", ".", "use the settings of this directory")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON, one check a line")
	timeout = providers.ProbeTimeout
	cmd.Flags().Var(limitFlag(&timeout), "timeout", "the longest time of each check")
	return cmd
}

// runSeries runs the series and prints each check when it ends.
func runSeries(ctx context.Context, cmd *cobra.Command, m model.Model, timeout time.Duration, asJSON bool) error {
	var bad []string
	var all model.Usage
	for c := range providers.Probe(ctx, m, &providers.ProbeOptions{Timeout: timeout}) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		all.Input, all.Output, all.Cost = all.Input+c.Usage.Input, all.Output+c.Usage.Output, all.Cost+c.Usage.Cost
		if c.State == providers.ProbeFailed || c.State == providers.ProbeMissing && (c.Name == "text" || c.Name == "call") {
			bad = append(bad, c.Name)
		}
		if asJSON {
			if err := printJSONLines(cmd, []providers.ProbeCheck{c}); err != nil {
				return err
			}
			continue
		}
		printCheck(cmd.OutOrStdout(), c)
	}
	if !asJSON {
		fmt.Fprintf(cmd.OutOrStdout(), "\n%d tokens sent, %d received", all.Input, all.Output)
		if all.Cost > 0 {
			fmt.Fprintf(cmd.OutOrStdout(), ", $%.4f", all.Cost)
		}
		fmt.Fprintln(cmd.OutOrStdout())
	}
	if len(bad) > 0 {
		return withExitCode(exitError, errors.New("these do not work: "+strings.Join(bad, ", ")))
	}
	return nil
}

func printCheck(out io.Writer, c providers.ProbeCheck) {
	line := fmt.Sprintf("%-9s %-8s", c.Name, c.State)
	if c.Requests > 0 {
		line += fmt.Sprintf(" %5.1f s", c.Time.Seconds())
	} else {
		line += "        "
	}
	if c.Detail != "" {
		line += "  " + printable(c.Detail)
	}
	fmt.Fprintln(out, strings.TrimRight(line, " "))
	for _, note := range c.Notes {
		fmt.Fprintln(out, "          note: "+printable(note))
	}
}
