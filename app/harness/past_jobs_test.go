package harness

import (
	"context"
	"strings"
	"testing"

	"rein/model"
)

// Who continues a session reads which background jobs ended with the program that ran them, and so does the model; once. A job whose end the
// model was told is not named.
func TestJobsThatEndedWithTheProgramAreTold(t *testing.T) {
	var warned []string
	h := inFolder(t, nil, Options{Trust: true, Warn: func(line string) { warned = append(warned, line) }})
	h.options.Mode = "full"
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, `turns:
  - calls: [{name: bash, args: {command: "sleep 1000; echo  dev", background: true}}]
  - calls: [{name: bash, args: {command: sleep 2000, background: true}}]
  - calls: [{name: job_output, args: {job: job1}}]
  - calls: [{name: job_kill, args: {job: job2}}]
  - text: ok
`)})
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "start it")
	for again, want := range []bool{true, false} {
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		warned = nil
		var asked []*model.Request
		if s, err = h.Resume(t.Context(), s.ID(), NewSession{Model: listening{scripted(t, "turns: [{text: ok, repeat: 99}]"), &asked}}); err != nil {
			t.Fatal(err)
		}
		user := strings.Join(warned, "\n")
		say(t, s, "go on")
		told := ""
		for _, m := range asked[0].Messages {
			if strings.Contains(m.Text(), "ended with it") {
				told += m.Text()
			}
		}
		if got := strings.Contains(user, "job1 ended with the program that ran it: sleep 1000; echo dev"); got != want || strings.Contains(user, "job2") {
			t.Errorf("resumed %d times, the user reads %q", again+1, user)
		}
		if strings.Count(told, "job1 (sleep 1000; echo dev)") != 1 || strings.Contains(told, "job2") { // the second time it is in the history
			t.Errorf("resumed %d times, the model reads %q", again+1, told)
		}
	}
}
