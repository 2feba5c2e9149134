package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"rein/agent"
	"rein/app/notify"
	"rein/app/settings"
	"rein/event"
	"rein/journal"
	"rein/kit/providers"
	"rein/kit/workspace"
	"rein/model"
	"rein/tool"
)

// NewSession holds what a new session has of its own, instead of the harness's options and settings.
type NewSession struct {
	ID        string // of a session that is new: lower-case letters, digits and '-', at most 64; "": one is made
	Ephemeral bool   // everything that is recorded of a new session is deleted when it is closed

	// Keeps: a message of the user is kept in a file until it is recorded, for the next process where this one is killed. First is what the
	// user has written already, and is sent as the first thing. KeepsWaiting keeps only what Steer and Queue take: who opens the session keeps
	// the rest.
	Keeps, KeepsWaiting bool
	First               string

	Model   model.Model // nil: the model that the options or the settings name
	NoModel bool        // only calls: see Session.Call

	// Recorded sees each event of the session and its sub-agents when it is recorded, those of each session in the order of
	// their numbers. Send and Resume give the same events, and the live ones, but not what the harness records by itself,
	// such as a change of the mode. It must not block for long, and must not call the session. Nil: nobody looks.
	Recorded func(event.Event)

	// Author says who wrote a message of the user that is about to be recorded, as answers have it. The same holds for it as for Recorded. Nil: it is
	// not known.
	Author func(event.Event) string

	// Watch sees what Send, Resume and Compact give, whoever calls them, the live events too, one at a time. The same holds for it as
	// for Recorded.
	Watch func(event.Event)

	// Replace returns what a session has instead of a tool of its workspace: the same name and arguments, with other work. It sees tools with
	// their limits, and not those of tool servers and of sub-agents. Nil: the tools as they are.
	Replace func(*tool.Tool) *tool.Tool

	// Quiet: the user is not notified of the end of a run, because who starts the session does it.
	Quiet bool

	// Editor has files of the workspace open, with text that is not saved. The zero value: there is none.
	Editor workspace.Editor

	// Choices for this session; "" leaves the harness's options and the settings, or what was recorded.
	ModelName string // provider/name
	Mode      string // read-only, plan, ask, supervised, auto, full
}

// Start begins a new session: it opens the model, makes the session's parts and begins its journal.
func (h *Harness) Start(ctx context.Context, n NewSession) (*Session, error) {
	id, err := h.newID(n.ID)
	if err != nil {
		return nil, err
	}
	return h.begin(ctx, id, n, nil)
}

// Resume continues a recorded session. It keeps the model, the mode, the rules of the command line, the budget and the
// other choices that were recorded, unless the harness's options name others.
func (h *Harness) Resume(ctx context.Context, id string, n NewSession) (*Session, error) {
	recorded, err := Recorded(h.dirs.Sessions, id)
	if err != nil {
		return nil, err
	}
	if recorded.Dir != "" && recorded.Dir != h.root {
		return nil, inputError(fmt.Errorf("session %s belongs to the directory %s, not to %s", id, recorded.Dir, h.root))
	}
	return h.begin(ctx, id, n, &recorded)
}

// begin begins a session, or resumes the one whose recorded terms it gets.
func (h *Harness) begin(ctx context.Context, id string, n NewSession, recorded *event.Terms) (*Session, error) {
	resumed := recorded != nil
	if !resumed {
		recorded = &event.Terms{}
	}
	terms, err := h.terms(n, *recorded)
	if err != nil {
		return nil, err
	}
	s, err := h.prepare(id, terms, n.Replace, nil)
	if err != nil {
		return nil, err
	}
	s.resumed, s.ephemeral = resumed, n.Ephemeral && !resumed
	if err := s.begin(ctx, n); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	DeleteOld(h) // not this one: it is open now
	return s, nil
}

// prepare takes a session through its stages; nothing is recorded yet.
func (h *Harness) prepare(id string, terms event.Terms, replace func(*tool.Tool) *tool.Tool, later *Step) (*Session, error) {
	o, err := h.openSession(id, terms, nil)
	if err != nil {
		return nil, err
	}
	o.replace, o.later = replace, later
	g, err := o.guarded()
	if err != nil {
		return nil, err
	}
	o.copies.user, o.record.tools = g, g.set.Names()
	s := &Session{guarded: g, prompt: g.prompt()}
	s.unsent.of = s
	return s, nil
}

// aside passes a session on that never begins, and closes it. id and recorded are those of a recorded session, or zero.
func (h *Harness) aside(ctx context.Context, id string, recorded event.Terms, do func(*Session) error) error {
	terms, err := h.terms(NewSession{}, recorded)
	if err != nil {
		return err
	}
	s, err := h.prepare(cmp.Or(id, journal.NewID(time.Now())), terms, nil, nil)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close(ctx))
}

