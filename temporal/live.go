package temporal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unicode/utf8"

	"rein/event"
	"rein/journal"
)

// Live is a Store that also tells at once what happens. Nothing of that is kept: who was not there reads the events of the sessions.
type Live interface {
	// Show passes a live event on: what a model writes, and what running calls write.
	Show(ctx context.Context, e event.Event) error
	// Watch gives what happens in all sessions from now on, until ctx ends. The first one is empty: now has begun. An error ends it; something
	// may be missed then.
	Watch(ctx context.Context) iter.Seq2[Happened, error]
}

// Happened is something that happens in a session.
type Happened struct {
	Session string
	Live    *event.Event // nil: events were recorded
}

// joinedFor is how long live text is joined before it is shown, and mostShown how much may wait, in bytes.
const (
	joinedFor = 150 * time.Millisecond
	mostShown = 1 << 20
	showTime  = 5 * time.Second
)

// showing passes the live events of a process on, joined for a moment. What is too much, or cannot be passed on, is left out: the
// journal has the whole text later.
type showing struct {
	live Live

	sending sync.Mutex // held while events are passed on, which keeps their order
	mu      sync.Mutex
	waiting []event.Event
	size    int
}

// watching is what sees the events of the steps: Worker.Watch, and who watches the store. flush passes on what waits.
func (w Worker) watching() (watch func(event.Event), flush func()) {
	live, ok := w.Store.(Live)
	if !ok {
		return w.Watch, func() {}
	}
	s := &showing{live: live}
	return func(e event.Event) {
		if e.Kind.Live() {
			s.take(e)
		}
		if w.Watch != nil {
			w.Watch(e)
		}
	}, s.send
}

func (s *showing) take(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size += len(e.Text); s.size > mostShown {
		return
	}
	if n := len(s.waiting); n > 0 && follows(s.waiting[n-1], e) {
		s.waiting[n-1].Text += e.Text
		return
	}
	if s.waiting = append(s.waiting, e); len(s.waiting) == 1 {
		time.AfterFunc(joinedFor, s.send)
	}
}

// follows reports whether a piece of live text continues another one.
func follows(a, e event.Event) bool {
	sameCall := a.Call == nil && e.Call == nil || a.Call != nil && e.Call != nil && a.Call.ID == e.Call.ID
	return e.Text != "" && a.Kind == e.Kind && a.Session == e.Session && a.Turn == e.Turn && sameCall && a.Offset+int64(len(a.Text)) == e.Offset
}

func (s *showing) send() {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.mu.Lock()
	all := s.waiting
	s.waiting, s.size = nil, 0
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), showTime)
	defer cancel()
	for _, e := range all {
		if s.live.Show(ctx, e) != nil {
			return
		}
	}
}

// Pieces are lines with a live event, each of at most so many bytes, with the parts of its text; none where that cannot be.
func Pieces(e event.Event, most int) (lines [][]byte) {
	line, err := e.Line(nil)
	switch {
	case err != nil:
		return nil
	case len(line) <= most:
		return [][]byte{line}
	case len(e.Text) < 2*utf8.UTFMax:
		return nil
	}
	half := len(e.Text) / 2
	for !utf8.RuneStart(e.Text[half]) {
		half--
	}
	first, rest := e, e
	first.Text, rest.Text, rest.Offset = e.Text[:half], e.Text[half:], e.Offset+int64(half)
	return append(Pieces(first, most), Pieces(rest, most)...)
}

// liveName is the file in which Files has what happens now: lines with a live event, or with the id of a session that has new events. It begins
// again when it is long.
const (
	liveName = ".live.jsonl"
	mostLive = 8 << 20
)

func (f Files) tell(line []byte) error {
	file, err := os.OpenFile(filepath.Join(f.Dir, liveName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(f.Mask.Bytes(line))
	if info, statErr := file.Stat(); statErr == nil && info.Size() > mostLive {
		err = errors.Join(err, file.Truncate(0))
	}
	return errors.Join(err, file.Close())
}

// toldLog is a journal whose readers are told when it grows.
type toldLog struct {
	*journal.File
	told func()
}

// Append appends, and tells of it. Who is not told looks by himself after a while.
func (l toldLog) Append(events ...event.Event) error {
	err := l.File.Append(events...)
	l.told()
	return err
}

// Show implements Live.
func (f Files) Show(_ context.Context, e event.Event) error {
	line, err := e.Line(nil)
	if err == nil {
		err = f.tell(line)
	}
	return err
}

// recorded tells that a session has new events.
func (f Files) recorded(session string) {
	line, _ := json.Marshal(event.Event{Session: session}) // it is encodable
	_ = f.tell(append(line, '\n'))                         // who is not told looks by himself
}

// Watch implements Live.
func (f Files) Watch(ctx context.Context) iter.Seq2[Happened, error] {
	return func(yield func(Happened, error) bool) {
		name := filepath.Join(f.Dir, liveName)
		at := int64(0)
		if info, err := os.Stat(name); err == nil {
			at = info.Size()
		}
		for more := yield(Happened{}, nil); more; {
			text, next, err := newLines(name, at)
			if err != nil {
				yield(Happened{}, err)
				return
			}
			at = next
			for line := range bytes.Lines(text) {
				if h, ok := happened(line); ok && !yield(h, nil) {
					return
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(journal.FollowInterval):
			}
		}
	}
}

// newLines reads the whole lines behind a place of a file, which may have begun again.
func newLines(name string, at int64) (text []byte, next int64, err error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, at, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, at, err
	}
	if info.Size() < at {
		at = 0
	}
	if text, err = io.ReadAll(io.NewSectionReader(file, at, info.Size()-at)); err != nil {
		return nil, at, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	return text, at + int64(len(text)), nil
}

func happened(line []byte) (h Happened, ok bool) {
	var e event.Event
	if e.Parse(line) != nil || e.Session == "" {
		return h, false
	}
	if h.Session = e.Session; e.Kind.Live() {
		h.Live = &e
	}
	return h, true
}
