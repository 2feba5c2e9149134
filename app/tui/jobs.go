package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/tui/block"
	"rein/app/tui/full"
	"rein/app/tui/text"
)

// aside is what there is to say of a sub-agent in the background.
const aside = "a sub-agent: it is shown above the line, and ends with the turn that Esc stops"

// showJobs lets the user look at the jobs and stop them.
func showJobs(u *ui, _ string) tea.Cmd {
	var rows []full.Entry
	for _, j := range u.session.Jobs() {
		if !j.Waited {
			rows = append(rows, full.Entry{Name: j.ID + "  " + text.OneLine(j.Command), About: block.Since(u.now().Sub(j.Started)), Value: j.ID})
		}
	}
	u.talk.live.Aside(u.session.ID(), func(does string, since time.Time) {
		rows = append(rows, full.Entry{Name: u.words.Of("sub-agent") + " " + does, About: block.Since(u.now().Sub(since))})
	})
	if len(rows) == 0 {
		u.hint = "nothing runs in the background"
		return nil
	}
	stop := func(u *ui, e full.Entry) tea.Cmd {
		if e.Value == nil {
			u.hint = aside
		}
		for _, j := range u.session.Jobs() {
			if j.ID == e.Value {
				u.note(text.Dim, u.words.Of("stopping %s", e.Name))
				j.Stop()
			}
		}
		return nil
	}
	p := newPicker("jobs", rows, func(u *ui, e full.Entry) tea.Cmd {
		for _, j := range u.session.Jobs() {
			if j.ID == e.Value {
				u.open(full.Following(e.Name, j.Tail, j.Ended, block.Bytes))
				return nil
			}
		}
		if u.hint = "it has ended: the model has its output"; e.Value == nil {
			u.hint = aside
		}
		return nil
	})
	p.Help, p.other = "(its output)   Del stops   ", map[string]func(*ui, full.Entry) tea.Cmd{"delete": stop}
	u.open(p)
	return nil
}

// endingJobs says which jobs end when the session is left. Those of a session that somebody else holds go on.
func endingJobs(u *ui) (words []string) {
	if u.o.Place.Elsewhere() || u.how().Joined {
		return nil
	}
	for _, j := range u.session.Jobs() {
		words = append(words, u.words.Of("%s ends with the session: %s", j.ID, text.OneLine(j.Command)))
	}
	return words
}

// toBackground lets the commands that calls wait for run in the background.
func toBackground(u *ui) {
	n := 0
	for _, j := range u.session.Jobs() {
		if j.Waited && j.Leave != nil {
			j.Leave()
			n++
		}
	}
	if u.hint = u.words.Of("%s continues in the background: /jobs", u.words.Count(n, "command")); n == 0 {
		u.hint = "no command runs that could continue in the background"
	}
}
