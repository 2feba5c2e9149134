package harness

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/harness/instructions"
	"rein/harness/past"
	"rein/harness/settings"
	"rein/harness/spent"
	"rein/journal"
	"rein/kit/providers"
	"rein/kit/workspace"
	"rein/model"
	"rein/spill"
)

// NewSession holds what a new session has of its own, instead of the harness's options and settings.
type NewSession struct {
	ID        string // of a session that is new: lower-case letters, digits and '-', at most 64; "": one is made
	Ephemeral bool   // everything that is recorded of a new session is deleted when it is closed

	Model   model.Model // nil: the model that the options or the settings name
	NoModel bool        // only calls: see Session.Call

	// Recorded sees each event of the session and its sub-agents when it is recorded, those of each session in the order of
	// their numbers. Send and Resume give the same events, and the live ones, but not what the harness records by itself,
	// such as a change of the mode. It must not block for long, and must not call the session. Nil: nobody looks.
	Recorded func(event.Event)

	// Quiet: the user is not notified of the end of a run, because who starts the session does it.
	Quiet bool

	// Editor has files of the workspace open, with text that is not saved. The zero value: there is none.
	Editor workspace.Editor

	// Choices for this session; "" leaves the harness's options and the settings, or what was recorded.
	ModelName string // provider/name
	Mode      string // read-only, plan, supervised, auto, full
}

// choose puts the choices of the new session over how it would run.
func (n NewSession) choose(how How, err error) (How, error) {
	if n.ModelName != "" {
		how.Model = n.ModelName
	}
	if n.Mode != "" && err == nil {
		var mode guard.Mode
		mode, err = settings.Mode(n.Mode)
		how.Mode, err = mode.String(), usageError(err)
	}
	return how, err
}

// Start begins a new session: it opens the model, makes the session's parts and begins its journal.
func (h *Harness) Start(ctx context.Context, n NewSession) (*Session, error) {
	how, err := n.choose(h.How())
	if err != nil {
		return nil, err
	}
	id, err := h.newID(n.ID)
	if err != nil {
		return nil, err
	}
	s, err := h.newSession(id, how)
	if err != nil {
		return nil, err
	}
	s.ephemeral = n.Ephemeral
	return s, s.closeOn(ctx, s.begin(ctx, n))
}

// Resume continues a recorded session. It keeps the model, the mode, the rules of the command line, the budget and the
// other choices that were recorded, unless the harness's options name others.
func (h *Harness) Resume(ctx context.Context, id string, n NewSession) (*Session, error) {
	name, err := journalFile(h.dirs.Sessions, id)
	if err != nil {
		return nil, err
	}
	recorded, err := recordedHow(name)
	if err != nil {
		return nil, err
	}
	if recorded.Dir != "" && recorded.Dir != h.root {
		return nil, inputError(fmt.Errorf("session %s belongs to the directory %s, not to %s", id, recorded.Dir, h.root))
	}
	how, err := n.choose(h.howResumed(recorded))
	if err != nil {
		return nil, err
	}
	s, err := h.newSession(id, how)
	if err != nil {
		return nil, err
	}
	s.resumed = true
	return s, s.closeOn(ctx, s.begin(ctx, n))
}

// closeOn closes the session when it could not begin.
func (s *Session) closeOn(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(err, s.Close(ctx))
}

// newSession makes the parts of a session; nothing is recorded yet.
func (h *Harness) newSession(id string, how How) (*Session, error) {
	s := &Session{}
	return s, h.assembled(s, id, how)
}

// assembled makes the parts of a session that it does not have yet.
func (h *Harness) assembled(s *Session, id string, how How) (err error) {
	s.h, s.id, s.how, s.log = h, id, how, h.log.With("session", id)
	if s.mode, err = settings.Mode(how.Mode); err != nil {
		return usageError(err)
	}
	if s.workspace, err = workspace.Open(h.root, how.AddDirs...); err != nil {
		return inputError(err)
	}
	s.workspace.Ask = "the tool request_access asks the user for access to a place for a while, and --add-dir adds a directory"
	s.instructions = &instructions.Loader{Folder: h.folder, Workspace: h.root, User: h.dirs.UserInstructions(), Home: settings.HomeDir(),
		Limit: h.settings.Instructions.Limit, Off: h.settings.Instructions.Off}
	s.spill = &spill.Store{Dir: h.dirs.Output, Prefix: id, Quota: h.settings.Limits.OutputQuota}
	if err := s.assemble(); err != nil {
		return errors.Join(err, s.workspace.Close())
	}
	h.mu.Lock()
	h.sessions[id] = s
	h.mu.Unlock()
	return nil
}

