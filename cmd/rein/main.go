// Command rein is the harness between a language model and the world: command line, sessions and tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/models"
	"rein/cmd/rein/internal/serve"
	"rein/harness"
	"rein/internal/harden"
)

func main() {
	if err := harden.Process(); err != nil {
		fmt.Fprintln(os.Stderr, "rein: warning:", err)
	}
	pipesBreakQuietly()
	ctx, stop := endedBy(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// run executes one command line and returns the process's exit code.
func run(ctx context.Context, args []string) int {
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return exitCode(err)
	}
	if _, done := errors.AsType[encoded](err); !done && wantsJSON(args) {
		_ = printJSONError(os.Stdout, err) // standard output is closed: the exit code still reports it
	}
	if _, shown := errors.AsType[quiet](err); !shown {
		fmt.Fprintln(os.Stderr, "rein:", err)
	}
	return exitCode(err)
}

func newRoot() *cobra.Command {
	root := newChat()
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.AddCommand(
		newRun(),
		newCall(),
		newTools(), models.New(harness.Available),
		newSessions(),
		newSandbox(),
		newEdit(),
		newDialect(),
		newRepair(),
		newGuard(),
		newRules(),
		newApprove(),
		newDemo(),
		newDoctor(), newModelServer(), serve.New(version), serve.NewWeb(version), newVersion(), newSchema(),
	)
	root.InitDefaultCompletionCmd()
	strict(root)
	return root
}
