package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/tui/block"
	"rein/tui/full"
	"rein/tui/text"
)

// jobs lets the user look at the jobs and stop them.
func (u *ui) jobs(string) tea.Cmd {
	var rows []full.Entry
	for _, j := range u.session.Jobs() {
		if !j.Waited() {
			rows = append(rows, full.Entry{Name: j.ID + "  " + text.OneLine(u.session.Mask().String(j.Command)), About: block.Since(u.now().Sub(j.Started)), Value: j.ID})
		}
	}
	if len(rows) == 0 {
		u.hint = "nothing runs in the background"
		return nil
	}
	stop := func(u *ui, e full.Entry) tea.Cmd {
		for _, j := range u.session.Jobs() {
			if j.ID == e.Value {
				u.note(text.Dim, "stopping "+e.Name)
				go j.Stop(jobGrace)
			}
		}
		return nil
	}
	p := newPicker("jobs", rows, func(u *ui, e full.Entry) tea.Cmd {
		for _, j := range u.session.Jobs() {
			if j.ID == e.Value {
				u.open(following(e.Name, u.session.Mask().String, j.Tail, j.Ended))
				return nil
			}
		}
		u.hint = "it has ended: the model has its output"
		return nil
	})
	p.Help, p.other = "(its output)   Del stops   ", map[string]func(*ui, full.Entry) tea.Cmd{"delete": stop}
	u.open(p)
	return nil
}

// following shows the output of a job while it grows. Of a long one the start is left out.
func following(title string, mask func(string) string, tail func(from int64) ([]byte, int64), ended func() bool) *full.Pager {
	size, over := int64(-1), false
	p := full.NewPager(title, nil)
	p.Follow = func() (lines []text.Line, changed bool) {
		out, start := tail(0)
		if start+int64(len(out)) == size && over == ended() {
			return nil, false
		}
		size, over = start+int64(len(out)), ended()
		if start > 0 {
			lines = append(lines, text.Of(text.Dim, block.Bytes(start)+" before are left out"))
		}
		for _, l := range text.Lines(mask(string(out))) {
			lines = append(lines, text.Of(text.Plain, l))
		}
		switch {
		case over:
			lines = append(lines, text.Of(text.Dim, "- it has ended"))
		case len(out) == 0:
			lines = append(lines, text.Of(text.Dim, "it has written nothing yet"))
		}
		return lines, true
	}
	return p
}

// jobGrace is how long a job that the user stops has to end.
const jobGrace = 2 * time.Second

// toBackground lets the commands that calls wait for run in the background.
func (u *ui) toBackground() {
	n := 0
	for _, j := range u.session.Jobs() {
		if j.Waited() {
			j.Leave()
			n++
		}
	}
	if u.hint = block.Count(int64(n), "command") + " goes on in the background: /jobs"; n == 0 {
		u.hint = "no command runs that could go on in the background"
	}
}
