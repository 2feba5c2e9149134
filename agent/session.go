package agent

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"rein/agent/budget"
	"rein/agent/compact"
	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/tool"
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

	Day        *budget.Account // of all sessions of a day; nil: no limits
	Root       string          // id of the user's session, in the session of a sub-agent
	Parent     string          // id of the session that started this one, in the session of a sub-agent
	ParentCall string          // id of the call in Parent that this session serves
	Depth      int             // 0 in the user's session, 1 in its sub-agents, …
	Agent      string          // the kind of agent, in the session of a sub-agent
}

// Session is one conversation of an agent. One Send or Resume runs at a time; the methods that only read may be called
// at any time.
type Session struct {
	agent  *Agent
	o      SessionOptions
	parent *Session         // nil: the user's session
	tools  tool.Set         // the runner's, and those of the team
	specs  []model.ToolSpec // of tools, then those that came later in their order: see offer
	broken error            // the session cannot run

	// Only the Send or Resume at work changes these, history, ledger and open with mu held.
	started bool // the journal knows how the session runs
	greeted bool // hooks have seen the start of the session
	resumed bool
	turn    int             // requests so far
	asks    int             // requests for the last message of the user
	ended   event.Stop      // how the last turn ended
	last    string          // the last answer
	notices []string        // for the user, at the next turn
	history compact.History // what the model gets
	ledger  compact.Ledger  // what survives a compaction
	fitting
	open *openTurn // calls of the last answer that have no result yet
	task int64     // number of the event in the parent's session that has the last task; only of a sub-agent

	mu       sync.Mutex // guards what follows
	now      *work      // the Send or Resume that is at work; nil: none
	closing  bool       // it ends, and takes no further messages
	usage    event.Usage
	account  *budget.Account // of the last message of the user, or the part of a sub-agent
	whole    *budget.Account // of the session; nil in a sub-agent's
	requests []*request
	inner    map[string]inner // by id
	children []*child         // its sub-agents
	slots    chan struct{}    // of sub-agents at work
	wakes    int              // reports that woke the model since the user's last message

	queue     []Queued
	queuedIDs int
	hints     []string // of the program, for the next request
}

// openTurn is an answer of the model whose calls are not all done.
type openTurn struct {
	asked   *model.Message
	seq     int64                  // of its event
	results map[string]tool.Result // of the calls that are done, by id
	lost    []string               // of these, the calls whose result is that the outcome is unknown, and is not recorded yet
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
	s := &Session{agent: a, o: o, parent: parent}
	s.ledger.Read = a.Facts
	s.tools, s.broken = s.allTools()
	s.specs = specs(s.tools)
	return s
}

// attached are the images and documents of a result, for the model. Its links are in the text.
func attached(r tool.Result) (parts []model.Part) {
	for _, p := range r.Parts {
		switch p.Kind {
		case tool.ImagePart:
			parts = append(parts, model.Part{Kind: model.ImageKind, ID: r.ID, MediaType: p.MediaType, Data: p.Data})
		case tool.DocumentPart:
			parts = append(parts, model.Part{Kind: model.DocumentKind, ID: r.ID, MediaType: p.MediaType, Data: p.Data, Name: p.Name})
		}
	}
	return parts
}

// ID returns the id of the session.
func (s *Session) ID() string { return s.o.ID }

// Usage returns the tokens of the session and its sub-agents so far.
func (s *Session) Usage() event.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage
}

// Messages returns the conversation as the model gets it: what a compaction replaced is only in the journal. The messages are
// shared and must not be changed.
func (s *Session) Messages() []*model.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history.Messages()
}

// add adds a message, and the calls in it that are to be run. seq is the number of its event.
func (s *Session) add(m *model.Message, seq int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history.Add(m, seq)
	if len(m.Calls()) > 0 {
		s.open = &openTurn{asked: m, seq: seq, results: map[string]tool.Result{}}
	}
}

