package harness

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"sync"
	"time"

	"rein/agent"
	"rein/app/extend"
	"rein/app/sessions"
	"rein/event"
	"rein/guard"
	"rein/kit/sandbox"
	"rein/kit/workspace"
	"rein/model"
	"rein/redact"
	"rein/tool"
)

// Session is one conversation of a model in the workspace, or, without a model, a series of calls. Everything that it
// changes belongs to it alone: the journal, the permission memory, granted access, the sandbox and its jobs. It is the last of the stages: see opened.
type Session struct {
	*guarded
	prompt    *prompt
	unsent    unsent
	resumed   bool
	ephemeral bool // what is recorded is deleted at the end
	closed    sync.Once
	queueing  sync.Mutex // held while Deliver queues a message

	take       func(ctx context.Context, calls int) error // counts calls without a model
	compaction agent.Compaction
	fallback   []model.Model
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

// Terms returns how the session runs now.
func (s *Session) Terms() Terms { return s.terms.now() }

// Tools returns the session's tools.
func (s *Session) Tools() tool.Set { return s.runner.Tools }

// ToolServers returns the session's tool servers (MCP); nil: it has none, and names no resources.
func (s *Session) ToolServers() *ToolServers { return s.servers }

// Resume continues the calls that the session left open: see agent.Session. What the user wrote before the process was killed, and is not
// recorded, waits for that as it did; where nothing is open, the first such message is sent.
func (s *Session) Resume(ctx context.Context) iter.Seq2[event.Event, error] {
	left := s.unsent.leftBefore()
	if len(left) > 0 && !s.record.conversation.Waiting() && !(left[0].waits != "" && s.CutOff()) {
		return s.unsent.withLeft(s.unsent.sendLeft(ctx, left[0]), left[1:])
	}
	s.keepAhead()
	return s.unsent.withLeft(s.unsent.settled(s.cancelling(ctx, s.record.conversation.Resume(ctx))), left)
}

// cancelling passes the events of a turn on that continues. When it was cancelled, it takes the requests of before out of the inbox, which no call
// waits for any more: a sub-agent that had not begun again records nothing of its own.
func (g *guarded) cancelling(ctx context.Context, turn iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		began := time.Now()
		turn(yield)
		if ctx.Err() == nil || g.record.conversation.Waiting() {
			return
		}
		waiting, err := g.h.inbox.Pending()
		if err != nil {
			g.h.log.Warn("requests of a turn that was cancelled may stay in the inbox", "session", g.id, "error", err)
		}
		for _, r := range waiting {
			if r.Session == g.id && r.Time.Before(began) {
				g.h.settle(r.Session, r.Call)
			}
		}
	}
}

// Pending returns the approval requests that the session waits for, those of its sub-agents too.
func (s *Session) Pending() []agent.Request { return s.record.conversation.Pending() }

// Answer answers a request of Pending by the id of its call. Resume then continues the call.
func (s *Session) Answer(call string, a guard.Answer) error {
	return s.record.conversation.Answer(call, a)
}

// Messages returns the conversation so far.
func (s *Session) Messages() []*model.Message { return s.record.conversation.Messages() }

// Waiting reports whether calls of the last response are still to be run, or a message was never sent because the process was killed
// before. Resume runs them, and sends it.
func (s *Session) Waiting() bool {
	return s.record.conversation != nil && (s.record.conversation.Waiting() || len(s.unsent.leftBefore()) > 0)
}

// CutOff reports whether the last message has no answer because the process ended. Resume asks again.
func (s *Session) CutOff() bool {
	return s.record.conversation != nil && s.record.conversation.CutOff()
}

// Usage returns the tokens of the session so far.
func (s *Session) Usage() event.Usage { return s.record.conversation.Usage() }

// Call runs calls without a model, through the whole pipeline: see toolcall.Runner.Run. In a session without a model the limits of
// the session and of the day count them; calls over a limit fail and do not run.
func (s *Session) Call(ctx context.Context, calls []tool.Call, watch func(event.Event)) ([]tool.Result, error) {
	session := s.record.calls(watch)
	if s.record.conversation != nil && !s.resumed && !s.record.prompted.Load() {
		s.record.began.Do(func() { _ = s.record.runs(event.Started, s.Terms(), false) }) // a journal that fails stops the calls
	}
	if s.record.conversation == nil {
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

// Jobs are the commands that run in the background, and the last ones that ended.
func (s *Session) Jobs() *sandbox.Jobs { return &s.jobs }

// Instructions returns the files with instructions that the session looked at: see package instructions.
func (s *Session) Instructions() []extend.InstructionFile { return s.prompt.instructions.Files() }

// sessionOptions are those of the conversation.
func (s *Session) sessionOptions() agent.SessionOptions {
	c := s.record.calls(nil)
	today := s.h.days().Account(dayLimit(s.h.settings.Limits.Day))
	return agent.SessionOptions{ID: c.ID, Journal: c.Journal, Watch: maskWatched(s.h.mask, s.record.watch), Depth: c.Depth, Day: today, Child: s.record.child, Past: s.record.childPast}
}

// days are what the sessions of each day have spent.
func (h *Harness) days() *spentDays {
	return &spentDays{Dir: filepath.Join(h.dirs.State, "spent")}
}

// Close waits for what still runs, ends background jobs and closes the journal. The session can be resumed later.
func (s *Session) Close(context.Context) (err error) {
	s.closed.Do(func() { err = s.close() })
	return err
}

func (s *Session) close() error {
	err := errors.Join(s.end(), s.record.recorder.Close())
	if s.record.journal != nil {
		err = errors.Join(err, s.record.journal.Close())
	}
	s.h.sessions.CompareAndDelete(s.id, s)
	if s.ephemeral && s.record.journal != nil {
		err = errors.Join(err, s.h.store.Delete(s.id), s.h.store.DeleteKilled())
	}
	return err
}

// Mask returns the filter that hides secrets in all that rein writes.
func (s *Session) Mask() *redact.Filter { return s.h.mask }

// Files lists the files of the workspace that ignore files do not exclude, relative to it, at most most of them. A front end
// offers them for completion.
func (s *Session) Files(ctx context.Context, most int) ([]string, error) {
	found, err := s.workspace.Walk(ctx, ".", workspace.WalkOptions{MaxEntries: most})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range found.Entries {
		link := e.Type&fs.ModeSymlink != 0
		if link { // to a file that the model may read
			info, err := s.workspace.Stat(e.Path)
			link = err == nil && info.Mode().IsRegular()
		}
		if e.Type == 0 || link {
			names = append(names, e.Path)
		}
	}
	return names, nil
}
