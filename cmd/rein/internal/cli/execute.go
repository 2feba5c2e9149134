// Package cli holds what all commands of rein share: exit codes, errors of the command line, common flags, JSON output, and
// signals.
package cli

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/console"
)

// Execute runs one command line with the commands of root, prints its error and returns the exit code of the process.
func Execute(ctx context.Context, root *cobra.Command, args []string) int {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd()
	strict(root)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return ExitCode(err)
	}
	if _, done := errors.AsType[encoded](err); !done && wantsJSON(args) {
		_ = printJSONError(root.OutOrStdout(), err) // standard output is closed: the exit code still reports it
	}
	if _, shown := errors.AsType[seen](err); !shown {
		fmt.Fprintln(root.ErrOrStderr(), "rein:", console.Printable(inWords(err)))
	}
	return ExitCode(err)
}

// Warn returns what shows warnings of a command.
func Warn(cmd *cobra.Command) func(line string) {
	return func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), "rein: warning:", console.Printable(line)) }
}