// close ends the open turn with the results that it has.
func (s *Session) close() {
	var results []model.Part
	for _, p := range s.open.asked.Calls() {
		if r, ok := s.open.results[p.ID]; ok {
			results = append(append(results, model.Result(p.ID, r.Text, r.Failed)), attached(r)...)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(results) > 0 {
		s.history.Add(model.Answer(s.open.asked, results...), s.open.seq)
	}
	s.open = nil
}

// Waiting reports whether calls of the last answer have not run: the session was suspended or cut off, and Resume
// continues it. The same holds for background sub-agents. While the session is at work it reports false.
func (s *Session) Waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now == nil && (s.open != nil || len(s.unfinished()) > 0)
}

// CutOff reports whether the process ended while the model was asked: the last message has no answer, and nothing says why the
// turn ended. Resume asks again.
func (s *Session) CutOff() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now == nil && s.cutOff()
}

func (s *Session) cutOff() bool {
	all := s.history.Messages()
	return s.resumed && s.open == nil && s.ended == "" && len(all) > 0 && all[len(all)-1].Role != model.Assistant
}

// Send sends the user's message to the model and returns all events until the model has answered and calls nothing more.
// The last event of the session is always Stopped and has the reason; the error is not nil only with it, when the reason is
// Failed. Events of sub-agents come in between, with ids of their own. Leaving the loop early cancels what runs.
func (s *Session) Send(ctx context.Context, parts ...model.Part) iter.Seq2[event.Event, error] {
	return s.loop(ctx, func(w *work) error {
		switch {
		case s.open != nil:
			return ErrWaiting
		case len(parts) == 0:
			return errors.New("a message needs at least one part")
		}
		return w.prompt(parts, 0)
	})
}

// Resume continues a session that was suspended or cut off: calls that never ran are judged again, and their approvals are
// requested again unless Answer has answered them. Calls that may have run are not repeated. A message without an answer is
// sent again. It gives events as Send does.
func (s *Session) Resume(ctx context.Context) iter.Seq2[event.Event, error] {
	return s.loop(ctx, func(w *work) error {
		if w.resting = s.open == nil && !s.cutOff(); w.resting && !s.Unfinished() {
			return errors.New("the session has nothing to resume")
		}
		return nil
	})
}

func (s *Session) loop(ctx context.Context, begin func(*work) error) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		w := &work{Session: s, ctx: ctx, cancel: cancel, yield: yield, relay: newRelay()}
		w.recorder = &recorder{journal: s.o.Journal, show: func(e event.Event) {
			w.track(e)
			w.relay.give(e, true)
		}}
		if !s.begin(w) {
			yield(event.Event{Kind: event.Stopped, Session: s.o.ID, Stop: event.Failed, Text: ErrBusy.Error(), Time: time.Now()}, ErrBusy)
			return
		}
		defer s.end()
		if s.account == nil {
			s.newAccount()
		}
		err := w.start()
		if err == nil {
			err = w.greet()
		}
		if err == nil {
			err = begin(w)
		}
		defer w.timed()()
		w.background, w.dismiss = context.WithCancel(w.ctx)
		defer w.dismiss()
		if err == nil {
			w.restart()
			err = w.turns()
		}
		w.stop(err)
	}
}

// begin reports whether nothing was at work in the session; w is then.
func (s *Session) begin(w *work) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil {
		return false
	}
	s.now, s.closing = w, false
	return true
}

func (s *Session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.relay.close()
	s.now = nil
}

// calls is the session as its runner sees it.
func (s *Session) calls() toolcall.Session {
	return toolcall.Session{ID: s.o.ID, Root: s.o.Root, Parent: s.o.Parent, ParentCall: s.o.ParentCall, Type: s.o.Agent, Depth: s.o.Depth, Turn: s.turn, Journal: s.o.Journal}
}

// spend counts tokens in the session and in those above it.
func (s *Session) spend(u event.Usage) {
	for ; s != nil; s = s.parent {
		s.mu.Lock()
		s.usage = s.usage.Plus(u)
		s.mu.Unlock()
	}
}
