package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rein/app/client"
	"rein/event"
)

// What of an answer does not come live comes with its recorded event. So it is where a worker on another machine writes it, is killed, or the
// connection is away. "live 5 text" is a piece, "recorded text" the answer, "snapshot text" what is live when a connection begins.
func TestTheRestOfAnAnswerComesWithIt(t *testing.T) {
	for name, row := range map[string]struct{ came, want string }{
		"all came":                      {"snapshot|asked|live 0 one |live 4 two|recorded one two", "one two."},
		"the end is missing":            {"snapshot|asked|live 0 one |recorded one two", "one two."},
		"nothing came":                  {"snapshot|asked|recorded one two", "one two."},
		"the middle is missing":         {"snapshot|asked|live 0 one|live 6 three|recorded one twothree", "onethree(again)one twothree."},
		"it is asked for again":         {"snapshot|asked|live 0 one t|asked|live 0 one |recorded one two", "one t(again)one two."},
		"it is recorded without a call": {"snapshot|asked|live 0 one <call>|recorded one", "one <call>."},
		"the user stopped it":           {"snapshot|asked|live 0 one |stopped one two", "one ."},
		"it was before the connection":  {"asked|recorded one two|snapshot|asked|recorded three", ".three."},
		"it has begun before":           {"asked|snapshot one |recorded one two", "one two."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := followed(t, row.came); got != row.want {
				t.Errorf("it is %q and not %q", got, row.want)
			}
		})
	}
}

// followed is what a client shows of what a server sends.
func followed(t *testing.T, came string) (shown string) {
	messages := "event: hello\ndata: {}\n\n"
	for i, one := range strings.Split(came, "|") {
		word, text, _ := strings.Cut(one, " ")
		name, data := "event", ""
		switch word {
		case "snapshot":
			name, data = "snapshot", `{"session":"s1"}`
			if text != "" {
				data = fmt.Sprintf(`{"session":"s1","answers":[{"session":"s1","turn":1,"text":%q}]}`, text)
			}
		case "asked":
			data = fmt.Sprintf(`{"kind":"request","session":"s1","seq":%d}`, i+1)
		case "live":
			offset, text, _ := strings.Cut(text, " ")
			data = fmt.Sprintf(`{"kind":"delta","session":"s1","offset":%s,"text":%q}`, offset, text)
		case "recorded":
			data = fmt.Sprintf(`{"kind":"response","session":"s1","seq":%d,"text":%q}`, i+1, text)
		case "stopped":
			data = fmt.Sprintf(`{"kind":"response","session":"s1","seq":%d,"text":%q,"stop":"cancelled"}`, i+1, text)
		}
		messages += "event: " + name + "\ndata: " + data + "\n\n"
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, messages, "event: event\ndata: {\"kind\":\"stopped\",\"session\":\"s1\",\"seq\":99}\n\n")
	}))
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for e, err := range (&client.Client{URL: s.URL}).Events(ctx, "s1") {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case event.Delta:
			shown += e.Text
		case event.Restarted:
			shown += "(again)"
		case event.Responded:
			shown += "."
		case event.Stopped:
			return shown
		}
	}
	return shown
}

// TestTheLiveTextOfASubAgentIsNotTheSessions: who comes while a sub-agent writes gets its text as that of the sub-agent, also where nothing of it came
// before.
func TestTheLiveTextOfASubAgentIsNotTheSessions(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "event: hello\ndata: {}\n\n",
			"event: event\ndata: {\"kind\":\"prompt\",\"session\":\"known\",\"parent\":\"s1\",\"parent_call\":\"c1\"}\n\n",
			`event: snapshot`+"\ndata: "+`{"session":"s1","answers":[{"session":"s1","text":"mine"},{"session":"known","text":"its"},{"session":"new","text":"other"}]}`+"\n\n",
			"event: event\ndata: {\"kind\":\"stopped\",\"session\":\"s1\",\"seq\":99}\n\n")
	}))
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	want := map[string][2]string{"s1": {"", ""}, "known": {"s1", "c1"}, "new": {"s1", ""}}
	texts := 0
	for e, err := range (&client.Client{URL: s.URL}).Events(ctx, "s1") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == event.Stopped {
			break
		}
		if e.Kind != event.Delta {
			continue
		}
		texts++
		if got := [2]string{e.Parent, e.ParentCall}; got != want[e.Session] {
			t.Errorf("%s: %q, want %q", e.Session, got, want[e.Session])
		}
	}
	if texts != 3 {
		t.Errorf("%d texts", texts)
	}
}
