package api

import (
	"context"
	"net/http"
	"time"
)

// WriteTime is how long a client may take to accept what is sent to it.
const WriteTime = 5 * time.Second

// Heartbeat is how often a message comes at least. A client that gets none for two of them connects again.
const Heartbeat = 15 * time.Second

const lookAgain = 2 * time.Second // whether who reads a stream may still see it

// Writer writes server-sent events.
type Writer struct {
	Cursor Cursor // what the client has; Write follows it

	w   http.ResponseWriter
	rc  *http.ResponseController
	buf []byte
}

// NewWriter begins a stream of server-sent events: it writes the head.
func NewWriter(w http.ResponseWriter, c Cursor) (*Writer, error) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &Writer{Cursor: c, w: w, rc: http.NewResponseController(w), buf: []byte("retry: 1000\n\n")}
	return s, s.Flush()
}

// Write adds a frame. An event that the client has already is left out.
func (s *Writer) Write(f Frame) error {
	if f.Seq > 0 {
		if f.Seq <= s.Cursor[f.Session] {
			return nil
		}
		s.Cursor[f.Session] = f.Seq
		s.buf = append(append(append(s.buf, "id: "...), s.Cursor.String()...), '\n')
	}
	s.buf = append(append(s.buf, "event: "...), f.Name...)
	s.buf = append(append(s.buf, "\ndata: "...), f.Data...)
	s.buf = append(s.buf, "\n\n"...)
	if len(s.buf) > 64<<10 {
		return s.Flush()
	}
	return nil
}

// Flush sends what was written. It fails when the client does not take it in WriteTime.
func (s *Writer) Flush() error {
	if err := s.rc.SetWriteDeadline(time.Now().Add(WriteTime)); err != nil {
		return err
	}
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	if err == nil {
		err = s.rc.Flush()
	}
	return err
}

// Follow sends what the subscriber receives until ctx or the server ends, or the client lags too far behind or does not accept
// what is sent, or may no longer see it: allowed is asked before each write, and every two seconds. All that waits is one write.
func (s *Writer) Follow(ctx context.Context, ending <-chan struct{}, sub *Subscriber, allowed func() bool) error {
	beat, look := time.NewTicker(Heartbeat), time.NewTicker(lookAgain)
	defer beat.Stop()
	defer look.Stop()
	var frames []Frame
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ending:
			return nil
		case <-sub.Gone:
			return nil
		case <-sub.Wake:
			frames = sub.Take(frames)
		case now := <-beat.C:
			frames = append(frames[:0], Message("ping", map[string]any{"time": now.UTC()}))
		case <-look.C:
			frames = frames[:0]
		}
		if !allowed() {
			return nil
		}
		if len(frames) == 0 {
			continue
		}
		for _, f := range frames {
			if err := s.Write(f); err != nil {
				return err
			}
		}
		if err := s.Flush(); err != nil {
			return err
		}
	}
}
