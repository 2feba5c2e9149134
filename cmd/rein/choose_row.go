package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/tui/full"
)

// chooseRow lets the person choose one of several rows, and returns its index: on the whole screen of a terminal, else by number.
// Where nothing is chosen, the error has exitInterrupted.
func chooseRow(cmd *cobra.Command, question string, rows []string) (int, error) {
	out := cmd.ErrOrStderr()
	if file, _ := fileOf(out); file == os.Stderr && cmd.InOrStdin() == os.Stdin && newApprovalTerminal(os.Stdin, os.Stderr).Present() && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != "" {
		return chooseOnScreen(cmd, question, rows)
	}
	for i, row := range rows {
		fmt.Fprintf(out, "%3d  %s\n", i+1, row)
	}
	for range 3 {
		line, err := lineInput{In: cmd.InOrStdin(), Out: out, Prompt: question + " [1-" + strconv.Itoa(len(rows)) + "] "}.Line(cmd.Context())
		line = strings.TrimSpace(line)
		if n, convErr := strconv.Atoi(line); convErr == nil && n >= 1 && n <= len(rows) {
			return n - 1, nil
		}
		if err != nil || line == "" || line == "q" {
			break
		}
		fmt.Fprintf(out, "%q is none of the numbers.\n", line)
	}
	return 0, withExitCode(exitInterrupted, errors.New("nothing was chosen"))
}

func chooseOnScreen(cmd *cobra.Command, question string, rows []string) (int, error) {
	entries := make([]full.Entry, len(rows))
	for i, row := range rows {
		entries[i] = full.Entry{Name: row, Value: i}
	}
	chosen, err := full.Choose(cmd.Context(), os.Stdin, os.Stderr, question, entries)
	if errors.Is(err, full.ErrNothing) {
		return 0, withExitCode(exitInterrupted, err)
	}
	if err != nil {
		return 0, err
	}
	return chosen.Value.(int), nil
}

// realDir is the absolute path without links of a directory that the command line names. One that is not there is an error.
func realDir(dir string) (string, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", withExitCode(exitInput, fmt.Errorf("the directory %s does not exist", dir))
	case err != nil:
		return "", withExitCode(exitInput, err)
	case !info.IsDir():
		return "", withExitCode(exitInput, fmt.Errorf("%s is not a directory", dir))
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
