package agent

import (
	"context"
	"iter"
	"sync"
	"time"

	"rein/event"
	"rein/model"
)

// stream takes the events of a run to the watcher and to the loop over Send. They come from other goroutines too, those of running
// calls and of background sub-agents; only the goroutine of the run shows them. After the run, what an abandoned tool still gives
// is dropped.
type stream struct {
	watch  func(event.Event)             // nil: nobody watches
	yield  func(event.Event, error) bool // to the caller of Send
	left   bool                          // the caller left the loop
	cancel context.CancelFunc            // of the run, when the caller leaves

	ready  chan struct{} // has room for one: there is something to look at
	mu     sync.Mutex    // guards what follows
	room   sync.Cond
	queue  []event.Event
	closed bool
}

// mostQueued is how many events may wait. Calls wait then. A background sub-agent never waits for its parent, which may wait
// for a part of the budget that the sub-agent holds: its live events are dropped instead.
const mostQueued = 1024

func newStream(watch func(event.Event), yield func(event.Event, error) bool, cancel context.CancelFunc) *stream {
	s := &stream{watch: watch, yield: yield, cancel: cancel, ready: make(chan struct{}, 1)}
	s.room.L = &s.mu
	return s
}

// give adds an event from any goroutine. background is that of a sub-agent that nobody waits for.
func (s *stream) give(e event.Event, background bool) {
	s.mu.Lock()
	for len(s.queue) >= mostQueued && !background && !s.closed {
		s.room.Wait()
	}
	if !s.closed && (len(s.queue) < mostQueued || !e.Kind.Live()) {
		s.queue = append(s.queue, e)
	}
	s.mu.Unlock()
	s.poke()
}

// poke lets the run look what there is.
func (s *stream) poke() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.room.Broadcast()
}

// drain shows what has come.
func (s *stream) drain() {
	s.mu.Lock()
	all := s.queue
	s.queue = nil
	s.room.Broadcast()
	s.mu.Unlock()
	for _, e := range all {
		s.show(e)
	}
}

// drainUntil shows what comes until something is done.
func (s *stream) drainUntil(done <-chan struct{}) {
	for {
		select {
		case <-s.ready:
			s.drain()
		case <-done:
			s.drain()
			return
		}
	}
}

// show gives an event to the watcher and the caller; when the caller leaves the loop, what runs is cancelled.
func (s *stream) show(e event.Event) {
	s.notify(e)
	if !s.left && !s.yield(e.Clone(), nil) {
		s.left = true
		s.cancel()
	}
}

// last shows the last event of the run.
func (s *stream) last(e event.Event, err error) {
	s.notify(e)
	if !s.left {
		s.yield(e.Clone(), err)
	}
}

// notify gives an event to the watcher. One that panics changes nothing.
func (s *stream) notify(e event.Event) {
	defer func() { _ = recover() }()
	if s.watch != nil {
		s.watch(e.Clone())
	}
}

// between reads an answer in a goroutine of its own, so that what background sub-agents do is shown while the model thinks.
func (s *stream) between(chunks iter.Seq2[model.Chunk, error]) iter.Seq2[model.Chunk, error] {
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
			case <-s.ready:
				s.drain()
			case p, more := <-pieces:
				if !more || !yield(p.Chunk, p.error) {
					return
				}
			}
		}
	}
}

// recorder is the session's journal during a run. Each event is shown before the next one is recorded, so that events come
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

// Record adds an event about the session that did not come from its loop, such as a review of a call. The caller of a run sees
// it. It may be called at any time.
func (s *Session) Record(e event.Event) error {
	e.Time, e.Session = time.Now(), s.options.ID
	if r := s.current(); r != nil {
		return r.recorder.Append(e)
	}
	return event.Append(s.options.Journal, e)
}

// record writes an event to the journal and returns it to the caller. seq is the number that the journal gave it.
func (r *run) record(e event.Event) (seq int64, err error) {
	events := []event.Event{e}
	r.stamp(&events[0])
	err = r.recorder.Append(events...)
	r.events.drain()
	return events[0].Seq, err
}

// live shows an event that is not recorded.
func (r *run) live(e event.Event) {
	r.stamp(&e)
	r.events.drain()
	r.events.show(e)
}

// notice shows a text to the user.
func (r *run) notice(text string) { r.live(event.Event{Kind: event.Notice, Text: text}) }

// stamp says when and where an event happens.
func (s *Session) stamp(e *event.Event) {
	e.Time, e.Turn, e.Session, e.Parent, e.ParentCall = time.Now(), s.turn, s.options.ID, s.options.Parent, s.options.ParentCall
}
