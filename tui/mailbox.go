package tui

import (
	"sync"
	"time"

	"rein/event"
)

// mailbox takes what happens in the session from its goroutines, so that a slow terminal never stops the agent. Pieces of
// one text are joined, and of a tool's output only the end is kept: it stays small however long nobody takes from it.
type mailbox struct {
	mu    sync.Mutex
	items []any
	ready chan struct{} // has something while there are items
}

func newMailbox() *mailbox { return &mailbox{ready: make(chan struct{}, 1)} }

// keptOutput is how much of a running tool's output is kept for the screen, in bytes.
const keptOutput = 4 << 10

// put adds an event or a message of our own.
func (m *mailbox) put(item any) {
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

// join adds a live event to an earlier one of the same text.
func (m *mailbox) join(e event.Event) bool {
	switch e.Kind {
	case event.Delta, event.Thought:
		if n := len(m.items); n > 0 {
			if last, ok := m.items[n-1].(event.Event); ok && last.Kind == e.Kind && last.Session == e.Session {
				last.Text += e.Text
				m.items[n-1] = last
				return true
			}
		}
	case event.Output:
		for i := len(m.items) - 1; i >= 0; i-- {
			if last, ok := m.items[i].(event.Event); ok && last.Kind == e.Kind && last.Call != nil && e.Call != nil && last.Call.ID == e.Call.ID {
				last.Text = tail(last.Text+e.Text, keptOutput)
				m.items[i] = last
				return true
			}
		}
	}
	return false
}

// tail is the end of a text.
func tail(s string, most int) string { return s[max(len(s)-most, 0):] }

// take gives all items and empties the box.
func (m *mailbox) take() []any {
	m.mu.Lock()
	defer m.mu.Unlock()
	items := m.items
	m.items = nil
	return items
}

// frame is how often the screen takes new text: faster than a person reads.
const frame = 33 * time.Millisecond

// drained asks the program to take what is in the mailbox.
type drained struct{}

// deliver sends the program a message whenever there are items, at most one for each frame, until done is closed.
func (m *mailbox) deliver(send func(drained), done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-m.ready:
			send(drained{})
		}
		select {
		case <-done:
			return
		case <-time.After(frame):
		}
	}
}
