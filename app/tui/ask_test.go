package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rein/app/harness"
	"rein/app/inbox"
	"rein/event"
	"rein/guard"
	"rein/tool"
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

// An answer that does not reach the server is in the line again where the request is shown again, all lines of it.
func TestAnAnswerThatDidNotArriveIsInTheLineAgain(t *testing.T) {
	two := &tool.Questions{List: []tool.Question{{Text: "Which way?", Choices: []tool.Choice{{Label: "Left"}}, Free: true}, {Text: "Which file?"}}}
	for name, row := range map[string]struct {
		shown guard.Request
		lines []string
	}{
		"a reason":            {guard.Request{Tool: "bash", Command: "make"}, []string{"use the other one"}},
		"an answer of lines":  {guard.Request{Tool: "ask_user", Questions: two}, []string{"1: mostly", "a.py"}},
		"a change of a call":  {guard.Request{Tool: "bash", Command: "make"}, []string{"make all"}},
		"a draft is kept too": {guard.Request{Tool: "bash", Command: "make"}, []string{"no"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, 80, 30, "turns: [{text: hello}]")
			row.shown.Call = "1"
			answers, reached := make(chan guard.Answer, 1), false
			r := &harness.Request{Request: inbox.Request{Session: s.session.ID(), Call: "1", Tool: row.shown.Tool, Time: s.clock, Shown: row.shown, Args: []byte(`{"command":"make"}`)}}
			r.Claim = func(a guard.Answer) (guard.Answer, error) {
				if !reached {
					return a, errors.New("connection refused")
				}
				return a, nil
			}
			asks := func() {
				go func() {
					if a, err := s.o.Person.Ask(t.Context(), r); err == nil {
						answers <- a
					}
				}()
				s.until("the request", func() bool { return s.questions.Len() > 0 })
				s.layout()
				s.clock = s.clock.Add(time.Second)
			}
			asks()
			if name == "a draft is kept too" {
				s.line.Set("a draft")
			}
			s.line.lend()
			s.questions.tell(s.questions.Open())
			s.questions.changing = name == "a change of a call"
			for i, l := range row.lines {
				if s.line.Insert(l); i == 0 || s.questions.telling != nil {
					s.clock = s.clock.Add(time.Second)
					s.runs(s.enter())
				}
			}
			s.until("the failure", func() bool { return len(s.questions.written) == 1 && s.questions.written[s.session.ID()+" 1"].lost })
			words := strings.Join(row.lines, "\n")
			if name == "a draft is kept too" { // it is in the line: the words come back with Up
				if s.line.Text() != "a draft" {
					t.Errorf("line %q", s.line.Text())
				}
				s.line.Up(80)
				if s.line.Text() != words {
					t.Errorf("line %q", s.line.Text())
				}
				return
			}
			reached = true
			asks()
			if s.line.Text() != words {
				t.Fatalf("line %q", s.line.Text())
			}
			s.runs(s.enter())
			a := s.answered(answers)
			if a.Words != "" && a.Words != words || a.Words == "" && a.Chosen == nil && !strings.Contains(a.Args, "make all") || len(s.questions.written) > 1 {
				t.Errorf("%+v", a)
			}
		})
	}
}

// What was written for a request that needs no answer any more is no message: it is set aside, with what the line said about it.
func TestWhatWasWrittenTooLateIsNoMessage(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.line.Set("a draft")
	s.question("1", "", guard.Request{Tool: "ask_user", Questions: &tool.Questions{Wait: 10, First: true,
		List: []tool.Question{{Text: "Which way?", Choices: []tool.Choice{{Label: "Left"}}, Free: true}, {Text: "Which file?"}}}}, guard.Low)
	shown := func() string {
		lines, _ := s.layout()
		return fmt.Sprint(lines)
	}
	if got := shown(); !strings.Contains(got, "10 s left") {
		t.Error(got)
	}
	s.clock = s.clock.Add(2500 * time.Millisecond)
	if got := shown(); !strings.Contains(got, "8 s left") {
		t.Error(got)
	}
	s.line.lend()
	s.questions.tell(s.questions.Open())
	s.line.Set("1: mostly")
	s.runs(s.enter())
	s.line.Insert("a.p")
	if got := s.hintLine(); !strings.Contains(got, "2. Which file?") {
		t.Errorf("%q", got)
	}
	s.gone(pendingGone{ID: s.session.ID() + " 1", By: "approved by the deadline"})
	if s.line.Text() != "a draft" || strings.Contains(s.hintLine(), "Which file?") || !strings.Contains(s.printed(), "too late: what you wrote for it was not sent. Up brings it back") {
		t.Errorf("line %q, hint %q: %s", s.line.Text(), s.hintLine(), s.printed())
	}
	if s.line.Up(80); s.line.Text() != "1: mostly\na.p" {
		t.Errorf("Up gives %q", s.line.Text())
	}
}

// A call whose request is answered, and that waits for an earlier one, does not wait for the user.
func TestAnApprovedCallThatWaitsForItsTurnIsNext(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.working()
	s.call("1", "bash", `{"command":"sleep 60"}`)
	for _, id := range []string{"2", "3"} {
		c := tool.Call{ID: id, Name: "bash", Args: []byte(`{"command":"make ` + id + `"}`)}
		s.give(event.Event{Kind: event.Called, Call: &c})
		s.give(event.Event{Kind: event.ApprovalRequested, Call: &c})
		s.question(id, "", guard.Request{Tool: "bash", Command: "make " + id}, guard.Low)
	}
	s.decide(s.questions.questions[0], guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), From: "terminal"})
	s.gone(pendingGone{ID: s.session.ID() + " 3", By: "approved by user (page)"})
	lines, _ := s.layout()
	if got := fmt.Sprint(lines); strings.Contains(got, "waits for you") || strings.Count(got, "next") != 2 {
		t.Error(got)
	}
}
