package stream

import (
	"fmt"
	"strings"
	"testing"

	"rein/event"
)

// A client that lags is disconnected, by number and by size. What it got has no gap, so that it goes on after its cursor.
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
			take := func(s *Subscriber) bool {
				select {
				case f := <-s.Frames:
					s.Taken(f)
					if s == quick {
						got++
					} else if last++; f.Seq != last {
						t.Fatalf("event %d comes after %d", f.Seq, last-1)
					}
					return true
				default:
					return false
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
			for range 3 { // it reads again, too late: there is room, but an event is lost
				take(slow)
			}
			for range 3 {
				publish()
			}
			for take(slow) {
			}
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
