package agent

import (
	"context"
	"errors"
	"iter"
	"slices"

	"rein/event"
	"rein/model"
)

// Part is a part of the loop of a session, for a program that does the parts on different machines. "" is the whole loop.
type Part string

// The parts.
const (
	Works Part = "work" // messages of the user, calls, hooks, and the end of a turn: what needs the workspace
	Asks  Part = "ask"  // requests to the model, and what makes room for them: no call runs, and no hook
)

// Stepping is one step of a turn: one part of the loop, up to where the other one begins.
type Stepping struct {
	Part Part
	// Messages are those of the user that the model has not got. The first one begins a turn where none is open. Queued has those
	// that the step left.
	Messages []Queued
	// Carried is what the step before gave: see Due.
	Carried Carried
	// Tell is what the model has to know before its next request, as that the workspace is another one; "": nothing.
	Tell string
}

// Carried is what a session knows in the middle of a turn beside what its journal has. It is plain data and may be stored as JSON.
type Carried struct {
	Message Amount    `json:"message,omitzero"` // spent for the last message of the user
	Session Amount    `json:"session,omitzero"` // spent for all
	Turn    turnState `json:"turn,omitzero"`
}

// turnState is what the loop remembers from one request of a turn to the next.
type turnState struct {
	Fallback    int  `json:"fallback,omitempty"`     // fallback models that took over
	Malformed   int  `json:"malformed,omitempty"`    // answers in a row that the provider could not read
	Misfit      bool `json:"misfit,omitempty"`       // an answer did not fit Agent.Output
	StopsDenied int  `json:"stops_denied,omitempty"` // how often in a row hooks did not let the session end
	Unapproved  bool `json:"unapproved,omitempty"`   // a call needed an approval, and nobody was there

	// Where hooks run elsewhere than compactions: see mayCompact.
	Compacts  string `json:"compacts,omitempty"`  // who wants one before the next request; then whether hooks allow it
	Compacted string `json:"compacted,omitempty"` // who wanted the last one, which hooks have not seen
}

// Due returns the part of the loop with which an idle session continues, and what the next step has to know; "": its turn is over, and a
// message begins the next one.
func (s *Session) Due() (Part, Carried) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return due(s), Carried{Message: s.spent.account().Spent(), Session: s.spent.session.Spent(), Turn: s.paused}
}

// Continues gives an idle session what the step before knew: Due needs it where that ended in the middle of a turn.
func (s *Session) Continues(c Carried) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = c.Turn
}

// due is the part that comes next. The session's mutex is held.
func due(s *Session) Part {
	all := s.history.Messages()
	switch {
	case s.open != nil, s.paused.asksHooks():
		return Works
	case len(s.subAgents.unfinished()) > 0 && (s.lastStop != "" || all[len(all)-1].Role == model.Assistant):
		return Works
	case s.lastStop != "" || len(all) == 0:
		return ""
	case all[len(all)-1].Role != model.Assistant:
		return Asks
	}
	return Works // what follows an answer
}

// Step continues a session by one part of its loop, as Resume and Send do it, so that another process, which loads the session from its
// journal, may do the next part. It gives events as Send does; where the turn is not over, the last one is not Stopped, and Due returns what
// comes next. Background sub-agents end or are suspended before a step does, unless they work elsewhere. A session that has no events yet is made by Start, any other one
// by Load: its journal then gets no further Started event.
func (s *Session) Step(ctx context.Context, o Stepping) iter.Seq2[event.Event, error] {
	s.mu.Lock()
	root(s).stepping = true
	s.mu.Unlock()
	return s.run(ctx, func(r *run) error { return step(r, o) })
}

// continues reports whether the session was begun by an earlier step: nobody is told again how it runs.
func continues(s *Session) bool {
	return s.resumed && root(s).stepping
}

// root is the user's session above a sub-agent's.
func root(s *Session) *Session {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// step begins a step.
func step(r *run, o Stepping) error {
	r.part, r.turnState, r.tells = o.Part, o.Carried.Turn, o.Tell
	r.unapproved.Store(o.Carried.Turn.Unapproved)
	r.spent.account().Count(beyond(o.Carried.Message, r.spent.account().Spent()))
	r.spent.session.Count(beyond(o.Carried.Session, r.spent.session.Spent()))
	r.mu.Lock()
	r.queue.messages = slices.Clone(o.Messages)
	part := due(r.Session)
	r.mu.Unlock()
	if part != "" {
		r.answered = part == Works && r.open == nil && !r.asksHooks()
		hooksOfCompaction(r)
		return nil
	}
	r.turnState = turnState{}
	r.unapproved.Store(false)
	m, ok := r.dequeue(true)
	if !ok {
		return errors.New("the turn of the session is over, and there is no message for another one")
	}
	r.task = max(r.task, m.Task)
	return r.prompt(m.Parts, m.Task)
}

// beyond is what a has more than b, of each kind.
func beyond(a, b Amount) Amount {
	return Amount{Tokens: max(a.Tokens-b.Tokens, 0), USD: max(a.USD-b.USD, 0), Time: max(a.Time-b.Time, 0), Calls: max(a.Calls-b.Calls, 0),
		Requests: max(a.Requests-b.Requests, 0), SubAgents: max(a.SubAgents-b.SubAgents, 0)}
}

// leaves is the error of a step whose turn continues with the other part.
type leaves struct{}

func (leaves) Error() string { return "the other part of the loop continues" }

// left reports whether a step ends here and the turn does not. What the turn remembers is kept for Due.
func left(r *run, err error) bool {
	if _, is := errors.AsType[leaves](err); !is {
		return false
	}
	if r.options.Elsewhere != nil { // they go on without this step
		r.background.cancel(leaves{})
	}
	r.endBackground(true)
	r.paused = r.turnState
	r.paused.Unapproved = r.unapproved.Load()
	return true
}

// Specs returns the tools as the model sees them from the beginning of the session: a process that only asks the model needs no more of them.
func (s *Session) Specs() []model.ToolSpec { return specs(s.tools.set) }
