package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rein/app/acp"
)

type acpFlags struct {
	cli     callFlags
	model   string
	effort  string
	verbose bool
}

// newACP returns the command rein acp.
func newACP() *cobra.Command {
	var o acpFlags
	cmd := &cobra.Command{
		Use:   "acp",
		Short: "Serve an editor as its agent, over the Agent Client Protocol",
		Long: `Serve an editor as its agent, over the Agent Client Protocol (version 1) on standard input and output. Zed, JetBrains,
Neovim and Emacs start this command by themselves. docs/acp.md has what to write into their settings.

The editor names the directories, and it answers the approval requests. The flags hold for all of its sessions. rein --acp is the same command.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.add(cmd.Flags())
	cmd.AddCommand(newACPShow())
	return cmd
}

func (o *acpFlags) add(flags *pflag.FlagSet) {
	o.cli.Add(flags)
	flags.StringVarP(&o.model, "model", "m", "", "provider/name (default: the first provider with a key, else a local server)")
	flags.Var(effortFlag(&o.effort), "effort", "how long the model thinks")
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "log to standard error")
}

func (o *acpFlags) run(cmd *cobra.Command) error {
	var log io.Writer = io.Discard
	level := slog.LevelWarn
	if o.verbose {
		log, level = cmd.ErrOrStderr(), slog.LevelDebug
	}
	h := o.cli.Harness(cmd, nil)
	h.Model, h.Effort = o.model, o.effort
	program, err := os.Executable()
	if err != nil {
		program = "" // the editor shows outputs as text
	}
	return acp.Serve(cmd.Context(), acp.Options{Harness: h, Program: program, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: level}))},
		cmd.InOrStdin(), cmd.OutOrStdout())
}

// acpFlagAsCommand returns the arguments of the program with --acp, as some editors name it, as the command acp.
func acpFlagAsCommand(args []string) []string {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") {
		return args
	}
	i := slices.Index(args, "--acp")
	if end := slices.Index(args, "--"); i < 0 || end >= 0 && end < i {
		return args
	}
	return slices.Concat([]string{"acp"}, args[:i], args[i+1:])
}

// newACPShow returns the command that rein starts in a terminal of the editor.
func newACPShow() *cobra.Command {
	return &cobra.Command{
		Use:    "show FILE",
		Short:  "Show the output of a running command in a terminal of the editor",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := acp.ShowOutput(cmd.Context(), args[0], cmd.OutOrStdout())
			if err == nil && code != 0 {
				err = asSeen(withExitCode(code, fmt.Errorf("the command ended with code %d", code)))
			}
			return err
		},
	}
}
