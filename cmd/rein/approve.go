package main

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/inbox"
	"rein/app/sessions"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/internal/plaintext"
	"rein/journal"
	"rein/tool"
)

// newApprove is the command rein approve.
func newApprove() *cobra.Command {
	var no bool
	var words, scope string
	var given []string
	cmd := &cobra.Command{
		Use:   "approve [SESSION [CALL]]",
		Short: "Approve or deny a call that waits; without arguments, list all that wait",
		Long: `Approve or deny a call that waits for approval. Without CALL, list the calls of a session that wait; without SESSION,
those of all sessions. With --no, --answer or --scope, CALL may be left out where only one waits. A SESSION may be shortened.

The answer holds once, for exactly the arguments that are shown, or with --scope for as long as the list offers: for the
session, the project or always, as rules that the list shows. A session that is open in another terminal takes it at
once. A suspended session takes it when it resumes (rein run --resume SESSION). The first answer counts, whoever gives
it. If the call has changed by then, rein asks again.`,
		Example: `  rein approve
  rein approve q7bzd call_1
  rein approve --scope session q7bzd call_1
  rein approve --answer 2 q7bzd call_2
  rein approve --no --words 'use make' q7bzd call_1`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkAnswerFlags(no, words, scope, given, len(args) > 0); err != nil {
				return withExitCode(exitUsage, err)
			}
			in := inbox.New(settings.DefaultDirs().Sessions)
			if len(args) == 0 {
				return listAllPending(cmd, in)
			}
			id, err := findSession(cmd, args[0])
			if err != nil {
				return err
			}
			pending, err := pendingIn(in, id)
			if err != nil {
				return withExitCode(exitInput, err)
			}
			if len(args) == 1 {
				if !no && scope == "" && len(given) == 0 {
					return listSessionPending(cmd, id, pending)
				}
				only, err := onlyPending(cmd, id, pending)
				if err != nil {
					return err
				}
				args = append(args, only.Call)
			}
			answer, err := answerByFlags(no, words, scope, given, args[1], pending)
			if err != nil {
				return withExitCode(exitUsage, err)
			}
			return answerPending(cmd, in, id, args[1], pending, answer)
		},
	}
	cmd.Flags().BoolVar(&no, "no", false, "deny the call")
	cmd.Flags().StringArrayVar(&given, "answer", nil, "the answer to a question: a number, a label, words, or 1: words (once for each question, in order)")
	cmd.Flags().StringVar(&words, "words", "", "what the model reads, with --no")
	cmd.Flags().Var(choiceFlag(&scope, "once", "session", "project", "always"), "scope", "how long the approval lasts: once, session, project, always (default once)")
	return cmd
}

// onlyPending is the only request of a session: where one waits, it is clear which call the answer is for.
func onlyPending(cmd *cobra.Command, id string, pending []inbox.Request) (only inbox.Request, err error) {
	switch len(pending) {
	case 0:
		return only, withExitCode(exitInput, fmt.Errorf("no call waits in %s", id))
	case 1:
		return pending[0], nil
	}
	err = listSessionPending(cmd, id, pending)
	return only, errors.Join(err, withExitCode(exitUsage, fmt.Errorf("%s wait: name the call that the answer is for", plaintext.Counted(len(pending), "call"))))
}

// checkAnswerFlags refuses flags that contradict each other: who writes words for a denial and forgets --no approves nothing.
func checkAnswerFlags(no bool, words, scope string, given []string, named bool) error {
	approves := scope != "" || len(given) > 0
	switch {
	case words != "" && !no:
		return errors.New("--words is what the model reads of a denial: add --no")
	case no && approves:
		return errors.New("--scope and --answer are for an approval, not with --no")
	case (no || approves) && !named:
		return errors.New("name the SESSION whose call the answer is for")
	}
	return nil
}

// answerByFlags makes the answer that the flags give to a call.
func answerByFlags(no bool, words, scope string, given []string, call string, pending []inbox.Request) (a guard.Answer, err error) {
	a = guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), From: "rein approve", Words: words}
	if no {
		a.Choice = guard.Denied
	}
	if a.Scope, err = parseScope(scope, call, pending); err != nil {
		return a, err
	}
	return a, addChoices(&a, given, call, pending)
}

// parseScope reads how far an approval reaches. Only what the request offers can be chosen.
func parseScope(name, call string, pending []inbox.Request) (guard.Scope, error) {
	if name == "" || name == "once" {
		return guard.Once, nil
	}
	for _, r := range pending {
		if r.Call != call {
			continue
		}
		for _, s := range r.Scopes {
			if string(s.Scope) == name {
				return s.Scope, nil
			}
		}
		return guard.Once, fmt.Errorf("an approval of %s cannot last for %q: the list shows what it offers", call, name)
	}
	return guard.Once, nil // answering reports that nothing waits
}

