package sessions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/cmd/rein/internal/console"
	"rein/guard"
	"rein/harness/inbox"
	"rein/harness/settings"
)

// NewApprove is the command rein approve.
func NewApprove() *cobra.Command {
	var no bool
	var words string
	cmd := &cobra.Command{
		Use:   "approve [SESSION [CALL]]",
		Short: "Approve or deny a call that waits; without arguments, list all that wait",
		Long: `Approve or deny a call that waits for approval. Without CALL, list the calls of a session that wait; without SESSION,
those of all sessions. A SESSION may be shortened while it names one session only.

The answer holds once, for exactly the arguments that are shown. A session that is open in another terminal takes it at
once. A suspended session takes it when it resumes (rein run --resume SESSION). The first answer counts, whoever gives
it. If the call has changed by then, rein asks again.`,
		Example: `  rein approve
  rein approve q7bzd call_1
  rein approve --no --words 'use make' q7bzd call_1`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			sessions := settings.DefaultDirs().Sessions
			in := inbox.New(sessions)
			if len(args) == 0 {
				pending, err := in.Pending()
				if err != nil {
					return err
				}
				return listAllPending(cmd, pending)
			}
			id, err := cli.FindSession(cmd, args[0])
			if err != nil {
				return err
			}
			pending, err := pendingOf(in, id)
			if err != nil {
				return cli.Fail(cli.ExitInput, err)
			}
			if len(args) == 1 {
				return listSessionPending(cmd, id, pending)
			}
			answer := guard.Answer{Choice: guard.Approved, By: guard.ByUser, From: "rein approve", Words: words}
			if no {
				answer.Choice = guard.Denied
			}
			return answerPending(cmd, in, id, args[1], pending, answer)
		},
	}
	cmd.Flags().BoolVar(&no, "no", false, "deny the call")
	cmd.Flags().StringVar(&words, "words", "", "what the model reads, with --no")
	return cmd
}

// pendingOf gives the requests of one session that nobody has answered.
func pendingOf(in *inbox.Inbox, session string) ([]inbox.Request, error) {
	all, err := in.Pending()
	return slices.DeleteFunc(all, func(r inbox.Request) bool { return r.Session != session }), err
}

// listAllPending lists the requests of all sessions, each session with its directory.
func listAllPending(cmd *cobra.Command, pending []inbox.Request) error {
	slices.SortStableFunc(pending, func(a, b inbox.Request) int { return strings.Compare(b.Session, a.Session) })
	for i, r := range pending {
		if i == 0 || pending[i-1].Session != r.Session {
			fmt.Fprintf(cmd.OutOrStdout(), "session %s in %s\n", r.Session, console.Printable(r.Dir))
		}
		printPending(cmd, r)
	}
	return howToAnswer(cmd, "SESSION", len(pending))
}

// listSessionPending lists the requests of one session.
func listSessionPending(cmd *cobra.Command, session string, pending []inbox.Request) error {
	for _, r := range pending {
		printPending(cmd, r)
	}
	return howToAnswer(cmd, session, len(pending))
}

func howToAnswer(cmd *cobra.Command, session string, pending int) error {
	out := cmd.ErrOrStderr()
	if pending == 0 {
		_, err := fmt.Fprintln(out, "No call waits for approval.")
		return err
	}
	_, err := fmt.Fprintf(out, "Approve: rein approve %s CALL\nDeny:    rein approve --no --words 'why' %s CALL\n", session, session)
	return err
}

func printPending(cmd *cobra.Command, r inbox.Request) {
	out := cmd.OutOrStdout()
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

// answerPending answers one request. The first answer counts, from any client.
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
		return cli.Fail(cli.ExitInput, fmt.Errorf("%s does not wait any more; it was answered: %s", call, first.Guard()))
	case errors.Is(err, inbox.ErrNotPending):
		return cli.Fail(cli.ExitInput, fmt.Errorf("no call %q waits in %s", call, session))
	case err != nil:
		return err
	}
	done := "Approved"
	if a.Choice == guard.Denied {
		done = "Denied"
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s %s. A session that is open takes the answer at once; a suspended one goes on with: rein run --resume %s\n", done, call, session)
	return nil
}
