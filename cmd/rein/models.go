package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/app/harness"
	"rein/kit/catalog"
)

// newModels returns the command "models".
func newModels() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "models [WORD]",
		Short: "List the models that can be asked here, with limits and prices",
		Long: `List the models that can be asked here: those of the providers whose keys are set, those of the local
servers that run, and those of the settings. WORD lists only models whose name contains it.

Prices are in US dollars for a million tokens. They and the limits come from the catalogue, from what a
local server reports, or from the setting "models".`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			real, err := realDir(dir)
			if err != nil {
				return err
			}
			all, err := harness.Available(cmd.Context(), real)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				all = matchingModels(all, args[0])
			}
			if asJSON {
				return printJSONLines(cmd, all)
			}
			if len(all) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "no model: no key is set and no local server has one (rein setup adds one, rein doctor shows where rein looks)")
				return nil
			}
			return printModels(cmd.OutOrStdout(), all)
		},
	}
	cmd.Flags().StringVarP(&dir, "cwd", "C", ".", "use the settings of this directory")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON, one model a line")
	cmd.AddCommand(newModelsTest())
	return cmd
}

func matchingModels(all []catalog.Model, word string) []catalog.Model {
	var some []catalog.Model
	for _, m := range all {
		if strings.Contains(strings.ToLower(m.Provider+"/"+m.ID), strings.ToLower(word)) {
			some = append(some, m)
		}
	}
	return some
}

func printModels(out io.Writer, all []catalog.Model) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "MODEL\tCONTEXT\tANSWER\tREADS\tTHINKS\tIN\tCACHED\tOUT\tFACTS")
	for _, m := range all {
		thinks := "no"
		if m.Reasoning {
			thinks = "yes"
		}
		in, cached, answer := "?", "?", "?"
		if c := m.Cost; c != nil {
			in, cached, answer = formatPrice(c.Input), formatPrice(c.CacheRead), formatPrice(c.Output)
		}
		fmt.Fprintf(table, "%s/%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.Provider, m.ID, formatTokens(m.Limit.Context), formatTokens(m.Limit.Output),
			strings.Join(m.Modalities.Input, ","), thinks, in, cached, answer, m.Source)
	}
	return table.Flush()
}

// formatTokens writes a number of tokens: 128k, 1.0M.
func formatTokens(n int) string {
	switch {
	case n <= 0:
		return "?"
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

func formatPrice(dollars float64) string {
	if dollars == 0 {
		return "0"
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.4f", dollars), "0"), ".")
}
