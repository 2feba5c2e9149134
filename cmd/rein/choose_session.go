package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rein/app/harness"
	"rein/app/sessions"
	"rein/app/settings"
)

// whichSession are the flags that choose the session.
type whichSession struct {
	resume    string // a text that names it; pick: the person chooses
	goOn      bool
	fork      bool
	id        string
	ephemeral bool
	record    bool // what is sent to models too

	first string // what the user wrote before there is a session
}

// pick is the value of --resume without one. No id begins with it.
const pick = "?"

func (w *whichSession) add(flags *pflag.FlagSet) {
	flags.StringVarP(&w.resume, "resume", "r", "", "continue this session: its ID, its name or the start of one; without a value, choose from a list")
	flags.Lookup("resume").NoOptDefVal = pick
	flags.BoolVarP(&w.goOn, "continue", "c", false, "continue the newest session of this directory")
	flags.BoolVar(&w.fork, "fork-session", false, "with -r or -c: continue in a copy of the session")
	flags.StringVar(&w.id, "session-id", "", "the ID of the new session: at most 64 lower-case letters, digits and '-'")
	flags.BoolVar(&w.ephemeral, "ephemeral", false, "keep nothing of the session when it has ended")
	flags.BoolVar(&w.record, "record", false, "record also what is sent to models: system prompt, tools, options, failures (see rein replay)")
}

// resumes reports whether the flags name a session that continues.
func (w *whichSession) resumes() bool { return w.resume != "" || w.goOn }

// check refuses flags that do not go together.
func (w *whichSession) check() error {
	switch {
	case w.resume != "" && w.goOn:
		return withExitCode(exitUsage, errors.New("--resume and --continue exclude each other"))
	case w.fork && !w.resumes():
		return withExitCode(exitUsage, errors.New("--fork-session needs --resume or --continue"))
	case w.id != "" && w.resumes() && !w.fork:
		return withExitCode(exitUsage, errors.New("--session-id is for a new session; with --resume or --continue it needs --fork-session"))
	case w.ephemeral && w.resumes():
		return withExitCode(exitUsage, errors.New("--ephemeral is for a new session"))
	}
	return nil
}

// named takes the name of the session from the first argument where --resume comes without a value: pflag gives "-r ID" and
// "-r 'a prompt'" in the same way. An argument that names no session is one unless it is the only one and may be a prompt.
func (w *whichSession) named(cmd *cobra.Command, args []string, prompt bool) ([]string, error) {
	if w.resume != pick || len(args) == 0 {
		return args, nil
	}
	id, err := findSession(cmd, args[0])
	if err == nil {
		w.resume = id
		return args[1:], nil
	}
	if prompt && len(args) == 1 && hasPerson() && !errors.Is(err, sessions.ErrAmbiguous) {
		return args, nil
	}
	return nil, err
}

// chosenSession returns the id of the session that the flags name; "" for a new one.
func (a *modelFlags) chosenSession(cmd *cobra.Command) (string, error) {
	if err := a.check(); err != nil || !a.resumes() {
		return "", err
	}
	store := openStore(cmd)
	defer store.Close()
	switch {
	case a.resume == pick:
		return a.picked(cmd, store)
	case a.resume != "":
		id, err := store.Find(cmd.Context(), a.resume)
		return id, sessionError(err)
	}
	dir, err := realDir(a.Dir)
	if err != nil {
		return "", withExitCode(exitInput, err)
	}
	newest, err := store.Newest(cmd.Context(), dir)
	return newest.ID, sessionError(err)
}

// mostRows is how many sessions the person chooses from.
const mostRows = 200

// picked lets the person choose a session: those of the directory come first.
func (a *modelFlags) picked(cmd *cobra.Command, store *sessions.Store) (string, error) {
	if !hasPerson() {
		return "", withExitCode(exitUsage, errors.New("nobody is there to choose a session: name one (rein sessions list shows them)"))
	}
	dir, _ := realDir(a.Dir) // a directory that is not there is reported when it is opened
	all, _, err := store.List(cmd.Context(), sessions.Filter{First: dir, Limit: mostRows})
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", withExitCode(exitInput, errors.New("there is no session to continue"))
	}
	var rows []string
	for _, s := range all {
		row := s.Last.Local().Format("2006-01-02 15:04") + "  "
		if s.Dir != dir {
			row += oneLine(s.Dir, 40) + "  "
		}
		if s.Name != "" {
			row += oneLine(s.Name, 40) + ": "
		}
		rows = append(rows, row+oneLine(s.Title, 80))
	}
	n, err := chooseRow(cmd, "Continue which session?", rows)
	if err != nil {
		return "", err
	}
	return all[n].ID, nil
}

func hasPerson() bool { return newApprovalTerminal(os.Stdin, os.Stderr).Present() }

// atRecorded makes a resumed session work in the directory in which it was recorded. Another directory must not be named.
func (a *modelFlags) atRecorded(cmd *cobra.Command, id string) error {
	recorded, err := harness.Recorded(settings.DefaultDirs().Sessions, id)
	if err != nil {
		return err
	}
	here, err := realDir(a.Dir)
	if err != nil || recorded.Dir == "" || here == recorded.Dir {
		return nil // a directory that is not there is reported when it is opened
	}
	if cmd.Flags().Changed("cwd") {
		return withExitCode(exitUsage, fmt.Errorf("session %s belongs to %s: leave out --cwd, or start a new session in %s", id, recorded.Dir, here))
	}
	if _, err := os.Stat(recorded.Dir); errors.Is(err, os.ErrNotExist) {
		return withExitCode(exitInput, fmt.Errorf("the directory %s of the session is gone: where it was moved, rein sessions export %s -o FILE.json, then rein sessions import FILE.json --cwd DIR, make a session of it in DIR", recorded.Dir, id))
	}
	sayTo(cmd, "the session continues in its own directory, "+recorded.Dir)
	a.Dir = recorded.Dir
	return nil
}
