package harness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"
	"time"

	"rein/agent"
	"rein/app/inbox"
	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/kit/sandbox"
	"rein/kit/tools/files"
	"rein/model"
	"rein/redact"
	"rein/tool"
)

// Step is what one step of a session needs whose steps are done by several processes: see agent.Session.Step. There is no zero value.
type Step struct {
	Session agent.SessionOptions          // its ID, Child, Past, Elsewhere and Watch; sub-agents are offered with Elsewhere only
	Task    *agent.Assignment             // the session is that of a sub-agent; nil: the user's
	Journal Journal                       // that of the session; who opened it closes it
	Past    iter.Seq2[event.Event, error] // what the journal had when it was opened
	Later   guard.Approver                // gets the calls that no rule, hook or reviewer approves; agent.Session.Answer has the answers
	Asked   func(inbox.Request) error     // gets what a person is to be shown of such a call, before Later; nil: nobody does
	Mode    func(guard.Mode) error        // refuses a mode of the session; nil: all are taken
}

// StepSession is a session for one step. Close it after the step.
type StepSession struct {
	session *Session
	*agent.Session
}

// Mask returns the filter that hides secrets in all that rein writes.
func (s StepSession) Mask() *redact.Filter { return s.session.h.mask }

// FileHistory returns what the session did to files: see Session.FileHistory.
func (s StepSession) FileHistory() (*UndoHistory, error) { return s.session.FileHistory() }

// HearsEnd reports whether hooks run when the session ends: see End.
func (s StepSession) HearsEnd() bool { return s.session.hooks.Has(hook.SessionEnd) }

// End makes this step the last one of the session: the hooks that run at its end do so when the step is closed.
func (s StepSession) End() { s.session.ends = true }

// Close ends what the step has open.
func (s StepSession) Close() error { return s.session.Close(context.Background()) }

// Open makes a session for the step, with the rules, guards, hooks, tools and sandbox that a session here has. It offers no tool whose
// effect has to outlast the step (see lastingTools), and its conversation asks no model: another process has that part. The model
// and the mode of n come before those that were recorded, and these before what the settings say. A sub-agent has what follows from the user's
// session above it: no copy of the workspace, and no other program as an agent.
func (step Step) Open(ctx context.Context, h *Harness, n NewSession) (s StepSession, err error) {
	user, past := step.Session.ID, step.Past
	if step.Task != nil {
		user = step.Task.Above[0]
		past = step.Session.Past(user)
	}
	before, err := lastOf(past)
	recorded := before.terms
	if err != nil {
		return s, fmt.Errorf("session %s: %w", user, err)
	}
	if recorded.Dir != "" && recorded.Dir != h.root {
		return s, inputError(fmt.Errorf("session %s belongs to the directory %s, not to %s", user, recorded.Dir, h.root))
	}
	terms, err := h.terms(n, recorded)
	if err == nil && step.Mode != nil {
		err = step.Mode(modeOf(terms))
	}
	if err == nil && terms.Model == "" {
		err = usageError(errors.New("the session has no model"))
	}
	if err != nil {
		return s, err
	}
	made, err := h.prepare(user, terms, n.Replace, &step)
	if err != nil {
		return s, err
	}
	made.resumed, made.was = before.begun, before.backend
	made.awaitTools(ctx)
	if err := made.load(ctx, n, step); err != nil {
		return s, errors.Join(err, made.Close(ctx))
	}
	return StepSession{made, made.record.conversation}, nil
}

// mostWait is how long a step waits for tool servers to start.
const mostWait = 10 * time.Second

// awaitTools waits for the tools of servers: an earlier step may have offered them, and calls of them come at once. Those that are late are
// offered by a later step.
func (s *Session) awaitTools(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, mostWait)
	defer cancel()
	for _, p := range s.more {
		p.Tools(ctx)
		p.Wait(ctx)
	}
}

// load makes the conversation from the journal of the step.
func (s *Session) load(ctx context.Context, n NewSession, step Step) error {
	s.record.show, s.record.watch, s.notes.Quiet = reporting(s.h.reports, n.Recorded), step.Session.Watch, true
	s.record.journal = &recording{Journal: keptOpen{step.Journal}, show: s.record.show, seen: s.seen, settle: s.record.settled}
	helped(s, func(_, ref string) model.Model { return s.models.unasked(ctx, ref) })
	a, o := s.agent(s.models.unasked(ctx, s.Terms().Model)), step.Session
	o.Journal, o.Depth, a.Place = s.record.journal, o.Depth+sandbox.Depth(os.Environ()), nil
	if step.Task != nil {
		return loadSubAgent(ctx, s, a, o, *step.Task)
	}
	if !s.resumed {
		s.record.conversation = a.Start(o)
		return nil
	}
	var err error
	s.record.conversation, err = a.Load(o, s.recalling(step.Past))
	return err
}

// loadSubAgent makes the conversation of a sub-agent. What the harness records is in its journal: that of the user's session belongs to another step.
func loadSubAgent(ctx context.Context, s *Session, a *agent.Agent, o agent.SessionOptions, to agent.Assignment) (err error) {
	past := o.Past
	o.Past = func(id string) iter.Seq2[event.Event, error] {
		if id == to.Above[0] {
			return s.recalling(past(id))
		}
		return rereading(&s.files, past(id))
	}
	s.record.id, s.record.journal.seen = to.ID, nil
	s.record.conversation, err = a.LoadSubAgent(ctx, o, to)
	return err
}

// rereading passes events on and gives the file tools what was seen.
func rereading(known *files.Tools, events iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range events {
			if e.Kind == event.Replied && e.Result != nil {
				known.Recall(e.Result.Detail)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// keptOpen is a journal that somebody else closes.
type keptOpen struct{ Journal }

func (keptOpen) Close() error { return nil }

// earlierSteps is what a step knows of those before it.
type earlierSteps struct {
	begun   bool // the journal has events
	terms   event.Terms
	backend string // how the backend of the sandbox was recorded
}

func lastOf(past iter.Seq2[event.Event, error]) (s earlierSteps, err error) {
	for e, err := range past {
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return s, err
		}
		s.begun = true
		switch {
		case e.Start != nil:
			s.terms = e.Start.Terms
		case e.Kind == event.Audit && strings.HasPrefix(e.Text, aboutBackend):
			s.backend = e.Text
		}
	}
	return s, nil
}

// lastingTools are the tools whose effect outlasts a step: access that a later call uses, and questions and plans, whose answers are more
// than a yes.
func lastingTools() []string { return []string{"request_access", "ask_user", exitPlanName} }

// answeredElsewhere sees what a person approved in another process, and opens what the call needs beyond the sandbox. How long an approval
// is to count is left out: who answers from elsewhere does not change the rules of this machine.
type answeredElsewhere struct{ *guarded }

// Judge implements guard.Guard.
func (answeredElsewhere) Judge(context.Context, guard.Case) guard.Verdict { return guard.Verdict{} }

// Granted implements guard.Observer.
func (g answeredElsewhere) Granted(c guard.Case, a guard.Answer) {
	if !a.ByPerson() {
		return // the approver opened it
	}
	if err := g.approvals.open(context.Background(), c, a); err != nil {
		g.log.Warn("an approved call gets nothing beyond the sandbox", "call", c.Call.ID, "error", err)
	}
}

// Prompted, Refused and Ran implement guard.Observer.
func (answeredElsewhere) Prompted(string)                    {}
func (answeredElsewhere) Refused(guard.Case, guard.Answer)   {}
func (answeredElsewhere) Ran(guard.Case, tool.Result) string { return "" }