// assemble joins the network, the sandbox, the tools and the guards in a runner.
func (s *Session) assemble() error {
	if err := s.openNetwork(); err != nil {
		return err
	}
	if err := s.openSandbox(); err != nil {
		return err
	}
	if err := s.openKeeper(); err != nil {
		return err
	}
	if err := s.openFeatures(); err != nil {
		return err
	}
	tools, err := s.tools()
	if err != nil {
		return errors.Join(err, s.closeFeatures())
	}
	if err := s.openGuards(tools); err != nil {
		return errors.Join(err, s.closeFeatures())
	}
	s.runner = s.newRunner(tools)
	return nil
}

// begin opens the journal and, where a model is wanted, the conversation.
func (s *Session) begin(ctx context.Context, n NewSession) error {
	s.recorded, s.workspace.Editor, s.notes.Quiet = n.Recorded, n.Editor, n.Quiet
	m := n.Model
	if m == nil && !n.NoModel {
		var err error
		if m, err = s.h.openModel(ctx, s.how); err != nil {
			return err
		}
	}
	if err := s.openJournal(); err != nil {
		return err
	}
	if n.NoModel {
		s.take = s.days().Calls(limit(s.h.settings.Limits.Session), limit(s.h.settings.Limits.Day))
		return s.continueCalls()
	}
	s.openHelpers(ctx)
	return s.converse(s.agent(m))
}

func limit(b settings.Budget) spent.Limit {
	return spent.Limit{Tokens: b.Tokens, USD: b.USD, Time: time.Duration(b.Time), Calls: b.Calls, Requests: b.Requests, SubAgents: b.SubAgents}
}

// openJournal begins the session's journal: what cannot be recorded does not run.
func (s *Session) openJournal() error {
	dir, err := journal.Dir(s.h.dirs.Sessions, s.id)
	if err != nil {
		return inputError(err)
	}
	f, err := journal.Resume(dir)
	if errors.Is(err, journal.ErrHeld) {
		return inputError(fmt.Errorf("%w; to watch it: rein sessions show --follow %s", err, s.id))
	}
	if err != nil {
		return fmt.Errorf("the session cannot be recorded, so nothing runs: %w", settings.Unwritable(err))
	}
	if s.ephemeral {
		if err := os.WriteFile(filepath.Join(dir, journal.EphemeralName), nil, 0o600); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	f.Mask = s.h.mask.Bytes
	s.journal = &recording{File: f, show: s.recorded, seen: func(e event.Event) { s.seen(e); s.touched(e) }}
	return nil
}

// started is the first event of a session without a model.
func (s *Session) started() event.Event {
	start := s.how.start()
	start.Tools, start.Resumed, start.Version = s.runner.Tools.Names(), s.resumed, s.h.options.Version
	return event.Event{Kind: event.Started, Time: time.Now(), Session: s.id, Start: &start}
}

// agent joins the model with the runner.
func (s *Session) agent(m model.Model) *agent.Agent {
	output, _ := agent.ParseOutput(s.h.options.Answer) // checked when the harness was opened
	return &agent.Agent{Model: preparing{m, s, &sync.Once{}}, Calls: s.runner, System: s.systemPrompt(m.Info().String()), Version: s.h.options.Version,
		MaxTurns: s.how.MaxTurns, Budget: s.how.Budget, Effort: s.how.Effort, ThinkFirst: s.how.Think, How: s.how.start(),
		Limits: s.budgets(), Compact: s.compaction, Facts: past.Facts, Fallback: s.fallback, Team: s.team, Place: s.place, Output: output, Shrink: providers.ShrinkImage}
}

// converse starts the conversation, or rebuilds it from its journal.
func (s *Session) converse(a *agent.Agent) (err error) {
	if !s.resumed {
		s.conversation = a.Start(s.sessionOptions())
		return nil
	}
	if s.conversation, err = a.Load(s.sessionOptions(), s.recalling(s.journal.Past())); err != nil {
		return inputError(fmt.Errorf("session %s: %w", s.id, err))
	}
	s.asked = len(s.Pending()) > 0
	return nil
}

// continueCalls begins or resumes a session without a model.
func (s *Session) continueCalls() error {
	if s.resumed {
		replay := s.runner.Replay(s.calls(nil))
		for e, err := range s.recalling(s.journal.Past()) {
			if err != nil {
				return inputError(fmt.Errorf("session %s: %w", s.id, err))
			}
			if err := replay.See(e); err != nil {
				return fmt.Errorf("session %s: %w", s.id, err)
			}
		}
	}
	return s.journal.Append(s.started())
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
			s.seen(e)
			if !yield(e, err) {
				return
			}
		}
		s.instructions.Touch(touched...)
	}
}
