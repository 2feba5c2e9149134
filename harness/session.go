package harness

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/harness/access"
	"rein/harness/instructions"
	"rein/harness/notify"
	"rein/harness/review"
	"rein/harness/secretfiles"
	"rein/harness/sessions"
	"rein/harness/skills"
	"rein/harness/snapshot"
	"rein/harness/spent"
	"rein/harness/surroundings"
	"rein/harness/toolservers"
	"rein/hook"
	"rein/journal"
	"rein/kit/sandbox"
	"rein/kit/tools/files"
	"rein/kit/workspace"
	"rein/model"
	"rein/redact"
	"rein/spill"
	"rein/tool"
	"rein/toolcall"
)

// Session is one conversation of a model in the workspace, or, without a model, a series of calls. Everything that it
// changes belongs to it alone: the journal, the permission memory, granted access, the sandbox and its jobs.
type Session struct {
	h         *Harness
	id        string
	resumed   bool
	ephemeral bool // what is recorded is deleted at the end

	oneChange sync.Mutex // held by who changes how or mode, also while that is recorded
	changing  sync.Mutex // guards how and mode. Nothing is recorded while it is held: who sees an event may read them
	how       How        // how it runs
	mode      guard.Mode

	above    *Session            // the session, or the copy, whose workspace this is a copy of; nil: it is no copy
	readable []string            // what programs in a copy must read: the history of the original
	inCopies map[string]*Session // in the user's session: the parts that work in copies, by their directories

	workspace *workspace.Workspace
	spill     *spill.Store
	keeper    *snapshot.Keeper // nil: undo is switched off
	prompted  atomic.Bool      // the user has sent a message
	files     files.Tools
	diagnose  func(ctx context.Context, before, after map[string]string) string // what is new since an edit; nil: nothing
	features  []feature
	asked     bool                 // it was resumed with requests that somebody may have answered
	notes     *notify.Watch        // notifies the user
	servers   *toolservers.Servers // tool servers; nil: there are none

	instructions *instructions.Loader // of the user and the repository
	skills       *skills.Catalog

	access   *access.Grants
	secrets  *secretfiles.Finder
	confine  sandbox.Policy // of programs, without network and granted access
	box      *sandbox.Box
	jobs     sandbox.Jobs
	guards   GuardSet
	trust    surroundings.Trust // what git obeys
	runner   *toolcall.Runner
	hooks    *hook.Set
	reviewer *review.Reviewer
	journal  *recording
	recorded func(event.Event) // sees what is recorded; nil: nobody does
	log      *slog.Logger
	running  sync.WaitGroup // tools that are at work
	prepared sync.Once      // the backend of the sandbox is recorded

	team         agent.Team                                 // gives the conversation its sub-agents; nil: none
	conversation *agent.Session                             // nil without a model
	take         func(ctx context.Context, calls int) error // counts calls without a model
	compaction   agent.Compaction
	fallback     []model.Model
	closed       sync.Once
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// Dir returns the directory in which the session is recorded.
func (s *Session) Dir() string { return filepath.Join(s.h.dirs.Sessions, s.id) }

// Events returns what is recorded of the session so far.
func (s *Session) Events() iter.Seq2[event.Event, error] { return s.h.store.Events(s.id, 0) }

// Past returns the end of the conversation so far.
func (s *Session) Past(most sessions.Most) (sessions.Past, error) { return s.h.store.Last(s.id, most) }

// Output opens the whole output of a call of the session whose result holds only a part: see tool.Cut. Secrets in it are not masked.
func (s *Session) Output(of tool.Cut) (io.ReadCloser, error) {
	return of.Open(s.h.dirs.Output, s.id)
}

// How returns the conditions under which the session runs.
func (s *Session) How() How {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.how
}

// Tools returns the session's tools.
func (s *Session) Tools() tool.Set { return s.runner.Tools }

// ToolServers returns the session's tool servers (MCP); nil: it has none.
func (s *Session) ToolServers() *toolservers.Servers { return s.servers }

// Resume continues the calls that the session left open: see agent.Session.
func (s *Session) Resume(ctx context.Context) iter.Seq2[event.Event, error] {
	s.keepAhead()
	return s.conversation.Resume(ctx)
}

// Pending returns the approval requests that the session waits for, those of its sub-agents too.
func (s *Session) Pending() []agent.Request { return s.conversation.Pending() }

// Answer answers a request of Pending by the id of its call. Resume then continues the call.
func (s *Session) Answer(call string, a guard.Answer) error { return s.conversation.Answer(call, a) }

// Messages returns the conversation so far.
func (s *Session) Messages() []*model.Message { return s.conversation.Messages() }

// Waiting reports whether calls of the last response are still to be run. Resume runs them.
func (s *Session) Waiting() bool { return s.conversation != nil && s.conversation.Waiting() }

// CutOff reports whether the last message has no answer because the process ended. Resume asks again.
func (s *Session) CutOff() bool { return s.conversation != nil && s.conversation.CutOff() }

// Usage returns the tokens of the session so far.
func (s *Session) Usage() event.Usage { return s.conversation.Usage() }

// Call runs calls without a model, through the whole pipeline: see toolcall.Runner.Run. In a session without a model the limits of
// the session and of the day count them; calls over a limit fail and do not run.
func (s *Session) Call(ctx context.Context, calls []tool.Call, watch func(event.Event)) ([]tool.Result, error) {
	session := s.calls(watch)
	if s.conversation == nil {
		session.Take = s.take
		if err := s.take(ctx, len(calls)); err != nil {
			results := make([]tool.Result, len(calls))
			for i, c := range calls {
				results[i] = tool.Result{ID: c.ID, Name: c.Name, Failed: true, Kind: tool.Unsupported, Text: "The call did not run: " + err.Error() + "."}
			}
			return results, nil
		}
	}
	return s.runner.Run(ctx, session, calls)
}

// Jobs returns the commands that run in the background.
func (s *Session) Jobs() []*sandbox.Job { return s.jobs.Running() }

// AllJobs returns those that have ended too, the oldest first; only the last ones that ended are known.
func (s *Session) AllJobs() []*sandbox.Job { return s.jobs.List() }

// calls is the session as the runner of calls sees it.
func (s *Session) calls(watch func(event.Event)) toolcall.Session {
	c := toolcall.Session{ID: s.id, Depth: sandbox.Depth(os.Environ()), Watch: watch}
	if s.journal != nil {
		c.Journal = s.journal
	}
	return c
}

// sessionOptions are those of the conversation.
func (s *Session) sessionOptions() agent.SessionOptions {
	c := s.calls(nil)
	today := s.days().Account(limit(s.h.settings.Limits.Day))
	return agent.SessionOptions{ID: c.ID, Journal: c.Journal, Depth: c.Depth, Day: today, Child: s.childJournal, Past: s.childPast}
}

// days are what the sessions of each day have spent.
func (s *Session) days() *spent.Days {
	return &spent.Days{Dir: filepath.Join(s.h.dirs.State, "spent")}
}

// childJournal opens the journal of a sub-agent's session.
func (s *Session) childJournal(id string) (event.Journal, error) {
	dir, err := journal.Dir(s.h.dirs.Sessions, id)
	if err != nil {
		return nil, err
	}
	f, _, err := journal.Open(dir)
	if err != nil {
		return nil, err
	}
	f.Mask = s.h.mask.Bytes
	return &recording{File: f, show: s.recorded}, nil
}

// childPast reads the journal of a sub-agent's session.
func (s *Session) childPast(id string) iter.Seq2[event.Event, error] {
	dir, err := journal.Dir(s.h.dirs.Sessions, id)
	if err != nil {
		return func(yield func(event.Event, error) bool) { yield(event.Event{}, err) }
	}
	return journal.Read(filepath.Join(dir, journal.FileName))
}

// append records an event of the harness itself. The journal keeps its own error for the next call.
func (s *Session) append(e event.Event) {
	if s.above != nil {
		e.Child = s.id
		s.above.append(e)
		return
	}
	if s.journal != nil {
		e.Time, e.Session = time.Now(), s.id
		_ = s.journal.Append(e)
	}
}

// report records an event of the harness itself, and shows it to whoever follows the session.
func (s *Session) report(e event.Event) {
	switch {
	case s.above != nil:
		e.Child = s.id
		s.above.report(e)
	case s.conversation != nil:
		_ = s.conversation.Record(e) // as in append
	default:
		s.append(e)
	}
}

// shutdownGrace is how long tools that are still at work have to end when the session does.
const shutdownGrace = 3 * time.Second

// releaseTime is how long a session has to end all else. It bounds only what hangs.
const releaseTime = 20 * time.Second

// Close waits for what still runs, ends background jobs and closes the journal. The session can be resumed later.
func (s *Session) Close(context.Context) (err error) {
	s.closed.Do(func() { err = s.close() })
	return err
}

func (s *Session) close() error {
	idle := make(chan struct{})
	go func() {
		s.running.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(shutdownGrace):
	}
	released := make(chan error, 1)
	go func() { released <- s.release() }()
	var err error
	select {
	case err = <-released:
	case <-time.After(releaseTime):
		err = errors.New("the session did not end as it should: a directory that it uses may belong to a file system that does not answer")
	}
	if s.journal != nil {
		err = errors.Join(err, s.journal.Close())
	}
	s.h.mu.Lock()
	delete(s.h.sessions, s.id)
	s.h.mu.Unlock()
	if s.ephemeral && s.journal != nil {
		err = errors.Join(err, s.h.store.Delete(s.id))
	}
	return err
}

// release ends what the session has open beside its journal.
func (s *Session) release() error {
	err := errors.Join(s.closeCopies(), s.jobs.Close())
	if s.keeper != nil {
		s.keeper.Close() // the end of a job is recorded
	}
	return errors.Join(err, s.closeFeatures(), s.box.Close(), s.workspace.Close())
}

// spilled opens a long output of this session by the reference in its text.
func (s *Session) spilled(ref string) (io.ReaderAt, int64, bool) {
	f, err := s.spill.Open(ref)
	if err != nil {
		return nil, 0, false
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, false
	}
	return f, info.Size(), true
}

// window returns the tokens of the window of the session's model; 0: not known.
func (s *Session) window() int {
	if s.conversation == nil {
		return 0
	}
	return s.conversation.Window()
}

// Mask returns the filter that hides secrets in all that rein writes.
func (s *Session) Mask() *redact.Filter { return s.h.mask }
