package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rein/app/harness"
	"rein/app/server/api"
	"rein/event"
	"rein/guard"
	"rein/journal"
)

// streamMessage is one message of the stream.
type streamMessage struct{ id, name, data string }

// openStream is an open stream.
type openStream struct {
	*served
	answer *http.Response
	lines  *bufio.Scanner
}

func (v *served) watch(query string, change ...func(*http.Request)) *openStream {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), "GET", v.url+"/v1/events?"+query, nil)
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+v.key)
	for _, c := range change {
		c(r)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	if answer.StatusCode != 200 {
		v.Fatal(answer.Status)
	}
	v.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 10<<20)
	return &openStream{v, answer, lines}
}

// The tabs of a browser share one stream: a session that there is not, or that the user may not see, ends none of it.
func TestAnUnknownSessionEndsNoStream(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	w := v.watch("watch=inbox,s:nothing,s:" + s.ID)
	unknown, events := "", 0
	for unknown == "" || events == 0 {
		m := w.next()
		switch m.name {
		case "":
			t.Fatal("the stream has ended")
		case "unknown":
			unknown = m.data
		case "event":
			events++
		}
	}
	if unknown != `{"session":"nothing"}` {
		t.Error(unknown)
	}
}

// next returns the next message; one without a name when the stream has ended.
func (w *openStream) next() (m streamMessage) {
	for w.lines.Scan() {
		key, value, _ := strings.Cut(w.lines.Text(), ": ")
		switch key {
		case "id":
			m.id = value
		case "event":
			m.name = value
		case "data":
			m.data = value
		case "":
			if m.name != "" {
				return m
			}
		}
	}
	return streamMessage{}
}

func (m streamMessage) event(t *testing.T) (e event.Event) {
	t.Helper()
	if err := json.Unmarshal([]byte(m.data), &e); err != nil {
		t.Fatal(err, m)
	}
	return e
}

// A client that is cut off anywhere, and connects again with the last cursor, has every event once and all of the text once.
func TestAClientThatConnectsAgainMissesNothing(t *testing.T) {
	text := strings.Repeat("words with an é and a 漢 in them. ", 30)
	v := newHome(t, "pace: 4ms\ndelta: 11\nturns: [{text: \""+text+"\", calls: [{name: bash, args: {command: \"for i in 1 2 3 4 5; do echo $i; sleep 0.02; done\"}}]}, {text: \""+text+"\"}]").start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	var seqs []int64
	cursor, live, turns := "", "", 0
	for connection := 0; ; connection++ {
		if connection > 300 {
			t.Fatal("the turn never ended")
		}
		w := v.watch("watch=s:"+s.ID, header("Last-Event-ID", cursor))
		done := false
		for n := 0; n < 4+connection%7 && !done; n++ {
			m := w.next()
			if m.id != "" {
				cursor = m.id
			}
			switch m.name {
			case "snapshot":
				var now api.Live
				if err := json.Unmarshal([]byte(m.data), &now); err != nil {
					t.Fatal(err)
				}
				live = ""
				for _, a := range now.Answers {
					live = a.Text
				}
			case "event":
				e := m.event(t)
				if e.Seq > 0 {
					seqs = append(seqs, e.Seq)
				}
				switch e.Kind {
				case event.Requested:
					live = ""
				case event.Delta:
					if int64(len(live)) != e.Offset {
						t.Fatalf("the text has %d bytes, the next piece begins at %d", len(live), e.Offset)
					}
					live += e.Text
				case event.Responded:
					turns++
					if e.Text != strings.TrimSpace(text) && e.Text != text {
						t.Errorf("another text: %q", e.Text)
					}
				case event.Stopped:
					done = true
				}
			}
		}
		w.answer.Body.Close()
		if done {
			break
		}
	}
	for i, n := range seqs {
		if n != int64(i+1) {
			t.Fatalf("the events came as %v", seqs)
		}
	}
	if turns != 2 {
		t.Errorf("%d answers", turns)
	}
}

// Two clients see a request at once, and who answered it.
func TestAllClientsSeeWhoAnswered(t *testing.T) {
	v := newHome(t, asksOnce).start()
	one, two := v.watch("watch=inbox,sessions"), v.watch("watch=inbox,sessions")
	ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := v.pending()
	ask[api.Answered](v, "POST", "/v1/inbox/"+r.Session+"/"+r.Call, api.Answer{Choice: "approved", Hash: r.Hash})
	for _, w := range []*openStream{one, two} {
		shown, named, gone := false, false, false
		for !gone || !named {
			m := w.next()
			switch {
			case m.name == "":
				t.Fatal("the stream ended")
			case m.name == "inbox" && strings.Contains(m.data, r.Call):
				shown = true
			case m.name == "inbox" && shown:
				gone = true
			case m.name == "answered" && strings.Contains(m.data, r.Call) && strings.Contains(m.data, `"by":"user"`):
				named = true
			}
		}
	}
}

