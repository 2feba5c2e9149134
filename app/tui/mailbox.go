package tui

import (
	"strings"
	"sync"
	"time"

	"rein/event"
)

// mailbox takes what happens in the session from its goroutines, so that a slow terminal never stops the agent. Pieces of
// one text are joined, and of a tool's output only the end is kept: it stays small however long nobody takes from it.
type mailbox struct {
	mu    sync.Mutex
	items []any         // events, pieces of a text, messages of our own
	ready chan struct{} // has something while there are items
}

// newMailbox returns an empty mailbox.
func newMailbox() *mailbox { return &mailbox{ready: make(chan struct{}, 1)} }

// kept is how much of a running tool's output is kept for the screen, in bytes.
const kept = 4 << 10

// Put adds an event or a message of our own.
func (m *mailbox) Put(item any) {
	m.mu.Lock()
	if e, ok := item.(event.Event); !ok || !m.join(e) {
		m.items = append(m.items, item)
	}
	m.mu.Unlock()
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

// pieces are the live events of one text that came since the last frame. The text grows in place: an answer may come much
// faster than it is shown.
type pieces struct {
	event.Event
	text strings.Builder
}

// join adds a live event to an earlier one of the same text.
func (m *mailbox) join(e event.Event) bool {
	switch e.Kind {
	case event.Delta, event.Thought:
		if n := len(m.items); n > 0 {
			if last, ok := m.items[n-1].(*pieces); ok && last.Kind == e.Kind && last.Session == e.Session {
				last.text.WriteString(e.Text)
				return true
			}
		}
		p := &pieces{Event: e}
		p.text.WriteString(e.Text)
		m.items = append(m.items, p)
		return true
	case event.Output:
		for i := len(m.items) - 1; i >= 0; i-- {
			if last, ok := m.items[i].(event.Event); ok && last.Kind == e.Kind && last.Call != nil && e.Call != nil && last.Call.ID == e.Call.ID {
				last.Text = tail(last.Text+e.Text, kept)
				m.items[i] = last
				return true
			}
		}
	}
	return false
}

// tail is the end of a text.
func tail(s string, most int) string { return s[max(len(s)-most, 0):] }

// Take returns all items and empties the box.
func (m *mailbox) Take() []any {
	m.mu.Lock()
	defer m.mu.Unlock()
	items := m.items
	m.items = nil
	for i, item := range items {
		if p, ok := item.(*pieces); ok {
			p.Text = p.text.String()
			items[i] = p.Event
		}
	}
	return items
}

// frame is how often the screen takes new text: faster than a person reads.
const frame = 33 * time.Millisecond

// Deliver calls send whenever there are items, at most one for each frame, until done is closed.
func (m *mailbox) Deliver(send func(), done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-m.ready:
			send()
		}
		select {
		case <-done:
			return
		case <-time.After(frame):
		}
	}
}
