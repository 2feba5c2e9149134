package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/event"
	"rein/tool"
	"rein/tui/block"
	"rein/tui/mailbox"
	"rein/tui/markdown"
	"rein/tui/text"
)

// drain takes what happened since the last frame.
func (u *ui) drain() tea.Cmd {
	var cmds []tea.Cmd
	for _, item := range u.box.Take() {
		switch item := item.(type) {
		case event.Event:
			u.happened(item)
		case turnOver:
			cmds = append(cmds, u.ended(item))
		case *asked:
			u.ask(item)
		case gone:
			u.gone(item)
		case warning:
			u.note(text.Warn, "! "+item.line)
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
	t := &u.talk
	switch e.Kind {
	case event.Prompted:
		u.printAnswer(true)
		u.prompted(e.Text)
		u.drawImages(u.attached)
		u.attached = nil
	case event.Requested:
		t.asked = e.Time
		t.writes, t.thought = "", ""
	case event.Thought:
		if t.thinking.IsZero() {
			t.thinking = e.Time
		}
		t.thought += e.Text
	case event.Delta:
		u.thoughtOver(e.Time)
		if t.stream == nil {
			t.stream = markdown.NewStream(t.renderer, u.markdownOptions())
			t.partial = false
		}
		t.stream.Write(e.Text)
	case event.Restarted:
		t.stream, t.thinking, t.writes = nil, time.Time{}, ""
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
	case event.Reviewed:
		u.note(text.Dim, "the reviewer "+e.Review.String())
	case event.Hooked:
		u.note(text.Warn, strings.TrimSpace(e.Hook.String()+"\n"+e.Text))
	case event.SubAgentStarted:
		t.agents = append(t.agents, &liveAgent{id: e.Child, name: agentName(e), call: e.Call.ID})
	case event.SubAgentStopped:
		t.agents = slices.DeleteFunc(t.agents, func(a *liveAgent) bool { return a.id == e.Child })
	case event.Stopped:
		u.stopped(e)
	default:
		u.ofCall(e, "")
	}
}

// agentName names a sub-agent, with its task in a few words.
func agentName(e event.Event) string {
	a := e.SubAgent
	switch {
	case a == nil:
		return e.Call.Name
	case a.About != "":
		return a.Agent + ": " + a.About
	case a.Name != "":
		return a.Agent + " " + a.Name
	}
	return a.Agent
}

// ofCall takes an event of a call. who is the sub-agent that makes it.
func (u *ui) ofCall(e event.Event, who string) {
	t := &u.talk
	if e.Call == nil {
		return
	}
	c := t.calls[e.Call.ID]
	switch {
	case e.Kind == event.Called:
		t.writes = ""
		t.calls[e.Call.ID] = &liveCall{call: *e.Call, session: e.Session, since: e.Time}
		if c == nil { // else the user changed its arguments
			t.order = append(t.order, e.Call.ID)
		}
	case e.Kind == event.Replied && e.Result != nil:
		call := tool.Call{ID: e.Call.ID, Name: e.Call.Name}
		if c != nil {
			call = c.call
		}
		delete(t.calls, e.Call.ID)
		t.order = slices.DeleteFunc(t.order, func(id string) bool { return id == e.Call.ID })
		u.replied(call, *e.Result, who)
	case c == nil:
	case e.Kind == event.ApprovalRequested:
		c.state = block.Waiting
	case e.Kind == event.Granted:
		c.state, c.since = block.Running, e.Time
	case e.Kind == event.Output:
		if lines := text.Lines(mailbox.Tail(e.Text, mailbox.Kept)); len(lines) > 0 {
			c.output = lines[len(lines)-1]
		}
	}
}

// ofAgent takes an event of a sub-agent: its calls are shown while they run, and its report when it has stopped.
func (u *ui) ofAgent(e event.Event) {
	for _, a := range u.talk.agents {
		if a.id != e.Session {
			continue
		}
		if e.Kind == event.Called {
			a.calls++
		}
		if e.Kind == event.Responded && e.Usage != nil {
			a.usage = a.usage.Plus(*e.Usage)
			u.talk.usage = u.talk.usage.Plus(*e.Usage)
		}
		u.ofCall(e, a.name)
		return
	}
	u.ofCall(e, "agent")
}
