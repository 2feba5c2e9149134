package harness

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"rein/agent"
	"rein/app/replay"
	"rein/app/settings"
	"rein/event"
	"rein/journal"
	"rein/kit/sandbox"
	"rein/tool"
	"rein/toolcall"
)

// record is where the events of a session go: its journal, and its conversation with a model. Both are there from when the session begins. Of what
// happens in a copy of the workspace, the session above has them.
type record struct {
	id       string
	version  string // of the program
	sessions string // the directory of all sessions
	mask     func([]byte) []byte
	settle   func(session, call string) // called when what became of an approval request is recorded: see settled
	above    *record
	recorder *replay.Recorder // of what is sent to models; nil: it is not recorded

	show         func(event.Event)        // sees what is recorded; nil: nobody does
	author       func(event.Event) string // see NewSession.Author; nil: nobody knows
	watch        func(event.Event)        // sees what turns give; nil: nobody does
	tools        []string                 // the names of the session's tools
	journal      *recording               // nil: nothing is recorded
	conversation *agent.Session           // nil without a model
	prompted     atomic.Bool              // the user has sent a message
	began        sync.Once                // records the start where calls of the user come before the first message
	asked        bool                     // the session was resumed with requests that somebody may have answered
}

// Journal is where a session is recorded.
type Journal interface {
	event.Journal
	Past() iter.Seq2[event.Event, error] // the events that it had when it was opened
	Close() error
}

// recording is a journal that a front end watches: each event is shown when it is recorded, in the order of the numbers.
type recording struct {
	Journal
	show   func(event.Event)
	author func(event.Event) string // see NewSession.Author; may be nil
	seen   func(event.Event)        // of the user's session: see Session.seen
	settle func(call string)

	mu     sync.Mutex // guards what follows
	failed error      // of the last Append
}

// Append records the events and shows them.
func (r *recording) Append(events ...event.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range events {
		if e := &events[i]; e.Kind == event.Prompted && r.author != nil {
			e.By = r.author(*e)
		}
	}
	if r.failed = r.Journal.Append(events...); r.failed != nil {
		return r.failed
	}
	for _, e := range events {
		if Settles(e) {
			r.settle(e.Call.ID)
		}
		if r.seen != nil {
			r.seen(e)
		}
		if r.show != nil {
			r.show(e)
		}
	}
	return nil
}

// Settles reports whether an event says what became of an approval request. Where the call is judged again, because the user changed it or
// the rules or files are others, that is half of it: what became of it then follows, and who left an answer reads why it does not count.
func Settles(e event.Event) bool {
	switch e.Kind {
	case event.Granted, event.Refused:
		return e.Call != nil && e.Answer != nil
	case event.ApprovalVoid:
		return e.Call != nil && e.Reason != event.WasEdited && e.Reason != event.RulesChanged && e.Reason != event.FilesChanged
	case event.Replied:
		return e.Call != nil && (e.Verdict != nil || e.Result != nil && e.Result.Kind == tool.Cancelled) // a guard denied it, or it was cancelled before it was judged again
	}
	return false
}

// fault is why the journal takes nothing more; nil: it does.
func (r *recording) fault() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// settled is called when what became of an approval request is recorded, in the journal of the session or of a sub-agent: the inbox has the
// requests of both under the user's session.
func (r *record) settled(call string) { r.settle(r.id, call) }

// settling passes the events of a journal on, and at their end settles the requests that are recorded: a process that was killed may
// have left them.
func (r *record) settling(events iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		recorded := map[string]bool{} // calls
		for e, err := range events {
			switch {
			case Settles(e):
				recorded[e.Call.ID] = true
			case e.Kind == event.ApprovalRequested && e.Call != nil:
				delete(recorded, e.Call.ID)
			}
			if !yield(e, err) {
				return
			}
		}
		for call := range recorded {
			r.settled(call)
		}
	}
}

// past reads the events of the session.
func (r *record) past() iter.Seq2[event.Event, error] { return r.settling(r.journal.Past()) }

