package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/tool"
)

// note is an answer that waits for its call: one file, good for one run of exactly what was shown.
type note struct {
	Yes   bool      `json:"yes"`
	Words string    `json:"words,omitempty"`
	By    string    `json:"by"`
	Hash  string    `json:"hash"` // of exactly what was asked: see guard.Binding
	Time  time.Time `json:"time"`
}

func newApprove() *cobra.Command {
	var no bool
	var words string
	cmd := &cobra.Command{
		Use:   "approve SESSION [CALL]",
		Short: "Answer a parked call; without CALL, list what waits",
		Long: `Answer a call that waits in a session. The answer holds once, for exactly the arguments that are shown; the session
takes it when it goes on (rein run --resume SESSION). If anything has changed by then, it asks again.`,
		Args: usageArgs(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := journal.Dir(newDirs().sessions, args[0])
			if err != nil {
				return coded{exitInput, err}
			}
			pending, err := waiting(dir)
			if err != nil {
				return coded{exitInput, err}
			}
			if len(args) == 1 {
				return listWaiting(cmd, pending)
			}
			for _, e := range pending {
				if e.Call.ID == args[1] {
					return leaveNote(cmd, dir, e, note{Yes: !no, Words: words})
				}
			}
			return coded{exitInput, fmt.Errorf("no call %q waits in %s", args[1], args[0])}
		},
	}
	cmd.Flags().BoolVar(&no, "no", false, "say no")
	cmd.Flags().StringVar(&words, "words", "", "what the model is told, with --no")
	return cmd
}

// waiting reads the questions of a session that nobody has answered.
func waiting(dir string) (pending []event.Event, err error) {
	open := map[string]event.Event{}
	var order []string
	for e, err := range journal.Read(filepath.Join(dir, journal.FileName)) {
		if errors.Is(err, journal.ErrTorn) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch {
		case e.Kind == event.Question && e.Call != nil && e.Grant != nil:
			if _, again := open[e.Call.ID]; !again {
				order = append(order, e.Call.ID)
			}
			open[e.Call.ID] = e
		case (e.Kind == event.Granted || e.Kind == event.Replied && (e.Result == nil || e.Result.Kind != tool.Waiting)) && e.Call != nil:
			delete(open, e.Call.ID)
		}
	}
	for _, id := range order {
		if e, ok := open[id]; ok {
			pending = append(pending, e)
			delete(open, id)
		}
	}
	return pending, nil
}

func listWaiting(cmd *cobra.Command, pending []event.Event) error {
	out := cmd.OutOrStdout()
	if len(pending) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "Nothing waits.")
	}
	for _, e := range pending {
		what := string(e.Call.Args)
		if e.Intent != nil && e.Intent.Command != "" {
			what = e.Intent.Command
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", e.Call.ID, e.Call.Name, guard.Printable(what))
		if e.Verdict != nil && e.Verdict.Reason != "" {
			fmt.Fprintf(out, "\tbecause\t%s\n", guard.Printable(e.Verdict.Reason))
		}
	}
	return nil
}

var plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

func notePath(dir, call string) (string, error) {
	if !plainID.MatchString(call) {
		return "", fmt.Errorf("%q is no id of a call", call)
	}
	return filepath.Join(dir, "answers", call+".json"), nil
}

// leaveNote writes an answer where the session finds it. The first answer stands.
func leaveNote(cmd *cobra.Command, dir string, question event.Event, n note) error {
	call := question.Call
	path, err := notePath(dir, call.ID)
	if err != nil {
		return coded{exitInput, err}
	}
	n.By, n.Hash, n.Time = "user, by rein approve", question.Grant.Hash, time.Now().UTC()
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return coded{exitInput, fmt.Errorf("%s is answered already: %s", call.ID, path)}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Answered %s. Go on with: rein run --resume %s\n", call.ID, filepath.Base(dir))
	return nil
}

// notes is the approver that takes the answers which were left for the calls of a session. Each is taken away before it
// counts, so that none counts twice; one that is about something else is void.
type notes struct {
	dir string // of the session
}

// Approve takes the answer to a call, or passes.
func (n notes) Approve(_ context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
	path, err := notePath(n.dir, c.Call.ID)
	if err != nil {
		return guard.Answer{Reply: guard.Pass}, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return guard.Answer{Reply: guard.Pass}, nil
	}
	if err != nil {
		return guard.Answer{}, err
	}
	if err := os.Remove(path); err != nil {
		return guard.Answer{}, fmt.Errorf("the answer could not be used up: %w", err)
	}
	var left note
	if err := json.Unmarshal(text, &left); err != nil || left.Hash != c.Binding().Hash() {
		return guard.Answer{Reply: guard.Pass}, nil
	}
	if !left.Yes {
		return guard.Answer{Reply: guard.No, By: left.By, Words: left.Words}, nil
	}
	return guard.Answer{Reply: guard.Yes, By: left.By}, nil
}