// addChoices puts the answers to the questions of a call into the answer to its request.
func addChoices(a *guard.Answer, given []string, call string, pending []inbox.Request) (err error) {
	if len(given) == 0 {
		return nil
	}
	for _, r := range pending {
		switch {
		case r.Call != call:
		case r.Intent.Questions == nil:
			return fmt.Errorf("%s asks no question", call)
		default:
			a.Chosen, err = r.Intent.Questions.Read(strings.Join(given, "\n"))
			return err
		}
	}
	return nil // answering reports that nothing waits
}

// pendingIn returns the requests of one session that nobody has answered.
func pendingIn(in *inbox.Inbox, session string) ([]inbox.Request, error) {
	all, err := in.Pending()
	return slices.DeleteFunc(all, func(r inbox.Request) bool { return r.Session != session }), err
}

// listAllPending lists the requests of all sessions, each session with its directory.
func listAllPending(cmd *cobra.Command, in *inbox.Inbox) error {
	pending, err := in.Pending()
	if err != nil {
		return err
	}
	store := openStore(cmd)
	defer store.Close()
	pending = slices.DeleteFunc(pending, func(r inbox.Request) bool {
		_, err := store.Find(cmd.Context(), r.Session)
		return errors.Is(err, journal.ErrNoSession) // its journal was deleted: nothing would run
	})
	sort.SliceStable(pending, func(i, j int) bool { return pending[i].Session > pending[j].Session })
	for i, r := range pending {
		if i == 0 || pending[i-1].Session != r.Session {
			fmt.Fprintf(cmd.OutOrStdout(), "session %s in %s\n", r.Session, printable(r.Dir))
		}
		printPending(cmd, r)
	}
	return sayHowToAnswer(cmd, "SESSION", len(pending))
}

// listSessionPending lists the requests of one session.
func listSessionPending(cmd *cobra.Command, session string, pending []inbox.Request) error {
	for _, r := range pending {
		printPending(cmd, r)
	}
	return sayHowToAnswer(cmd, session, len(pending))
}

func sayHowToAnswer(cmd *cobra.Command, session string, pending int) error {
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
	if q := r.Intent.Questions; q != nil {
		fmt.Fprintf(out, "%s\t%s\n%s\n", r.Call, r.Tool, strings.Join(append(guard.QuestionLines(q), "  answer with: rein approve --answer … SESSION CALL"), "\n"))
		return
	}
	fmt.Fprintf(out, "%s\t%s\t%s\n", r.Call, r.Tool, guard.Printable(what))
	if r.Agent != "" {
		fmt.Fprintf(out, "\tagent\t%s\n", guard.Printable(r.Agent))
	}
	for _, effect := range r.Verdict.Effects {
		verb, what, _ := strings.Cut(effect, " ")
		fmt.Fprintf(out, "\t%s\t%s\n", verb, guard.Printable(what))
	}
	if r.Intent.Command == "" && len(r.Intent.Writes) > 0 {
		for _, line := range r.Lines { // with the diff
			fmt.Fprintf(out, "\t\t%s\n", guard.Printable(line))
		}
	}
	for _, s := range r.Scopes {
		fmt.Fprintf(out, "\tscope\t%s: %s (%s)\n", string(s.Scope), printable(s.Text), printable(strings.Join(s.Rules, ", ")))
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
		return withExitCode(exitInput, fmt.Errorf("%s does not wait any more; it was answered: %s", call, first.Guard()))
	case errors.Is(err, inbox.ErrNotPending):
		return withExitCode(exitInput, fmt.Errorf("no call %q waits in %s%s", call, session, fateOf(openStore(cmd), session, call)))
	case err != nil:
		return err
	}
	done := "Approved"
	if a.Choice == guard.Denied {
		done = "Denied"
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s %s. A session that is open takes the answer at once; a suspended one continues with: rein run --resume %s\n", done, call, session)
	return nil
}

// fateOf says what became of a call that does not wait any more, as far as the session has recorded it.
func fateOf(store *sessions.Store, session, call string) (fate string) {
	for e, err := range store.Events(session, 0) {
		if err != nil {
			break // what is read until there is said
		}
		if e.Call == nil || e.Call.ID != call {
			continue
		}
		switch e.Kind {
		case event.Granted, event.Refused:
			if e.Answer != nil {
				fate = ": it was " + e.Answer.Choice + " by " + printable(e.Answer.By)
			}
		case event.ApprovalVoid:
			fate = ": the request is void: " + printable(e.Text)
		case event.Replied:
			if fate != "" && e.Result != nil && e.Result.Kind != tool.Denied {
				fate += ", and it ran"
			}
		}
	}
	return fate
}
