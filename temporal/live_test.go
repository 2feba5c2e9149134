package temporal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"rein/event"
	"rein/tool"
)

// Live text that is too long for one message is told in parts that fit, with their places.
func TestPieces(t *testing.T) {
	for name, text := range map[string]string{"short": "a", "letters": strings.Repeat("word ", 9000), "signs of four bytes": strings.Repeat("😀", 9000), "escapes": strings.Repeat("\x01\"", 9000)} {
		t.Run(name, func(t *testing.T) {
			e := event.Event{Kind: event.Delta, Session: "s1", Turn: 1, Text: text, Offset: 10}
			got := ""
			for _, line := range Pieces(e, 7900) {
				var one event.Event
				if err := one.Parse(line); err != nil || len(line) > 7900 || one.Offset != int64(10+len(got)) || !utf8.ValidString(one.Text) || one.Turn != 1 {
					t.Fatalf("%d bytes at %d: %v", len(line), one.Offset, err)
				}
				got += one.Text
			}
			if got != text {
				t.Errorf("%d bytes of %d", len(got), len(text))
			}
		})
	}
	if all := Pieces(event.Event{Kind: event.Preparing, Session: strings.Repeat("s", 9000)}, 7900); all != nil {
		t.Errorf("%d pieces of what cannot be parted", len(all))
	}
}

// told is what a store tells of, as text.
func told(ctx context.Context, s Live, begun chan<- bool, to chan<- string) {
	for h, err := range s.Watch(ctx) {
		switch {
		case err != nil:
			to <- err.Error()
		case h.Session == "":
			begun <- true
		case h.Live != nil:
			to <- fmt.Sprint(h.Session, " ", h.Live.Kind, " ", h.Live.Offset, " ", h.Live.Text)
		default:
			to <- h.Session
		}
	}
	close(to)
}

// What happens is told in its order to all who watch, also when the file begins again; a secret is hidden.
func TestWhatHappensIsTold(t *testing.T) {
	f := Files{Dir: t.TempDir()}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	begun, to := make(chan bool, 1), make(chan string, 10)
	go told(ctx, f, begun, to)
	<-begun
	log, err := f.Open(ctx, "s1")
	if err != nil {
		t.Fatal(err)
	}
	next := func(want string) {
		t.Helper()
		if got := <-to; got != want {
			t.Errorf("%q and not %q", got, want)
		}
	}
	token := "ghp_" + "Zk3vQ9xLm2Tb7Wc5Rd8Ny1Hf4Js6Pa0UeGiO"
	err = errors.Join(log.Append(event.Event{Kind: event.Requested, Session: "s1"}), f.Show(ctx, event.Event{Kind: event.Delta, Session: "s1", Text: "it is " + token}))
	if err != nil {
		t.Fatal(err)
	}
	next("s1")
	if got := <-to; !strings.HasPrefix(got, "s1 delta 0 it is ") || strings.Contains(got, token) {
		t.Error(got)
	}
	if err := os.Truncate(filepath.Join(f.Dir, liveName), 0); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond) // readers look every 50 ms
	if err := log.Append(event.Event{Kind: event.Stopped, Session: "s1"}); err != nil {
		t.Fatal(err)
	}
	next("s1")
	cancel()
	if _, ok := <-to; ok {
		t.Error("it goes on")
	}
}

// Live text is joined for a moment, and what is too much is left out; recorded events are not told twice.
func TestLiveTextIsJoined(t *testing.T) {
	f := Files{Dir: t.TempDir()}
	seen := 0
	watch, _ := Worker{Store: f, Watch: func(event.Event) { seen++ }}.watching()
	text := ""
	for _, part := range []string{"one ", "two ", "three"} {
		watch(event.Event{Kind: event.Delta, Session: "s1", Turn: 1, Text: part, Offset: int64(len(text))})
		text += part
	}
	watch(event.Event{Kind: event.Responded, Session: "s1", Seq: 3, Text: text})
	watch(event.Event{Kind: event.Output, Session: "s1", Call: &tool.Call{ID: "c1"}, Text: "x"})
	watch(event.Event{Kind: event.Output, Session: "s1", Call: &tool.Call{ID: "c2"}, Text: strings.Repeat("x", mostShown)})
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		got, _ := os.ReadFile(filepath.Join(f.Dir, liveName))
		if strings.Count(string(got), "\n") == 2 && strings.Contains(string(got), `"text":"one two three"`) && seen == 6 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d seen, and told:\n%.500s", seen, got)
		}
	}
}

// The end of a live text is told before the answer that is recorded with it: who watches has no use for it later.
func TestLiveTextComesBeforeWhatIsRecorded(t *testing.T) {
	f := Files{Dir: t.TempDir()}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	begun, to := make(chan bool, 1), make(chan string, 10)
	go told(ctx, f, begun, to)
	<-begun
	log, err := f.Open(ctx, "s1")
	if err != nil {
		t.Fatal(err)
	}
	watch, flush := Worker{Store: f}.watching()
	h := &held{Log: log, flush: flush}
	child, err := h.child(ctx, f, "s2")
	for _, one := range []struct {
		session string
		log     event.Journal
	}{{"s1", h}, {"s2", child}} {
		watch(event.Event{Kind: event.Delta, Session: one.session, Text: "all of it"})
		err = errors.Join(err, one.log.Append(event.Event{Kind: event.Responded, Session: one.session, Text: "all of it"}))
		for _, want := range []string{one.session + " delta 0 all of it", one.session} {
			if got := <-to; got != want {
				t.Errorf("%q and not %q", got, want)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
