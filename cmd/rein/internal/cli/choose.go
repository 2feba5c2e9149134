package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/console"
)

// Choose lets the person choose one of several rows by its number, and gives its index. An empty answer chooses nothing and
// is an error with ExitInterrupted.
func Choose(cmd *cobra.Command, question string, rows []string) (int, error) {
	out := cmd.ErrOrStderr()
	for i, row := range rows {
		fmt.Fprintf(out, "%3d  %s\n", i+1, row)
	}
	for range 3 {
		line, err := console.Lines{In: cmd.InOrStdin(), Out: out, Prompt: question + " [1-" + strconv.Itoa(len(rows)) + "] "}.Line(cmd.Context())
		line = strings.TrimSpace(line)
		if n, convErr := strconv.Atoi(line); convErr == nil && n >= 1 && n <= len(rows) {
			return n - 1, nil
		}
		if err != nil || line == "" || line == "q" {
			break
		}
		fmt.Fprintf(out, "%q is none of the numbers.\n", line)
	}
	return 0, Fail(ExitInterrupted, errors.New("nothing was chosen"))
}

// RealDir is a directory's absolute path without links.
func RealDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
