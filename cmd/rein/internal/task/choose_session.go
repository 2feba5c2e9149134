package task

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/harness"
	"rein/harness/settings"
	"rein/journal"
)

// chosenSession gives the id of the session that the flags name; "" for a new one.
func (a *asking) chosenSession() (string, error) {
	if a.resume != "" || !a.goOn {
		return a.resume, nil
	}
	dir, err := realDir(a.Dir)
	if err != nil {
		return "", cli.Fail(cli.ExitInput, err)
	}
	all, err := journal.List(settings.DefaultDirs().Sessions)
	if err != nil {
		return "", err
	}
	for _, s := range all {
		if s.Dir == dir && s.Parent == "" { // a sub-agent's session goes on with its parent
			return s.ID, nil
		}
	}
	return "", cli.Fail(cli.ExitInput, errors.New("no session of this directory to continue"))
}

// atRecorded makes a resumed session work in the directory in which it was recorded, and gives its whole id. Another
// directory must not be named.
func (a *asking) atRecorded(cmd *cobra.Command, name string) (id string, err error) {
	id, _, err = cli.SessionNamed(settings.DefaultDirs().Sessions, name)
	if err != nil {
		return "", err
	}
	recorded, err := harness.Recorded(settings.DefaultDirs().Sessions, id)
	if err != nil {
		return "", err
	}
	here, err := realDir(a.Dir)
	if err != nil || recorded.Dir == "" || here == recorded.Dir {
		return id, nil // a directory that is not there is reported when it is opened
	}
	if cmd.Flags().Changed("cwd") {
		return "", cli.Fail(cli.ExitUsage, fmt.Errorf("session %s belongs to %s: leave out --cwd, or start a new session in %s", id, recorded.Dir, here))
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "rein: the session goes on in its own directory, %s\n", recorded.Dir)
	a.Dir = recorded.Dir
	return id, nil
}

// realDir is a directory's absolute path without links.
func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
