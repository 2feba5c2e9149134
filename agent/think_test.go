package agent

import (
	"strings"
	"testing"

	"rein/event"
	"rein/model"
)

// TestThinkFirst: the model plans once for each message, cannot call anything in that answer, and then works.
func TestThinkFirst(t *testing.T) {
	f := newFixture(t, says("look, then change"), calls("do:1"), says("done"), says("only a word"), says("hello"))
	m := f.model
	f.ThinkFirst = true
	s := f.start()
	for range 2 {
		if _, _, err := drain(t, s.Send(t.Context(), model.Text("go"))); err != nil {
			t.Fatal(err)
		}
	}
	var choices []string
	for _, r := range m.asked {
		choices = append(choices, r.Choice)
		if len(r.Tools) != 3 {
			t.Errorf("a request has %d tools", len(r.Tools))
		}
	}
	if got := strings.Join(choices, ","); got != "none,,,none," {
		t.Errorf("choices %q", got)
	}
	if last := m.asked[1].Messages; len(last) != 4 || last[2].Text() != "look, then change" || !strings.Contains(last[3].Text(), "Now do it") {
		t.Errorf("the model acts on %v", last)
	}
}

// TestThinkFirstCallsAnyway: some servers do not keep a model from calling.
func TestThinkFirstCallsAnyway(t *testing.T) {
	f := newFixture(t, calls("do:1"), says("done"))
	f.ThinkFirst = true
	_, last, err := drain(t, f.start().Send(t.Context(), model.Text("go")))
	if err != nil || last.Stop != event.Done || len(f.model.asked) != 2 {
		t.Errorf("%v after %d requests, %v", last.Stop, len(f.model.asked), err)
	}
}
