package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// NewVersion is the command rein version.
func NewVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return PrintVersion(cmd) },
	}
}

// PrintVersion prints the line of rein version.
func PrintVersion(cmd *cobra.Command) error {
	_, err := fmt.Fprint(cmd.OutOrStdout(), versionLine())
	return err
}

func versionLine() string {
	return fmt.Sprintf("rein %s %s %s/%s\n", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is set by the release build with -ldflags "-X rein/cmd/rein/internal/version=…".
var version = "dev"

// Version returns the version of this build of rein; "dev" for a build that is no release.
func Version() string { return version }
