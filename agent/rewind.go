package agent

import (
	"fmt"

	"rein/event"
	"rein/model"
)

// mark is the conversation before a message of the user, for a user who goes back to it.
type mark struct {
	messages []*model.Message
	last     string
}

// mark notes the conversation before a message of the user. A later step that replaces messages makes a new slice, so the
// noted one stays as it is.
func (p *past) mark(e event.Event) {
	p.marks[e.Seq] = mark{p.messages[:len(p.messages):len(p.messages)], p.last}
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
	p.messages, p.open, p.requests, p.children = to.messages, nil, nil, nil
	p.last, p.ended, p.damaged = to.last, "", false
	p.spent, p.asks = 0, 0
}
