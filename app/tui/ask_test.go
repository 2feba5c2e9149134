package tui

import (
	"fmt"
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

// On the lowest screen, too, a request is approved only when its command was on it: else Enter shows all of it.
func TestALowScreenApprovesNothingThatItDoesNotShow(t *testing.T) {
	for _, width := range []int{20, 80} {
		for height := 4; height < 20; height++ {
			s := newStage(t, width, height, "turns: [{text: hello}]")
			answers := s.question("1", "", guard.Request{Tool: "bash", Command: "git push", Reason: "git: publishes work"}, guard.Low)
			shown, _ := s.layout()
			s.clock = s.clock.Add(time.Second)
			s.press("tab")
			s.clock = s.clock.Add(time.Second)
			s.press("enter")
			switch shows := strings.Contains(fmt.Sprint(shown), "git push"); {
			case !shows && (s.screen == nil || len(answers) > 0):
				t.Errorf("%d by %d: %d answers to a request that was not shown", width, height, len(answers))
			case shows && s.questions.Len() > 0:
				t.Errorf("%d by %d: it is not approved", width, height)
			}
		}
	}
}
