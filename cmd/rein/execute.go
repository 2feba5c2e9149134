package main

// This part holds what all commands of rein share: exit codes, errors of the command line, common flags, JSON output, and
// signals.

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"
)

// cliExecute runs one command line with the commands of root, prints its error and returns the exit code of the process.
func cliExecute(ctx context.Context, root *cobra.Command, args []string) int {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd()
	strict(root)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return exitCode(err)
	}
	if _, done := errors.AsType[encoded](err); !done && wantsJSON(args) {
		_ = printJSONError(root.OutOrStdout(), err) // standard output is closed: the exit code still reports it
	}
	if _, shown := errors.AsType[seen](err); !shown {
		fmt.Fprintln(root.ErrOrStderr(), "rein:", consolePrintable(inWords(err)))
	}
	return exitCode(err)
}

// cliWarn returns what shows warnings of a command.
func cliWarn(cmd *cobra.Command) func(line string) {
	return func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), "rein: warning:", consolePrintable(line)) }
}
