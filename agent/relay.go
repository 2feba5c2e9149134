package agent

import (
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"rein/event"
	"rein/model"
)

// relay takes events from other goroutines, those of running calls and of background sub-agents, to the goroutine of the
// session: the only one that may yield. After the turn, what an abandoned tool still gives is dropped.
type relay struct {
	ready  chan struct{} // has room for one: there is something to look at
	denied atomic.Bool   // a sub-agent's call needed an approval and no person was connected

	mu     sync.Mutex
	room   sync.Cond
	queue  []event.Event
	closed bool
}

// mostQueued is how many events may wait. Calls wait then. A background sub-agent never waits for its parent, which may wait
// for a part of the budget that the sub-agent holds: its live events are dropped instead.
const mostQueued = 1024

func newRelay() *relay {
	r := &relay{ready: make(chan struct{}, 1)}
	r.room.L = &r.mu
	return r
}

// give adds an event. background is that of a sub-agent that nobody waits for.
func (r *relay) give(e event.Event, background bool) {
	r.mu.Lock()
	for len(r.queue) >= mostQueued && !background && !r.closed {
		r.room.Wait()
	}
	if !r.closed && (len(r.queue) < mostQueued || !e.Kind.Live()) {
		r.queue = append(r.queue, e)
	}
	r.mu.Unlock()
	r.poke()
}

// poke lets the session look what there is.
func (r *relay) poke() {
	select {
	case r.ready <- struct{}{}:
	default:
	}
}

func (r *relay) take() []event.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.queue
	r.queue = nil
	r.room.Broadcast()
	return all
}

func (r *relay) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.room.Broadcast()
}

// drain yields what has come.
func (w *work) drain() {
	for _, e := range w.relay.take() {
		w.emit(e)
	}
}

// recorder is the session's journal during a turn. Each event is shown before the next one is recorded, so that events come
// in the order of their numbers: a client that has seen a number has seen all before it.
type recorder struct {
	mu      sync.Mutex
	journal event.Journal // nil: nothing is recorded
	show    func(event.Event)
}

// Append records the events and shows them.
func (r *recorder) Append(events ...event.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := event.Append(r.journal, events...); err != nil {
		return err
	}
	for _, e := range events {
		r.show(e)
	}
	return nil
}

// Record adds an event about the session that did not come from its loop, such as a review of a call. The caller of a turn at work sees it. It
// may be called at any time.
func (s *Session) Record(e event.Event) error {
	e.Time, e.Session = time.Now(), s.o.ID
	s.mu.Lock()
	w := s.now
	s.mu.Unlock()
	if w == nil {
		return s.append([]event.Event{e})
	}
	return w.recorder.Append(e)
}

// pumped reads an answer in a goroutine of its own, so that what background sub-agents do is shown while the model thinks.
func (w *work) pumped(chunks iter.Seq2[model.Chunk, error]) iter.Seq2[model.Chunk, error] {
	type piece struct {
		model.Chunk
		error
	}
	return func(yield func(model.Chunk, error) bool) {
		pieces, stop := make(chan piece), make(chan struct{})
		var reader sync.WaitGroup
		reader.Go(func() {
			defer close(pieces)
			for c, err := range chunks {
				select {
				case pieces <- piece{c, err}:
				case <-stop:
					return
				}
			}
		})
		defer reader.Wait()
		defer close(stop)
		for {
			select {
			case <-w.relay.ready:
				w.drain()
			case p, more := <-pieces:
				if !more || !yield(p.Chunk, p.error) {
					return
				}
			}
		}
	}
}
