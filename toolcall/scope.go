package toolcall

import (
	"context"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// Scope is what belongs to one session, where a Runner is shared by all. The zero value is a session without an id
// that is not recorded; what guards remember is shared by all calls without an id.
type Scope struct {
	ID         string // in every event, and in what a grant is bound to
	Root       string // id of the user's session that the sub-agent works for, directly or not; "" when ID is the user's
	Parent     string // id of the session that started the sub-agent; "" in the user's session
	ParentCall string // id of the call in the parent session that the sub-agent serves
	Type       string // name of the kind of the sub-agent; "" in the user's session
	Depth      int    // 0 in the user's session, 1 in its sub-agents, …
	Turn       int    // of the events; 0 where turns are not counted

	// Journal takes the events before what they describe happens. Nil: nothing is recorded.
	Journal event.Journal
	// Watch sees every event, the live ones too, one at a time. It must not block for long. Nil: nobody watches.
	Watch func(event.Event)

	// Earlier has, by the ids of calls, what an earlier run of the same calls left: approval requests, and the results of
	// calls that a tool made (see tool.Reply.Run). It is for a session that was suspended and continues. It may be nil.
	Earlier map[string]Earlier
	// Take is asked before a tool makes calls, with their number: an error means that none of them runs. Nil: nobody counts.
	Take func(ctx context.Context, calls int) error
}

// Earlier is what was recorded of a call before the session was suspended.
type Earlier struct {
	Hash   string        // of an approval request, what an answer is bound to: see guard.Binding
	Answer *guard.Answer // nil: nobody has answered yet
	Edited []byte        // the arguments as the user changed them; nil: the request is for the call as the model sent it
	Result *tool.Result  // of a call that a tool made; nil: it has none
}

// root is the id of the user's session.
func (s *Scope) root() string {
	if s.Root != "" {
		return s.Root
	}
	return s.ID
}

// recorded reports whether anybody takes the events.
func (s *Scope) recorded() bool { return s.Journal != nil || s.Watch != nil }
