package block

import (
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/tool"
)

func TestCallsOfSubAgentsAreTheirOwn(t *testing.T) {
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	call := func(session, name string) event.Event {
		return event.Event{Kind: event.Called, Session: session, Time: now, Call: &tool.Call{ID: "1", Name: name}}
	}
	starts := func(session, child string) event.Event {
		return event.Event{Kind: event.SubAgentStarted, Session: session, Child: child, Call: &tool.Call{ID: "1"}, SubAgent: &event.SubAgent{Agent: child}}
	}
	var l Live
	for _, e := range []event.Event{call("main", "agent"), starts("main", "review"), call("review", "look"), starts("review", "count"), call("count", "grep"),
		{Kind: event.Responded, Session: "review", Usage: &event.Usage{Input: 900, Cost: 0.02}}} {
		l.Take(e)
	}
	var got []string
	for _, line := range l.Lines("main", ASCII(), 60, now) {
		got = append(got, strings.TrimRight(line.String(), " "))
	}
	want := []string{"  * agent", "      1 call, 900 tokens, $0.02", "    * look", "        1 call, 0 tokens", "      * grep"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if ended := l.Take(event.Event{Kind: event.Replied, Session: "review", Call: &tool.Call{ID: "1"}}); ended.Name != "look" || l.Running("") != 2 {
		t.Errorf("%q has ended, %d run", ended.Name, l.Running(""))
	}
	l.Take(event.Event{Kind: event.SubAgentStopped, Session: "main", Child: "review"})
	if l.Agent("review") != "" || l.Agent("count") != "count" {
		t.Error("the wrong sub-agent has stopped")
	}
}

// What the model reads of a denial is not for the user, but the reason is. Ctrl+O opens all.
func TestADenialShowsItsReason(t *testing.T) {
	rows := []struct{ text, want string }{
		{"Error: The user denied this call.\nDo not try the same in another way.", ""},
		{"Error: The user denied this call: use make", "The user denied this call: use make"},
		{"Error: rm: removes the home directory\nUse another directory.", "rm: removes the home directory"},
		{"Error: \nUse another directory.", ""},
	}
	for _, row := range rows {
		r := Result{Call: tool.Call{Name: "bash", Args: []byte(`{"command":"rm x"}`)}, Result: tool.Result{Kind: tool.Denied, Failed: true, Text: row.text}, Open: "Ctrl+O"}
		lines := r.Lines(Unicode(), 80)
		got := ""
		if len(lines) > 1 {
			got = strings.TrimSpace(lines[1].String())
		}
		if got != row.want || len(lines) > 2 || !strings.Contains(lines[0].String(), "denied") {
			t.Errorf("%q, want %q: %v", got, row.want, lines)
		}
		if whole := r.Whole(Unicode(), 80); len(whole) < 2 {
			t.Errorf("%v", whole)
		}
	}
}

func TestBar(t *testing.T) {
	for _, row := range []struct {
		used int
		want string
	}{{0, "....."}, {50, "##..."}, {100, "#####"}, {200, "#####"}} {
		if got := ASCII().Bar(row.used, 100, 5).String(); got != row.want {
			t.Errorf("%d: %q", row.used, got)
		}
	}
}

// A sub-agent whose call has ended works in the background: it is shown as long as it works.
func TestASubAgentInTheBackgroundIsShown(t *testing.T) {
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	call := &tool.Call{ID: "1", Name: "agent"}
	var l Live
	for _, e := range []event.Event{
		{Kind: event.Called, Session: "main", Time: now, Call: call},
		{Kind: event.SubAgentStarted, Session: "main", Child: "a", Time: now, Call: call, SubAgent: &event.SubAgent{Agent: "explore", Task: "look around\nwell"}},
		{Kind: event.Replied, Session: "main", Time: now, Call: call},
		{Kind: event.Called, Session: "a", Time: now, Call: &tool.Call{ID: "1", Name: "look"}},
	} {
		l.Take(e)
	}
	shown := func() string {
		var got []string
		for _, line := range l.Lines("main", ASCII(), 60, now) {
			got = append(got, strings.TrimRight(line.String(), " "))
		}
		return strings.Join(got, "\n")
	}
	if want := "  * agent explore: look around (+1 lines)\n      1 call, 0 tokens\n    * look"; shown() != want {
		t.Errorf("%s", shown())
	}
	if l.Take(event.Event{Kind: event.Replied, Session: "a", Call: &tool.Call{ID: "1"}}); l.Empty() {
		t.Error("nothing seems to be at work while the sub-agent thinks")
	}
	if l.Take(event.Event{Kind: event.SubAgentStopped, Session: "main", Child: "a"}); shown() != "" || !l.Empty() {
		t.Errorf("shown after its end: %s", shown())
	}
}
