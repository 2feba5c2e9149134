// Package journaltest is a test suite for implementations of event.Journal.
package journaltest

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"rein/event"
	"rein/tool"
)

// Opened is a journal under test. Read gives its events in order, as a later process reads them.
type Opened struct {
	event.Journal
	Read func() ([]event.Event, error)
}

// Run runs the suite. open makes an empty journal for each test.
func Run(t *testing.T, open func(t *testing.T) Opened) {
	t.Run("what is appended is read back, whole and in order", func(t *testing.T) { keeps(t, open(t)) })
	t.Run("the events of one append stay together", func(t *testing.T) { together(t, open(t)) })
	t.Run("appends from many goroutines are all kept", func(t *testing.T) { parallel(t, open(t)) })
	t.Run("a synced event can be read when Append returns", func(t *testing.T) { synced(t, open(t)) })
	t.Run("events are numbered from 1 without a gap", func(t *testing.T) { numbered(t, open(t)) })
	t.Run("what happens to an event afterwards changes nothing", func(t *testing.T) { overwritten(t, open(t)) })
	t.Run("large and odd texts are kept", func(t *testing.T) { odd(t, open(t)) })
}

func appendAll(t *testing.T, j event.Journal, events ...event.Event) {
	t.Helper()
	if err := j.Append(events...); err != nil {
		t.Fatal(err)
	}
}

func texts(t *testing.T, o Opened) []string {
	t.Helper()
	events, err := o.Read()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, len(events))
	for i, e := range events {
		all[i] = e.Text
	}
	return all
}

func keeps(t *testing.T, o Opened) {
	want := event.Event{Kind: event.Replied, Time: time.Now().UTC(), Session: "s", Turn: 3, Parent: "p", Text: "words",
		Call: &tool.Call{ID: "1", Name: "x", Args: []byte(`{"a":1}`)}, Intent: &tool.Intent{Reads: []string{"a"}, Unknown: true},
		Result: &tool.Result{ID: "1", Name: "x", Text: "out", Failed: true, Kind: tool.TimedOut, Duration: time.Second, Cut: &tool.Cut{Lines: 1, Ref: "output://x"}}}
	appendAll(t, o, want)
	events, err := o.Read()
	if err != nil || len(events) != 1 {
		t.Fatalf("read %d events, %v", len(events), err)
	}
	got := events[0]
	if fmt.Sprint(*got.Call, *got.Intent, *got.Result.Cut) != fmt.Sprint(*want.Call, *want.Intent, *want.Result.Cut) ||
		got.Result.Text != want.Result.Text || got.Result.Duration != want.Result.Duration || !got.Time.Equal(want.Time) || got.Turn != 3 || got.Parent != "p" {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func together(t *testing.T, o Opened) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if err := o.Append(event.Event{Text: "a"}, event.Event{Text: "b"}, event.Event{Text: "c"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := strings.Join(texts(t, o), ""); got != strings.Repeat("abc", 160) {
		t.Errorf("the events of different appends are mixed: %.60s…", got)
	}
}

func parallel(t *testing.T, o Opened) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 25 {
				if err := o.Append(event.Event{Kind: event.Replied, Text: fmt.Sprintf("%d of %d", n, i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, text := range texts(t, o) {
		seen[text] = true
	}
	if len(seen) != 200 {
		t.Errorf("%d different events of 200", len(seen))
	}
}

func synced(t *testing.T, o Opened) {
	for i := range 5 {
		appendAll(t, o, event.Event{Kind: event.Called}, event.Event{Kind: event.Granted})
		if n := len(texts(t, o)); n != 2*(i+1) {
			t.Errorf("%d events, want %d", n, 2*(i+1))
		}
	}
}

func numbered(t *testing.T, o Opened) {
	var given []int64
	for range 4 {
		events := []event.Event{{Kind: event.Prompted}, {Kind: event.Notice}}
		appendAll(t, o, events...)
		given = append(given, events[0].Seq, events[1].Seq)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				if err := o.Append(event.Event{Kind: event.Notice}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	events, err := o.Read()
	if err != nil || len(events) != 48 {
		t.Fatalf("read %d events, %v", len(events), err)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d is read with the number %d", i+1, e.Seq)
		}
	}
	for i, n := range given {
		if n != int64(i+1) {
			t.Errorf("Append gave event %d the number %d", i+1, n)
		}
	}
}

func overwritten(t *testing.T, o Opened) {
	one := func() event.Event {
		return event.Event{Kind: event.Replied, Call: &tool.Call{ID: "1", Args: []byte(`{"a":1}`)}, Message: []byte(`{"m":1}`),
			Result: &tool.Result{ID: "1", Text: "out", Notes: []string{"note"}, Parts: []tool.Part{{Kind: tool.ImagePart, MediaType: "image/png", Data: []byte("data")}}}}
	}
	events, want := []event.Event{one()}, one()
	appendAll(t, o, events...)
	want.Seq, want.Format = events[0].Seq, events[0].Format
	if !reflect.DeepEqual(events[0], want) {
		t.Errorf("Append changed an event: %+v to %+v", want, events[0])
	}
	e := events[0]
	copy(e.Call.Args, `{"b":2}`)
	copy(e.Message, `{"n":2}`)
	e.Result.Text, e.Result.Notes[0] = "other", "other"
	copy(e.Result.Parts[0].Data, "atad")
	read, err := o.Read()
	if err != nil || len(read) != 1 || string(read[0].Call.Args) != `{"a":1}` || string(read[0].Message) != `{"m":1}` || !reflect.DeepEqual(read[0].Result, want.Result) {
		t.Errorf("read %+v, %v", read, err)
	}
}

func odd(t *testing.T, o Opened) {
	all := []string{"", "\n", "\x00\x1b", "\u2028<&>", strings.Repeat("x", 3<<20), `{"kind":"stopped"}`}
	for _, text := range all {
		appendAll(t, o, event.Event{Kind: event.Prompted, Text: text})
	}
	got := texts(t, o)
	for i, want := range all {
		if i >= len(got) || got[i] != want {
			t.Fatalf("text %d was not kept", i)
		}
	}
}
