package tui

import (
	"strings"
	"testing"
	"time"

	"rein/guard"
)

// TestTheHintNamesKeysThatWork: with words in the line arrows move in them, so only Tab goes to the request.
func TestTheHintNamesKeysThatWork(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.working()
	s.question("1", "", guard.Request{Tool: "bash", Command: "make", Programs: []string{"make"}}, guard.Low)
	s.layout()
	s.clock = s.clock.Add(time.Second)
	for _, row := range []struct {
		key, hint string
		focused   bool
	}{{"n", "Tab goes to the request", false}, {"down", "Tab goes to the request", false}, {"backspace", "Tab or an arrow goes", false}, {"down", "Enter answers", true}} {
		s.press(row.key)
		s.clock = s.clock.Add(time.Second)
		if got := s.hintLine(); !strings.Contains(got, row.hint) || s.questions.Focused() != row.focused {
			t.Errorf("after %s: %q, at the request: %v", row.key, got, s.questions.Focused())
		}
	}
}
