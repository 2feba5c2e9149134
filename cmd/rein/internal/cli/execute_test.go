package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Errors and warnings repeat what servers, files and their names say.
func TestNothingReachesTheTerminalRaw(t *testing.T) {
	const hostile = "\x1b]0;owned\x07\u202e"
	var out bytes.Buffer
	root := &cobra.Command{Use: "rein", RunE: func(cmd *cobra.Command, _ []string) error {
		Warn(cmd)(hostile)
		return errors.New(hostile)
	}}
	root.SetErr(&out)
	if code := Execute(t.Context(), root, []string{}); code != ExitError {
		t.Error("exit code", code)
	}
	if got := out.String(); strings.ContainsAny(got, "\x1b\x07\u202e") || strings.Count(got, "owned") != 2 {
		t.Errorf("injection-11 control characters in an error or a warning: %q", got)
	}
}
