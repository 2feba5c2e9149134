package api

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"rein/event"
)

// Frame is one message of the stream. It is built once and shared by all who receive it.
type Frame struct {
	Name    string // of the server-sent event
	Session string // whose event it is
	Seq     int64  // number of a recorded event; 0 for others
	Data    []byte // JSON

	// Latest names what the frame has all of: it takes the place of an older one that still waits, and is no lag, however large.
	Latest string
}

// Message makes a frame of a value.
func Message(name string, v any) Frame {
	data, err := json.Marshal(v)
	if err != nil { // only a type of ours that cannot be encoded
		panic(err)
	}
	return Frame{Name: name, Data: data}
}

// Limits of what a client may lag behind. A client that lags more is disconnected; it connects again with its cursor.
const (
	MaxFrames = 256
	MaxBytes  = 1 << 20
)

// MergeTime is how long pieces of live text are joined before they are sent.
const MergeTime = 25 * time.Millisecond

// Hub holds the topics. It may be used by several goroutines at once.
type Hub struct {
	mask func([]byte) []byte

	mu     sync.Mutex
	topics map[string]*topic
}

// NewHub makes a hub without topics. mask hides secrets in the JSON of events; nil: nothing is hidden.
func NewHub(mask func([]byte) []byte) *Hub {
	if mask == nil {
		mask = func(text []byte) []byte { return text }
	}
	return &Hub{mask: mask, topics: map[string]*topic{}}
}

type topic struct {
	hub         *Hub
	mu          sync.Mutex
	subscribers map[*Subscriber]bool
	live        *Live // of a session; nil before its first event
	merged      *event.Event
	flush       *time.Timer
}

// Subscriber receives the frames of its topics.
type Subscriber struct {
	Wake <-chan struct{}  // receives when there is something to take
	Gone <-chan struct{}  // closed when the subscriber lagged too far behind
	Live map[string]*Live // of each topic that is a session at work, as it was when the subscription began

	hub    *Hub
	topics []string
	wake   chan struct{} // one unseen wake is enough: the reader takes all frames
	gone   chan struct{}

	mu      sync.Mutex // guards what follows
	waiting []Frame
	bytes   int
	lost    bool // a frame did not fit
}

// locked returns a topic, made where there is none, with its mutex held. It takes the mutex while it holds the hub's, so that
// the topic is not removed in between.
func (h *Hub) locked(name string) *topic {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[name]
	if t == nil {
		t = &topic{hub: h, subscribers: map[*Subscriber]bool{}}
		h.topics[name] = t
	}
	t.mu.Lock()
	return t
}

// release gives the mutex of a topic back and removes the topic when nobody uses it.
func (h *Hub) release(name string, t *topic) {
	unused := len(t.subscribers) == 0 && t.live == nil
	t.mu.Unlock()
	if !unused {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.subscribers) == 0 && t.live == nil && h.topics[name] == t {
		delete(h.topics, name)
	}
}

// Subscribe begins to receive the frames of topics. Close it at the end.
func (h *Hub) Subscribe(topics ...string) *Subscriber {
	s := &Subscriber{wake: make(chan struct{}, 1), gone: make(chan struct{}), hub: h, topics: topics, Live: map[string]*Live{}}
	s.Wake, s.Gone = s.wake, s.gone
	for _, name := range topics {
		t := h.locked(name)
		t.send() // what is merged so far belongs to the snapshot, not to what follows it
		t.subscribers[s] = true
		if t.live != nil {
			s.Live[name] = t.live.copied(h.mask)
		}
		t.mu.Unlock()
	}
	return s
}

// Close ends the subscription.
func (s *Subscriber) Close() {
	for _, name := range s.topics {
		t := s.hub.locked(name)
		delete(t.subscribers, s)
		s.hub.release(name, t)
	}
}

// Take returns all frames that wait, in the order of what happened. It uses the memory of spare, which may be nil.
func (s *Subscriber) Take(spare []Frame) []Frame {
	clear(spare)
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.waiting
	s.waiting, s.bytes = spare[:0], 0
	return all
}

// give passes a frame on, or ends the subscriber when it lags. It gets nothing any more after a frame that it did not get: its
// cursor would pass over that one.
func (s *Subscriber) give(f Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost {
		return
	}
	if f.Latest != "" {
		s.waiting = slices.DeleteFunc(s.waiting, func(old Frame) bool { return old.Latest == f.Latest })
	} else {
		s.bytes += len(f.Data)
	}
	if s.bytes > MaxBytes || len(s.waiting) == MaxFrames {
		s.lost = true
		close(s.gone)
		return
	}
	s.waiting = append(s.waiting, f)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Publish gives a frame to all subscribers of a topic.
func (h *Hub) Publish(name string, f Frame) {
	t := h.locked(name)
	for s := range t.subscribers {
		s.give(f)
	}
	h.release(name, t)
}

// Event publishes an event of a session or of one of its sub-agents, to the topic of the session. Live text is joined for
// a moment.
func (h *Hub) Event(session string, e event.Event) {
	t := h.locked(session)
	defer t.mu.Unlock()
	if t.live == nil {
		t.live = &Live{Session: session, At: map[string]int64{}}
	}
	t.live.see(e)
	if t.merges(e) {
		return
	}
	t.send()
	t.frame(e)
}

// merges joins live text with the piece before it and reports whether the event waits to be sent; t.mu is held.
func (t *topic) merges(e event.Event) bool {
	if e.Kind != event.Delta && e.Kind != event.Thought && e.Kind != event.Output {
		return false
	}
	m := t.merged
	switch {
	case m == nil:
	case m.Kind == e.Kind && m.Session == e.Session && m.Turn == e.Turn && sameCall(m, &e) && m.Offset+int64(len(m.Text)) == e.Offset && len(m.Text) < 32<<10:
		m.Text += e.Text
		return true
	default:
		t.send()
	}
	t.merged = &e
	t.flush = time.AfterFunc(MergeTime, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.send()
	})
	return true
}

func sameCall(a, b *event.Event) bool {
	if a.Call == nil || b.Call == nil {
		return a.Call == b.Call
	}
	return a.Call.ID == b.Call.ID
}

// send sends the joined text; t.mu is held.
func (t *topic) send() {
	if t.merged == nil {
		return
	}
	e := *t.merged
	t.flush.Stop()
	t.merged = nil
	t.frame(e)
}

// frame sends an event; t.mu is held.
func (t *topic) frame(e event.Event) {
	if len(t.subscribers) == 0 {
		return
	}
	f, err := EventFrame(e)
	if err != nil {
		return // the journal has refused it already
	}
	f.Data = t.hub.mask(f.Data)
	for s := range t.subscribers {
		s.give(f)
	}
}

// EventFrame makes the frame of an event.
func EventFrame(e event.Event) (Frame, error) {
	line, err := e.Line(nil)
	if err != nil {
		return Frame{}, err
	}
	return Frame{Name: "event", Session: e.Session, Seq: e.Seq, Data: line[:len(line)-1]}, nil
}

// Ended forgets what is live of a session that is closed.
func (h *Hub) Ended(session string) {
	t := h.locked(session)
	t.send()
	t.live = nil
	h.release(session, t)
}
