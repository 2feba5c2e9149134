package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"rein/harness/settings"
	"strings"

	"github.com/spf13/cobra"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/tool"
)

func newApprove() *cobra.Command {
	var no bool
	var words string
	cmd := &cobra.Command{
		Use:   "approve SESSION [CALL]",
		Short: "Answer a call that waits; without CALL, list what waits",
		Long: `Answer a call that waits in a session. The answer holds once, for exactly the arguments that are shown. A session that
stands at the question in another terminal takes it at once; one that was parked takes it when it goes on (rein run
--resume SESSION). The first answer wins, whoever gives it. If anything has changed by then, it asks again.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := sessionDir(settings.DefaultDirs().Sessions, args[0])
			if err != nil {
				return err
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
			return coded{exitInput, fmt.Errorf("no call %q waits in %s%s", args[1], args[0], notes{dir}.said(args[1]))}
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
		case e.Kind == event.ApprovalRequested && e.Call != nil && e.Grant != nil:
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
		if e.Verdict == nil {
			continue
		}
		for _, effect := range e.Verdict.Effects {
			verb, what, _ := strings.Cut(effect, " ")
			fmt.Fprintf(out, "\t%s\t%s\n", verb, guard.Printable(what))
		}
		if e.Verdict.Reason != "" {
			fmt.Fprintf(out, "\tbecause\t%s\n", guard.Printable(e.Verdict.Reason))
		}
	}
	return nil
}

// leaveNote leaves an answer where the session finds it. The first answer stands.
func leaveNote(cmd *cobra.Command, dir string, question event.Event, n note) error {
	id := question.Call.ID
	if !plainID.MatchString(id) {
		return coded{exitInput, fmt.Errorf("%q is no id of a call", id)}
	}
	n.By, n.From, n.Hash = guard.ByUser, "rein approve", question.Grant.Hash
	first, err := notes{dir}.leave(id, n)
	switch {
	case errors.Is(err, fs.ErrExist):
		return coded{exitInput, fmt.Errorf("%s is answered already: %s", id, first.answer())}
	case err != nil:
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Answered %s. A session that stands at the question takes it; one that was parked goes on with: rein run --resume %s\n", id, filepath.Base(dir))
	return nil
}
