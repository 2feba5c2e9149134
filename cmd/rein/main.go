// Command rein is the harness between a language model and the world: command line, sessions and tools.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run executes one command line and returns the process's exit code.
func run(args []string) int {
	root := newRoot()
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "rein:", err)
		return exitCode(err)
	}
	return 0
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "rein",
		Short:         "The harness between a language model and the world",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(
		newVersion(),
		newRepair(),
	)
	return root
}
