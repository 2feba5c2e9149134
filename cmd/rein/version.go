package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// newVersion is the command rein version.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return printVersion(cmd) },
	}
}

// printVersion prints the line of rein version.
func printVersion(cmd *cobra.Command) error {
	_, err := fmt.Fprint(cmd.OutOrStdout(), versionLine())
	return err
}

func versionLine() string {
	return fmt.Sprintf("rein %s %s %s/%s\n", programVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is set by the release build with -ldflags "-X main.version=…".
var version = "dev"

// programVersion returns the version of this build of rein; "dev" for a build that is no release.
func programVersion() string { return version }