// begin opens the journal and, where a model is wanted, the conversation.
func (s *Session) begin(ctx context.Context, n NewSession) error {
	s.record.show, s.record.watch, s.workspace.Editor, s.notes.Quiet = reporting(s.h.reports, n.Recorded), n.Watch, n.Editor, n.Quiet
	s.record.author = n.Author
	if err := s.keepFirst(n); err != nil {
		return err
	}
	m := n.Model
	if m != nil {
		m = s.models.watched(m)
	} else if !n.NoModel {
		var err error
		if m, err = s.models.open(ctx, s.Terms()); err != nil {
			if ctx.Err() == nil {
				s.unsent.drop()
				s.ephemeral = s.ephemeral || !s.resumed // nothing is recorded
			}
			return err
		}
		if terms := s.Terms(); terms.Model == "" {
			terms.Model = m.Info().String() // the one that was found
			s.terms.set(terms)
		}
	}
	if err := s.openJournal(n); err != nil {
		return err
	}
	s.h.sessions.Store(s.id, s)
	if n.NoModel {
		s.take = s.h.days().Calls(dayLimit(s.h.settings.Limits.Session), dayLimit(s.h.settings.Limits.Day))
		return s.continueCalls()
	}
	helped(s, func(what, ref string) model.Model { return s.models.orWarn(ctx, what, ref) })
	return s.converse(s.agent(m))
}

// openJournal opens the journal, once.
func (s *Session) openJournal(n NewSession) error {
	if s.record.journal != nil {
		return nil
	}
	err := s.record.open(s.ephemeral, s.seen)
	if err == nil {
		s.unsent.open(s, n)
	}
	return err
}

// keepFirst keeps what the user has written before anything that takes long, such as the search for a model.
func (s *Session) keepFirst(n NewSession) error {
	if !n.Keeps || n.NoModel || n.First == "" {
		return nil
	}
	err := s.openJournal(n)
	if err != nil {
		return err
	}
	if strings.HasPrefix(n.First, "/") && !strings.HasPrefix(n.First, "//") {
		s.unsent.keep(n.First, nil)
	} else {
		s.unsent.keep("", Message(n.First))
	}
	return nil
}

func dayLimit(b settings.Budget) spentLimit {
	return spentLimit{Tokens: b.Tokens, USD: b.USD, Time: time.Duration(b.Time), Calls: b.Calls, Requests: b.Requests, SubAgents: b.SubAgents}
}

// agent joins the model with the runner.
func (s *Session) agent(m model.Model) *agent.Agent {
	output, _ := agent.ParseOutput(s.h.options.Answer) // checked when the harness was opened
	t := s.Terms()
	return &agent.Agent{Model: preparing{newMasking(m, s.h.mask), s.confined, s.runner.Tools, &sync.Once{}}, Calls: s.runner, System: s.prompt.text(m.Info().String(), modeOf(t)), Version: s.h.options.Version,
		MaxTurns: t.MaxTurns, Budget: t.Budget, Effort: t.Effort, ThinkFirst: t.Think, How: event.Start{Terms: t},
		Limits: budgets(t, s.h.settings), Compact: s.compaction, Facts: pastFacts, Fallback: s.fallback, Team: s.team, Place: s.copies.place, Output: output, Shrink: providers.ShrinkImage}
}

// converse starts the conversation, or rebuilds it from its journal.
func (s *Session) converse(a *agent.Agent) (err error) {
	if !s.resumed {
		s.record.conversation = a.Start(s.sessionOptions())
		return nil
	}
	var jobs pastJobs
	s.record.conversation, err = a.Load(s.sessionOptions(), jobs.seeing(s.recalling(s.record.past())))
	if errors.Is(err, agent.ErrNoEvents) { // the process that made the journal ended before it wrote to it
		s.record.conversation = a.Start(s.sessionOptions())
		return nil
	}
	if err != nil {
		return inputError(fmt.Errorf("session %s: %w", s.id, err))
	}
	s.record.asked = len(s.Pending()) > 0
	jobs.tell(s)
	return nil
}

// continueCalls begins or resumes a session without a model.
func (s *Session) continueCalls() error {
	if s.resumed {
		replay := s.runner.Replay(s.record.calls(nil))
		for e, err := range s.recalling(s.record.past()) {
			if err != nil {
				return inputError(fmt.Errorf("session %s: %w", s.id, err))
			}
			if err := replay.See(e); err != nil {
				return fmt.Errorf("session %s: %w", s.id, err)
			}
		}
	}
	return s.record.runs(event.Started, s.Terms(), s.resumed)
}

// recalling passes the events of the journal on and gives the file tools what the session has seen.
func (s *Session) recalling(events iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		var touched []string // since the last compaction
		for e, err := range events {
			switch {
			case e.Kind == event.Replied && e.Result != nil:
				s.files.Recall(e.Result.Detail)
			case e.Kind == event.Called && e.Intent != nil:
				touched = append(append(touched, e.Intent.Reads...), e.Intent.Writes...)
			case e.Kind == event.Compacted:
				touched = nil
			}
			s.noted(e)
			s.unsent.replayed(e)
			if !yield(e, err) {
				return
			}
		}
		s.prompt.instructions.Touch(touched...)
	}
}

// seen takes note of an event that is recorded, and gives the model the instructions of what it reaches for the first time.
func (s *Session) seen(e event.Event) {
	s.noted(e)
	s.unsent.recorded(e)
	if text := s.prompt.touched(e); text != "" {
		s.record.hint("", text)
	}
}

// noted takes note of an event of the session, as it is recorded or read again.
func (s *Session) noted(e event.Event) {
	switch e.Kind {
	case event.Prompted:
		s.record.prompted.Store(true)
		if s.keeper != nil {
			s.keeper.Message.Store(e.Seq)
		}
		s.notes.Prompted(e.Session, e.Time)
	case event.Stopped:
		how := notify.Stopped{Time: e.Time, Text: e.Text, Waits: e.Stop == event.Waiting}
		if !how.Waits && e.Stop != event.Done {
			how.Failed = string(e.Stop)
		}
		s.notes.Stopped(e.Session, how)
	}
	s.reviewer.See(e)
}
