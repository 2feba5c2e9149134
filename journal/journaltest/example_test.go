package journaltest_test

import (
	"sync"
	"testing"

	"rein/event"
	"rein/journal/journaltest"
)

// inMemory is a journal that keeps events in memory.
type inMemory struct {
	mu     sync.Mutex
	events []event.Event
}

func (m *inMemory) Append(events ...event.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range events {
		events[i].Seq = int64(len(m.events) + 1)
		m.events = append(m.events, events[i].Clone())
	}
	return nil
}

// The suite checks a journal of your own.
func Example() {
	_ = func(t *testing.T) { // TestMyJournal
		journaltest.Run(t, func(*testing.T) journaltest.Opened {
			m := &inMemory{}
			return journaltest.Opened{Journal: m, Read: func() ([]event.Event, error) { return m.events, nil }}
		})
	}
	// Output:
}

func TestTheJournalOfTheExamplePasses(t *testing.T) {
	journaltest.Run(t, func(*testing.T) journaltest.Opened {
		m := &inMemory{}
		return journaltest.Opened{Journal: m, Read: func() ([]event.Event, error) { return m.events, nil }}
	})
}