// A request of a session that another program runs is in the inbox, and goes with the name of who answered it there.
func TestAnAnswerInAnotherProgramHasAName(t *testing.T) {
	v := newHome(t, asksOnce).start()
	w := v.watch("watch=inbox")
	other, err := harness.Open(t.Context(), harness.Options{Dir: v.home.dir, Dirs: v.home.dirs, Terms: harness.Terms{Model: "script/" + v.home.script, Sandbox: "off"}, Unattended: harness.Wait})
	if err != nil {
		t.Fatal(err)
	}
	s, err := other.Start(t.Context(), harness.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	var turn sync.WaitGroup
	turn.Go(func() {
		for _, err := range s.Send(t.Context(), harness.Message("go")...) {
			if err != nil {
				t.Error(err)
			}
		}
	})
	await := func(what string, is func(m streamMessage) bool) {
		for m := w.next(); !is(m); m = w.next() {
			if m.name == "" {
				t.Fatal("the stream ended before", what)
			}
		}
	}
	await("the request", func(m streamMessage) bool { return m.name == "inbox" && strings.Contains(m.data, s.ID()) })
	r := v.pending()
	begun := time.Now()
	if _, err := other.Inbox().Answer(r.Session, r.Call, r.Hash, guard.Answer{Choice: guard.Denied, By: guard.ByPerson("mei"), From: "terminal", Words: "not now"}); err != nil {
		t.Fatal(err)
	}
	await("the end of the request", func(m streamMessage) bool { return m.name == "inbox" && !strings.Contains(m.data, r.Call) })
	await("the name", func(m streamMessage) bool {
		return m.name == "answered" && strings.Contains(m.data, `"by":"user mei"`) && strings.Contains(m.data, `"choice":"denied"`)
	})
	t.Log("the client saw the answer after", time.Since(begun))
	turn.Wait()
	if err := errors.Join(s.Close(t.Context()), other.Close(t.Context())); err != nil {
		t.Error(err)
	}
}

// An answer reaches the other clients at once: within 100 ms where nothing else keeps the machine busy.
func TestAnAnswerReachesOthersAtOnce(t *testing.T) {
	v := newHome(t, asksOnce).start()
	ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := v.pending()
	w := v.watch("watch=inbox")
	for m := w.next(); m.name != "inbox"; m = w.next() {
		if m.name == "" {
			t.Fatal("the stream ended")
		}
	}
	begun := time.Now()
	ask[api.Answered](v, "POST", "/v1/inbox/"+r.Session+"/"+r.Call, api.Answer{Choice: "approved", Hash: r.Hash})
	for m := w.next(); m.name != "inbox" || strings.Contains(m.data, r.Call); m = w.next() {
		if m.name == "" {
			t.Fatal("the stream ended")
		}
	}
	took := time.Since(begun)
	t.Log("the other client saw the answer after", took)
	if took > 20*time.Second {
		t.Error("it took", took)
	}
}

// A client that missed too much gets the last page, and is told so.
func TestALongSessionBeginsWithItsLastPage(t *testing.T) {
	var script strings.Builder
	script.WriteString("turns:\n")
	for i := range 40 {
		script.WriteString("  - calls: [")
		for j := range 5 {
			fmt.Fprintf(&script, "{name: glob, args: {pattern: x%d.%d}},", i, j)
		}
		script.WriteString("]\n")
	}
	script.WriteString("  - text: end\n")
	v := newHome(t, script.String()).start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	v.state(s.ID, api.Idle)
	all := ask[api.Events](v, "GET", "/v1/sessions/"+s.ID+"/events?limit=2000", nil)
	w := v.watch("watch=s:" + s.ID)
	count, first := 0, int64(0)
	for m := w.next(); m.name != "snapshot"; m = w.next() {
		switch m.name {
		case "reset":
			var r struct {
				First int64
				Start event.Start
			}
			if err := json.Unmarshal([]byte(m.data), &r); err != nil {
				t.Fatal(err)
			}
			if first = r.First; r.Start.Mode != "supervised" || r.Start.Dir != v.home.dir {
				t.Errorf("how the session runs before that is %+v", r.Start)
			}
		case "event":
			if count++; count == 1 && m.event(t).Seq != first {
				t.Error("the first event is not the one that was announced")
			}
		}
	}
	if count != api.LastPage || first != int64(len(all.Events)-api.LastPage+1) {
		t.Errorf("%d events from %d, of %d", count, first, len(all.Events))
	}
	page := ask[api.Events](v, "GET", "/v1/sessions/"+s.ID+"/events?limit=10&before="+jsonNumber(first), nil)
	if len(page.Events) != 10 || page.Events[9].Seq != first-1 || !page.More {
		t.Error("the page before:", len(page.Events), page.More)
	}
}

func jsonNumber(n int64) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// Who sees that an approval is requested finds the request in the inbox, and can answer it.
func TestARequestThatIsSeenIsInTheInbox(t *testing.T) {
	v := newHome(t, "turns: [{calls: [{name: bash, args: {command: 'git push'}}], repeat: 20}]").unlimited().start()
	for i := range 10 {
		s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: fmt.Sprint("go ", i)})
		w := v.watch("watch=s:" + s.ID)
		for m := w.next(); ; m = w.next() {
			if m.name == "" {
				t.Fatal("the stream has ended")
			}
			if m.name != "event" {
				continue
			}
			if e := m.event(t); e.Kind == event.ApprovalRequested {
				got := ask[api.Answered](v, "POST", "/v1/inbox/"+s.ID+"/"+e.Call.ID, api.Answer{Choice: "denied", Hash: e.Grant.Hash})
				if !got.Mine {
					t.Errorf("%+v", got)
				}
				break
			}
		}
		w.answer.Body.Close()
	}
}

// A request of a session whose journal was deleted is not shown, and cannot be approved: nothing would run.
func TestARequestWithoutAJournalIsGone(t *testing.T) {
	h := newHome(t, "turns: [{calls: [{name: bash, args: {command: 'git push'}}]}]")
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := v.pending()
	v.stop()
	if err := os.Remove(filepath.Join(h.dirs.Sessions, s.ID, journal.FileName)); err != nil {
		t.Fatal(err)
	}
	v = h.start()
	if all := ask[api.Requests](v, "GET", "/v1/inbox", nil); len(all.Requests) != 0 {
		t.Errorf("%+v", all)
	}
	if status, text := v.request("POST", "/v1/inbox/"+s.ID+"/"+r.Call, `{"choice":"approved","hash":"`+r.Hash+`"}`); status != 404 && status != 409 {
		t.Error(status, text)
	}
}
