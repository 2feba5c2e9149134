package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"
)

// execute runs one command line with the commands of root, prints its error and returns the exit code of the process.
func execute(ctx context.Context, root *cobra.Command, args []string) int {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd()
	helpInTheLanguage(root)
	refuseWrongFlags(root)
	root.SetArgs(args)
	writePlainly(root, isTerminal)
	err := root.ExecuteContext(ctx)
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return exitCode(err)
	}
	if _, done := errors.AsType[printedError](err); !done && wantsJSON(args) {
		_ = printJSONError(root.OutOrStdout(), err) // standard output is closed: the exit code still reports it
	}
	if _, shown := errors.AsType[seenError](err); !shown {
		fmt.Fprintln(root.ErrOrStderr(), "rein:", printable(ownWords().Command(inWords(err))))
	}
	return exitCode(err)
}

// warningsTo returns what shows warnings of a command.
func warningsTo(cmd *cobra.Command) func(line string) {
	return func(line string) { sayTo(cmd, "warning: "+line) }
}

// sayTo shows the user of a command a line, in the user's language.
func sayTo(cmd *cobra.Command, line string) {
	fmt.Fprintln(cmd.ErrOrStderr(), "rein:", printable(ownWords().Command(line)))
}
