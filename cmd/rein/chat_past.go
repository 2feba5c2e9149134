package main

import (
	"fmt"

	"rein/app/harness"
	"rein/app/sessions"
	"rein/app/tui/text"
	"rein/event"
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
	show.Line("dim", show.Own.Of("session %s was here:", s.ID()))
	showPast(p, show.Own, "rein sessions show "+s.ID(), func(line string) { show.Line("dim", line) }, func(e event.Event) { show.Show(e) })
	if s.Waiting() {
		show.Line("yellow", show.Own.Of("The calls of the last answer are not all done; the session continues with them."))
	}
	return nil
}

// showPast shows the end of a conversation, and what shows all of it.
func showPast(p sessions.Past, own text.Words, all string, line func(string), show func(event.Event)) {
	switch {
	case p.More:
		line("… " + own.Of("earlier messages") + own.Of(": ") + all)
	case p.Turns > 0:
		line("… " + own.Count(p.Turns, "earlier message") + own.Of(": ") + all)
	}
	for i, e := range p.Events {
		if i == 1 && p.Steps > 0 {
			line("… " + own.Of("%s of this turn: %s", own.Count(p.Steps, "earlier step"), all))
		}
		if e.Kind != event.Started {
			show(shownEvent(e, own))
		}
	}
}

// showLeave shows what ends with the session, and how to come back to it.
func (a *modelFlags) showLeave(show *plainScreen, s *harness.Session) {
	if !a.quiet {
		showEndingJobs(show.Out, s, show.Own)
	}
	fmt.Fprintln(show.Out, show.Own.Of("Session %s. To come back: rein --resume %s", s.ID(), s.ID()))
}
