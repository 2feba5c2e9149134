package api

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/tool"
)

// A list of requests, however large, takes the place of the one before it, and nobody is disconnected for it.
func TestALargeListIsNoLag(t *testing.T) {
	h := NewHub(nil)
	s := h.Subscribe("inbox")
	defer s.Close()
	large := [2][]byte{bytes.Repeat([]byte{'0'}, 2*MaxBytes), bytes.Repeat([]byte{'1'}, 2*MaxBytes)}
	for i := range 2 * MaxFrames {
		h.Publish("inbox", Frame{Name: "inbox", Latest: "inbox", Data: large[i%2]})
	}
	h.Publish("inbox", Frame{Name: "answered"})
	got := s.Take(nil)
	if len(got) != 2 || got[0].Data[0] != '1' || got[1].Name != "answered" {
		t.Errorf("%d frames", len(got))
	}
	select {
	case <-s.Gone:
		t.Error("it is disconnected")
	default:
	}
}

// A client that lags is disconnected, by number and by size. What it got has no gap, so that it continues after its cursor.
func TestAClientThatLagsGetsNoGap(t *testing.T) {
	for _, row := range []struct {
		name, text string
		events     int
	}{
		{"too many events", "x", MaxFrames + 10},
		{"too many bytes", strings.Repeat("x", MaxBytes/10), 20},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := NewHub(nil)
			slow, quick := h.Subscribe("s"), h.Subscribe("s")
			got, last := 0, int64(0)
			take := func(s *Subscriber) {
				for _, f := range s.Take(nil) {
					if s == quick {
						got++
					} else if last++; f.Seq != last {
						t.Fatalf("event %d comes after %d", f.Seq, last-1)
					}
				}
			}
			seq := int64(0)
			publish := func() {
				seq++
				h.Event("s", event.Event{Kind: event.Prompted, Session: "s", Seq: seq, Text: row.text})
				take(quick)
			}
			for range row.events {
				publish()
			}
			take(slow) // it reads again, too late: there is room, but an event is lost
			for range 3 {
				publish()
			}
			take(slow)
			select {
			case <-slow.Gone:
			default:
				t.Error("the slow client is still there")
			}
			select {
			case <-quick.Gone:
				t.Error("the quick client is gone")
			default:
			}
			if got != int(seq) || last == 0 || last >= seq {
				t.Errorf("the quick client got %d of %d events, the slow one %d", got, seq, last)
			}
			slow.Close()
			quick.Close()
			h.Ended("s")
			if len(h.topics) != 0 {
				t.Error(fmt.Sprint("topics without users stay: ", len(h.topics)))
			}
		})
	}
}

// deadlines is an answer to a client that notes how long each part may take.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// Each part of a stream must be accepted in time: a client that does not read is cut off.
func TestEachPartOfAStreamHasATime(t *testing.T) {
	d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	begun := time.Now()
	w, err := NewWriter(d, Cursor{})
	for range 2 {
		if err == nil {
			err = errors.Join(w.Write(Message("ping", 1)), w.Flush())
		}
	}
	if err != nil || len(d.set) != 3 || d.set[2].Before(begun.Add(WriteTime)) || d.set[2].After(time.Now().Add(WriteTime)) {
		t.Errorf("%v, %v", d.set, err)
	}
}

// A reader that takes only when it is woken gets every frame, in order, whatever it does meanwhile.
func TestEveryFrameWakesTheReader(t *testing.T) {
	h := NewHub(nil)
	s := h.Subscribe("s")
	const all = 5000
	room := make(chan struct{}, MaxFrames/2) // as many frames may wait, so that the reader never lags too far
	go func() {
		for seq := range int64(all) {
			room <- struct{}{}
			h.Publish("s", Frame{Session: "s", Seq: seq + 1})
		}
	}()
	var frames []Frame
	for last := int64(0); last < all; {
		select {
		case <-s.Wake:
		case <-s.Gone:
			t.Fatal("the reader is gone after", last)
		case <-time.After(time.Minute):
			t.Fatal("nothing wakes the reader after", last)
		}
		frames = s.Take(frames)
		for _, f := range frames {
			if f.Seq != last+1 {
				t.Fatalf("frame %d comes after %d", f.Seq, last)
			}
			last = f.Seq
			<-room
		}
	}
	s.Close()
}

// What is not in the journal reaches a client that connects later too: the notices since the last request, and no secret.
func TestALateClientGetsWhatIsLive(t *testing.T) {
	h := NewHub(func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("hunter2"), []byte("***")) })
	call := &tool.Call{ID: "c", Name: "bash"}
	for _, e := range []event.Event{
		{Kind: event.Requested, Seq: 1},
		{Kind: event.Notice, Text: "of an earlier request"},
		{Kind: event.Requested, Seq: 2},
		{Kind: event.Notice, Seq: 3, Text: "recorded"},
		{Kind: event.Notice, Text: "overloaded; trying again in 2s (1 of 5), hunter2"},
		{Kind: event.Delta, Text: "void"},
		{Kind: event.Restarted, Text: "the line broke"},
		{Kind: event.Thought, Text: "hun"}, {Kind: event.Thought, Text: "ter2"},
		{Kind: event.Delta, Text: "it is hunter2"},
		{Kind: event.Output, Call: call, Text: "hunter2\n"},
	} {
		e.Session = "s"
		h.Event("s", e)
	}
	now := h.Subscribe("s").Live["s"]
	var notices []string
	for _, e := range now.Notices {
		notices = append(notices, string(e.Kind)+" "+e.Text)
	}
	if got := strings.Join(notices, "|"); got != "notice overloaded; trying again in 2s (1 of 5), ***|restarted the line broke" {
		t.Error(got)
	}
	if a, o := now.Answers[0], now.Outputs[0]; a.Text != "it is ***" || a.Thought != "***" || o.Text != "***\n" {
		t.Errorf("%+v %+v", a, o)
	}
	for range 3 * keptNotices {
		h.Event("s", event.Event{Kind: event.Notice, Session: "s"})
	}
	if n := len(h.Subscribe("s").Live["s"].Notices); n != keptNotices {
		t.Error(n, "notices are kept")
	}
	h.Event("s", event.Event{Kind: event.Stopped, Session: "s", Seq: 4})
	if n := len(h.Subscribe("s").Live["s"].Notices); n != 0 {
		t.Error(n, "notices outlive the turn")
	}
}
