package main

import (
	"errors"
	"fmt"
	"rein/harness/inbox"
	"rein/harness/settings"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rein/guard"
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
			sessions := settings.DefaultDirs().Sessions
			if _, err := sessionDir(sessions, args[0]); err != nil {
				return err
			}
			in := inbox.New(sessions)
			pending, err := pendingOf(in, args[0])
			if err != nil {
				return coded{exitInput, err}
			}
			if len(args) == 1 {
				return listPending(cmd, pending)
			}
			answer := guard.Answer{Choice: guard.Approved, By: guard.ByUser, From: "rein approve", Words: words}
			if no {
				answer.Choice = guard.Denied
			}
			return answerPending(cmd, in, args[0], args[1], pending, answer)
		},
	}
	cmd.Flags().BoolVar(&no, "no", false, "say no")
	cmd.Flags().StringVar(&words, "words", "", "what the model is told, with --no")
	return cmd
}

// pendingOf gives the requests of one session that nobody has answered.
func pendingOf(in *inbox.Inbox, session string) ([]inbox.Request, error) {
	all, err := in.Pending()
	return slices.DeleteFunc(all, func(r inbox.Request) bool { return r.Session != session }), err
}

func listPending(cmd *cobra.Command, pending []inbox.Request) error {
	if len(pending) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "Nothing waits.")
	}
	out := cmd.OutOrStdout()
	for _, r := range pending {
		what := string(r.Args)
		if r.Intent.Command != "" {
			what = r.Intent.Command
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", r.Call, r.Tool, guard.Printable(what))
		for _, effect := range r.Verdict.Effects {
			verb, what, _ := strings.Cut(effect, " ")
			fmt.Fprintf(out, "\t%s\t%s\n", verb, guard.Printable(what))
		}
		if r.Verdict.Reason != "" {
			fmt.Fprintf(out, "\tbecause\t%s\n", guard.Printable(r.Verdict.Reason))
		}
	}
	return nil
}

// answerPending answers one request. The first answer counts, whoever gives it.
func answerPending(cmd *cobra.Command, in *inbox.Inbox, session, call string, pending []inbox.Request, a guard.Answer) error {
	hash := ""
	for _, r := range pending {
		if r.Call == call {
			hash = r.Hash
		}
	}
	first, err := in.Answer(session, call, hash, a)
	switch {
	case errors.Is(err, inbox.ErrAnswered):
		return coded{exitInput, fmt.Errorf("%s does not wait any more; it was answered: %s", call, first.Guard())}
	case errors.Is(err, inbox.ErrNotPending):
		return coded{exitInput, fmt.Errorf("no call %q waits in %s", call, session)}
	case err != nil:
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Answered %s. A session that waits takes the answer at once; a suspended one goes on with: rein run --resume %s\n", call, session)
	return nil
}