// open begins the journal, or continues it: what cannot be recorded does not run.
func (r *record) open(ephemeral bool, seen func(event.Event)) error {
	dir, err := journal.Dir(r.sessions, r.id)
	if err != nil {
		return inputError(err)
	}
	f, err := journal.Resume(dir)
	if errors.Is(err, journal.ErrHeld) {
		return inputError(fmt.Errorf("%w; to watch it: rein sessions show --follow %s", err, r.id))
	}
	if err != nil {
		return fmt.Errorf("the session cannot be recorded, so nothing runs: %w", settings.Unwritable(err))
	}
	if ephemeral {
		if err := os.WriteFile(filepath.Join(dir, journal.EphemeralName), nil, 0o600); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	f.Mask = r.mask
	r.journal = &recording{Journal: f, show: r.show, author: r.author, seen: seen, settle: r.settled}
	return nil
}

// child opens the journal of a sub-agent's session.
func (r *record) child(id string) (event.Journal, error) {
	dir, err := journal.Dir(r.sessions, id)
	if err != nil {
		return nil, err
	}
	f, _, err := journal.Open(dir)
	if err != nil {
		return nil, err
	}
	f.Mask = r.mask
	return &recording{Journal: f, show: r.show, settle: r.settled}, nil
}

// childPast reads the journal of a sub-agent's session.
func (r *record) childPast(id string) iter.Seq2[event.Event, error] {
	dir, err := journal.Dir(r.sessions, id)
	if err != nil {
		return func(yield func(event.Event, error) bool) { yield(event.Event{}, err) }
	}
	return r.settling(journal.Read(filepath.Join(dir, journal.FileName)))
}

// calls is the session as the runner of calls sees it.
func (r *record) calls(watch func(event.Event)) toolcall.Scope {
	c := toolcall.Scope{ID: r.id, Depth: sandbox.Depth(os.Environ()), Watch: watch}
	if r.journal != nil {
		c.Journal = r.journal
	}
	return c
}

// append records an event of the harness itself. The journal keeps its own error for the next call.
func (r *record) append(e event.Event) {
	if r.above != nil {
		e.Child = r.id
		r.above.append(e)
		return
	}
	if r.journal != nil {
		e.Time, e.Session = time.Now(), r.id
		_ = r.journal.Append(e)
	}
}

// report records an event of the harness itself, and shows it to whoever follows the session.
func (r *record) report(e event.Event) {
	switch {
	case r.above != nil:
		e.Child = r.id
		r.above.report(e)
	case r.conversation != nil:
		_ = r.conversation.Record(e) // as in append
	default:
		r.append(e)
	}
}

// runs records how the session runs from now on: it was started, or its terms changed.
func (r *record) runs(kind event.Kind, t event.Terms, resumed bool) error {
	if r.journal == nil {
		return nil
	}
	start := event.Start{Terms: t, Tools: r.tools, Resumed: resumed, Version: r.version}
	return r.journal.Append(event.Event{Kind: kind, Start: &start, Time: time.Now(), Session: r.id})
}

// paid counts a request to a model outside of the conversation in the budget of the session, and records it, unless what is "".
func (r *record) paid(what string, used event.Usage) {
	if used == (event.Usage{}) {
		return
	}
	if talk := r.talk(); talk != nil {
		talk.Paid(used)
	}
	if what != "" {
		r.append(event.Event{Kind: event.Audit, Text: what, Usage: &used})
	}
}

// talk is the conversation of the user's session; nil: there is none.
func (r *record) talk() *agent.Session {
	for r.above != nil {
		r = r.above
	}
	return r.conversation
}

// hint tells the model something with its next request: see agent.Queue.HintAbout.
func (r *record) hint(about, text string) {
	if r.conversation != nil {
		r.conversation.Queue().HintAbout(about, text)
	}
}

// window returns the tokens of the window of the session's model; 0: not known.
func (r *record) window() int {
	if r.conversation == nil {
		return 0
	}
	return r.conversation.Window()
}
