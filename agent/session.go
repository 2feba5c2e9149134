package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/toolcall"
)

// SessionOptions are what belongs to one session. The zero value is a session with a new id that is not recorded.
type SessionOptions struct {
	// ID names the session. Empty: a new one from journal.NewID; Load takes it from the events.
	ID string
	// Journal takes the events before what they describe happens. Nil: nothing is recorded.
	Journal event.Journal
	// Watch sees every event of the session and of its sub-agents, the live ones too, one at a time. It must not block for
	// long. Nil: nobody watches.
	Watch func(event.Event)

	// Child makes the journal of a sub-agent's session, or opens it again when the session is resumed. A journal that is an
	// io.Closer is closed when the sub-agent stops. Nil: sub-agents are not recorded.
	Child func(id string) (event.Journal, error)
	// Past reads the events of a sub-agent's session, so that Load can continue it. Nil: a sub-agent that was at work does
	// not continue after a restart.
	Past func(id string) iter.Seq2[event.Event, error]
	// Elsewhere does the steps of sub-agents; Past is needed then, and Child is not used. Nil: they work in this process.
	Elsewhere Elsewhere

	Day        *Account // of all sessions of a day; nil: no limits
	Root       string   // id of the user's session, in the session of a sub-agent
	Parent     string   // id of the session that started this one, in the session of a sub-agent
	ParentCall string   // id of the call in Parent that this session serves
	Depth      int      // 0 in the user's session, 1 in its sub-agents, …
	Agent      string   // the kind of agent, in the session of a sub-agent
}

// isSubAgent reports whether the session is that of a sub-agent.
func (o SessionOptions) isSubAgent() bool { return o.Root != "" }

// child are the options of the session of a sub-agent, which works on a task of a call.
func (o SessionOptions) child(c *child) SessionOptions {
	root := o.Root
	if root == "" {
		root = o.ID
	}
	return SessionOptions{ID: c.id, Child: o.Child, Past: o.Past, Elsewhere: o.Elsewhere, Root: root, Parent: o.ID, ParentCall: c.call, Depth: o.Depth + 1, Agent: c.task.Agent}
}

// runs is the session as its runner sees it.
func (o SessionOptions) runs(turn int) toolcall.Scope {
	return toolcall.Scope{ID: o.ID, Root: o.Root, Parent: o.Parent, ParentCall: o.ParentCall, Type: o.Agent, Depth: o.Depth, Turn: turn, Journal: o.Journal}
}

// Session is one conversation of an agent. One Send, Resume or Compact runs at a time; the methods that only read may be called
// at any time.
type Session struct {
	agent   *Agent
	options SessionOptions
	parent  *Session // nil: the user's session
	tools   toolbox

	// Only the run changes these; conversation and tools with mu held.
	started    bool       // the journal knows how the session runs
	greeted    bool       // hooks have seen the start of the session
	resumed    bool       // it was read back from a journal
	notices    []string   // for the user, at the next run
	turn       int        // requests so far
	requests   int        // for the last message of the user
	lastStop   event.Stop // how the last run ended; "": it has not, or something came since
	lastAnswer string
	stepping   bool      // it runs by steps
	paused     turnState // of the turn in whose middle the last step ended
	task       int64     // number of the event in the parent's session that has the last task; only of a sub-agent
	assigned   string    // the last task, where the steps of the sub-agent are done here: see LoadSubAgent
	conversation

	mu        sync.Mutex // guards what follows
	running   *run       // nil: nothing is at work
	spent     spending
	approvals approvals
	subAgents subAgents
	queue     queue
}

// ErrBusy means that the session is at work.
var ErrBusy = errors.New("the session is running a turn")

// ErrWaiting means that a call of the session waits for an approval: Resume it first.
var ErrWaiting = errors.New("a call of this session waits for an approval: resume the session first")

// Start begins a session.
func (a *Agent) Start(o SessionOptions) *Session {
	if o.ID == "" {
		o.ID = journal.NewID(time.Now())
	}
	return a.session(o, nil)
}

