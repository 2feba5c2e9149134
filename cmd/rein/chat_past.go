package main

import (
	"fmt"

	"rein/app/harness"
	"rein/app/sessions"
	"rein/event"
	"rein/internal/plaintext"
)

// mostOfPast is how much of its past a session shows, line by line. A screen reader reads all of it.
func (a *modelFlags) mostOfPast() sessions.Most {
	if a.accessible {
		return sessions.Most{Turns: 1, Steps: 4}
	}
	return sessions.Most{Turns: 3, Steps: 20}
}

// showWhere shows where a resumed session was: the end of its conversation. What waits for approval is shown when the session
// continues.
func (a *modelFlags) showWhere(show *plainScreen, s *harness.Session) error {
	p, err := s.Past(a.mostOfPast())
	if err != nil || len(p.Events) == 0 {
		return err
	}
	show.Line("dim", "session "+s.ID()+" was here:")
	showPast(p, "rein sessions show "+s.ID(), func(line string) { show.Line("dim", line) }, func(e event.Event) { show.Show(e) })
	if s.Waiting() {
		show.Line("yellow", "The calls of the last answer are not all done; the session continues with them.")
	}
	return nil
}

// showPast shows the end of a conversation, and what shows all of it.
func showPast(p sessions.Past, all string, line func(string), show func(event.Event)) {
	switch {
	case p.More:
		line("… earlier messages: " + all)
	case p.Turns > 0:
		line("… " + plaintext.Counted(p.Turns, "earlier message") + ": " + all)
	}
	for i, e := range p.Events {
		if i == 1 && p.Steps > 0 {
			line("… " + plaintext.Counted(p.Steps, "earlier step") + " of this turn: " + all)
		}
		if e.Kind != event.Started {
			show(shownEvent(e))
		}
	}
}

// showLeave shows what ends with the session, and how to come back to it.
func (a *modelFlags) showLeave(show *plainScreen, s *harness.Session) {
	if !a.quiet {
		showEndingJobs(show.Out, s)
	}
	fmt.Fprintf(show.Out, "Session %s. To come back: rein --resume %s\n", s.ID(), s.ID())
}
