package tui

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/event"
	"rein/tui/markdown"
	"rein/tui/pending"
	"rein/tui/text"
)

// drain takes what happened since the last frame.
func (u *ui) drain() tea.Cmd {
	var cmds []tea.Cmd
	for _, item := range u.requests.Box.Take() {
		switch item := item.(type) {
		case event.Event:
			u.happened(item)
		case turnOver:
			cmds = append(cmds, u.ended(item))
		case *asked:
			u.ask(item)
		case pending.Gone:
			u.gone(item)
		case warning:
			u.note(text.Warn, "! "+item.line)
		case offline:
			u.offline = item.reason
		case joined:
			if u.joins = u.turn != nil; !u.joins {
				cmds = append(cmds, u.begin(u.session.Resume))
			}
		case done:
			cmds = append(cmds, item.do(u))
		}
	}
	u.printAnswer(false)
	return tea.Batch(cmds...)
}

// happened takes one event.
func (u *ui) happened(e event.Event) {
	if e.Parent != "" {
		u.ofAgent(e)
		return
	}
	if u.past {
		u.ofPast(e)
	}
	t := &u.talk
	switch e.Kind {
	case event.Prompted:
		u.printAnswer(true)
		u.prompted(e.Text)
		u.drawImages(u.attached)
		u.attached = nil
	case event.Requested:
		t.asked = e.Time
		t.writes, t.thought, t.writing = "", "", 0
	case event.Thought:
		if t.thinking.IsZero() {
			t.thinking = e.Time
		}
		t.thought += e.Text
		t.writing += len(e.Text)
	case event.Delta:
		u.thoughtOver(e.Time)
		if t.stream == nil {
			t.stream = markdown.NewStream(t.renderer, u.markdownOptions())
			t.partial = false
		}
		t.stream.Write(e.Text)
		t.writing += len(e.Text)
	case event.Restarted:
		t.stream, t.thinking, t.writes, t.writing = nil, time.Time{}, "", 0
		u.note(text.Warn, "the answer starts again: "+e.Text)
	case event.Preparing:
		u.thoughtOver(e.Time)
		if e.Call != nil {
			t.writes = e.Call.Name
		}
	case event.Responded:
		u.responded(e)
	case event.Notice:
		u.note(text.Dim, e.Text)
	case event.ApprovalVoid:
		u.note(text.Warn, "the approval request is void: "+e.Text)
	case event.Reviewed:
		u.note(text.Dim, "the reviewer "+e.Review.String())
	case event.Hooked:
		u.note(text.Warn, strings.TrimSpace(e.Hook.String()+"\n"+e.Text))
	case event.Stopped:
		u.stopped(e)
	default:
		u.ofCall(e, "")
	}
}

// ofCall takes an event of a call. who is the sub-agent that makes it.
func (u *ui) ofCall(e event.Event, who string) {
	if e.Kind == event.Called && who == "" {
		u.talk.writes = ""
	}
	call := u.talk.live.Take(e)
	if e.Kind == event.Replied && e.Result != nil && e.Call != nil {
		u.replied(call, *e.Result, who)
	}
}

// ofAgent takes an event of a sub-agent: its calls are shown while they run, and its report when it has stopped.
func (u *ui) ofAgent(e event.Event) {
	if e.Kind == event.Responded && e.Usage != nil {
		u.talk.used(*e.Usage)
	}
	u.ofCall(e, cmp.Or(u.talk.live.Agent(e.Session), "agent"))
}