// session makes a session, without an id where Load finds it in the events.
func (a *Agent) session(o SessionOptions, parent *Session) *Session {
	s := &Session{agent: a, options: o, parent: parent}
	s.ledger.Read = a.Facts
	s.equip()
	return s
}

// Depth returns how deep the session is: 0 for the user's, 1 for its sub-agents, …
func (s *Session) Depth() int { return s.options.Depth }

// Agent returns the agent of the session. It must not be changed.
func (s *Session) Agent() *Agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agent
}

// ID returns the id of the session.
func (s *Session) ID() string { return s.options.ID }

// Usage returns the tokens of the session and its sub-agents so far.
func (s *Session) Usage() event.Usage { return s.spent.total() }

// Messages returns the conversation as the model gets it: what a compaction replaced is only in the journal. The messages are
// shared and must not be changed.
func (s *Session) Messages() []*model.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history.Messages()
}

// Waiting reports whether calls of the last answer have not run: the session was suspended or cut off, and Resume
// continues it. The same holds for background sub-agents. While the session is at work it reports false.
func (s *Session) Waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running == nil && (s.open != nil || len(s.subAgents.unfinished()) > 0)
}

// CutOff reports whether the process ended while the model was asked: the last message has no answer, and nothing says why the
// turn ended. Resume asks again.
func (s *Session) CutOff() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running == nil && s.cutOff()
}

func (s *Session) cutOff() bool {
	all := s.history.Messages()
	return s.resumed && s.open == nil && s.lastStop == "" && len(all) > 0 && all[len(all)-1].Role != model.Assistant
}

// Send sends the user's message to the model and returns all events until the model has answered and calls nothing more.
// The last event of the session is always Stopped and has the reason; the error is not nil only with it, when the reason is
// Failed. Events of sub-agents come in between, with ids of their own. Leaving the loop early cancels what runs.
func (s *Session) Send(ctx context.Context, parts ...model.Part) iter.Seq2[event.Event, error] {
	return s.run(ctx, func(r *run) error {
		switch {
		case s.open != nil:
			return ErrWaiting
		}
		if err := sendable(parts); err != nil {
			return err
		}
		return r.prompt(parts, 0)
	})
}

// sendable refuses a message of a user that has no content, or parts that no user sends.
func sendable(parts []model.Part) error {
	has := false
	for _, p := range parts {
		attached := p.Attachment()
		if attached && len(p.Data) == 0 || !attached && p.Kind != model.TextKind {
			return fmt.Errorf("a message cannot have a part of the kind %q without content", p.Kind)
		}
		has = has || attached || strings.TrimSpace(p.Text) != ""
	}
	if !has {
		return errors.New("a message needs a text, an image or a document")
	}
	return nil
}

// Resume continues a session that was suspended or cut off: calls that never ran are judged again, and their approvals are
// requested again unless Answer has answered them. Calls that may have run are not repeated. A message without an answer is
// sent again. It gives events as Send does.
func (s *Session) Resume(ctx context.Context) iter.Seq2[event.Event, error] {
	return s.run(ctx, func(r *run) error {
		if r.answered = s.open == nil && !s.cutOff(); r.answered && !s.SubAgents().Unfinished() {
			return errors.New("the session has nothing to resume")
		}
		return nil
	})
}

// Use gives an idle session another agent, such as one with another model. The journal records how the session runs then
// when its next turn begins. ErrBusy means that the session is at work.
func (s *Session) Use(a *Agent) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return ErrBusy
	}
	s.agent, s.started = a, false
	s.equip()
	return nil
}

// newMessage begins the count of what the user's message costs.
func (s *Session) newMessage() {
	s.requests, s.compactions, s.subAgents.wakes = 0, nil, 0
	s.openAccount()
}

// spend counts tokens in the session and in those above it.
func (s *Session) spend(u event.Usage) {
	for ; s != nil; s = s.parent {
		s.spent.add(u)
	}
}
