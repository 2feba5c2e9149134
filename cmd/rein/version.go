package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// version is set by the release build with -ldflags "-X main.version=…".
var version = "dev"

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return printVersion(cmd) },
	}
}

func printVersion(cmd *cobra.Command) error {
	_, err := fmt.Fprint(cmd.OutOrStdout(), versionLine())
	return err
}

func versionLine() string {
	return fmt.Sprintf("rein %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
