package agent

import (
	"fmt"

	"rein/agent/compact"
	"rein/event"
)

// mark is the conversation before a message of the user, for a user who goes back to it.
type mark struct {
	history compact.History
	last    string
}

// mark notes the conversation before a message of the user.
func (p *past) mark(e event.Event) {
	p.marks[e.Seq] = mark{p.history.Clone(), p.last}
}

// rewind takes the conversation back to before a message of the user. What guards remember and what was spent stays.
func (p *past) rewind(e event.Event) {
	to, ok := p.marks[e.At]
	if !ok {
		p.notices = append(p.notices, fmt.Sprintf("the session was rewound to message %d, which cannot be read: the conversation is kept as it was", e.At))
		return
	}
	for seq := range p.marks {
		if seq >= e.At {
			delete(p.marks, seq)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.history, p.open, p.requests, p.children = to.history, nil, nil, nil
	p.last, p.ended, p.damaged = to.last, "", false
	p.asks = 0
}
