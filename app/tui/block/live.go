package block

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"rein/app/tui/text"
	"rein/event"
	"rein/tool"
)

// Live is what is at work now: calls that have no result yet, and sub-agents. The zero value has none.
type Live struct {
	calls  []*liveCall // in the order of their start
	agents []*liveAgent
}

// liveCall is a call that has no result yet.
type liveCall struct {
	tool.Call
	session string
	since   time.Time
	state   State
	next    bool   // its request is answered: it waits for earlier calls
	output  string // the end of what it wrote
}

// liveAgent is a sub-agent that is at work.
type liveAgent struct {
	id, name string
	session  string // the one that started it
	call     string // the id of the call that it serves
	does     string // its name and its task
	since    time.Time
	calls    int
	usage    event.Usage
}

// keptOutput is how much of the end of a running call's output is kept, in bytes.
const keptOutput = 4 << 10

// liveLines is how many of the last lines of a call's output are shown while it runs. Of several calls at once it is one line each.
const liveLines = 5

// Take takes an event of the session or of one of its sub-agents. For the end of a call it returns the call.
func (l *Live) Take(e event.Event) (ended tool.Call) {
	if a := l.agent(e.Session); a != nil {
		a.took(e)
	}
	switch {
	case e.Kind == event.SubAgentStopped:
		l.agents = slices.DeleteFunc(l.agents, func(a *liveAgent) bool { return a.id == e.Child })
	case e.Call == nil:
	case e.Kind == event.SubAgentStarted:
		l.agents = append(l.agents, &liveAgent{id: e.Child, name: l.unlike(agentName(e)), session: e.Session, call: e.Call.ID, does: agentDoes(e), since: e.Time})
	default:
		return l.ofCall(e)
	}
	return tool.Call{}
}

func (l *Live) ofCall(e event.Event) (ended tool.Call) {
	i := slices.IndexFunc(l.calls, func(c *liveCall) bool { return c.ID == e.Call.ID && c.session == e.Session })
	called := &liveCall{Call: *e.Call, session: e.Session, since: e.Time}
	switch {
	case e.Kind == event.Called && i >= 0: // the user changed its arguments
		l.calls[i] = called
	case e.Kind == event.Called:
		l.calls = append(l.calls, called)
	case e.Kind == event.Replied && i >= 0:
		ended = l.calls[i].Call
		l.calls = slices.Delete(l.calls, i, i+1)
	case e.Kind == event.Replied:
		return tool.Call{ID: e.Call.ID, Name: e.Call.Name}
	case i < 0:
	case e.Kind == event.ApprovalRequested:
		l.calls[i].state, l.calls[i].next = Waiting, false
	case e.Kind == event.Granted:
		l.calls[i].state, l.calls[i].since = Running, e.Time
	case e.Kind == event.Output:
		output := l.calls[i].output + e.Text
		l.calls[i].output = output[max(len(output)-keptOutput, 0):]
	}
	return ended
}

// Answered notes that the request of a call is answered: the call waits for its turn, not for the user.
func (l *Live) Answered(call string) {
	for _, c := range l.calls {
		c.next = c.next || c.ID == call
	}
}

func (l *Live) agent(session string) *liveAgent {
	for _, a := range l.agents {
		if a.id == session {
			return a
		}
	}
	return nil
}

func (a *liveAgent) took(e event.Event) {
	if e.Kind == event.Called {
		a.calls++
	}
	if e.Kind == event.Responded && e.Usage != nil {
		a.usage = a.usage.Plus(*e.Usage)
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
	case a.Task != "":
		return AgentFor(a.Agent, a.Task)
	}
	return a.Agent
}

// AgentFor names a sub-agent that has no name by its kind and the beginning of its task.
func AgentFor(kind, task string) string {
	return kind + ": " + text.Of(text.Plain, text.OneLine(firstLine(task))).Cut(mostTask).String()
}

// mostTask is how many cells of the task are in it.
const mostTask = 24

// unlike is a name for a sub-agent that no other one has that is at work.
func (l *Live) unlike(name string) string {
	other := name
	for n := 2; slices.ContainsFunc(l.agents, func(a *liveAgent) bool { return a.name == other }); n++ {
		other = name + " (" + strconv.Itoa(n) + ")"
	}
	return other
}

// agentDoes names a sub-agent and what it does, also where its task has no short name.
func agentDoes(e event.Event) string {
	a := e.SubAgent
	switch {
	case a == nil || a.About != "":
		return text.OneLine(agentName(e))
	case a.Name != "":
		return text.OneLine(agentName(e) + ": " + firstLine(a.Task))
	}
	return text.OneLine(a.Agent + ": " + firstLine(a.Task))
}

// Agent names the sub-agent whose session this is; "" is none that is at work.
func (l *Live) Agent(session string) string {
	if a := l.agent(session); a != nil {
		return a.name
	}
	return ""
}

// Caller names the sub-agent that makes a call; "" where none does.
func (l *Live) Caller(call string) string {
	for _, c := range l.calls {
		if c.ID == call {
			return l.Agent(c.session)
		}
	}
	return ""
}

// Empty reports whether nothing is at work.
func (l *Live) Empty() bool { return len(l.calls) == 0 && len(l.agents) == 0 }

// Order is the place of a call among those that run or wait; -1 when it is none of them.
func (l *Live) Order(session, call string) int {
	return slices.IndexFunc(l.calls, func(c *liveCall) bool { return c.ID == call && c.session == session })
}

// Running counts the calls that run: of one tool, or of all with "".
func (l *Live) Running(name string) (n int) {
	for _, c := range l.calls {
		if c.state == Running && (name == "" || c.Name == name) {
			n++
		}
	}
	return n
}

// Lines lays out the calls of a session, each with the sub-agents that serve it and their calls, then the sub-agents that work although the
// call that started them has ended.
func (l *Live) Lines(session string, m Marks, width int, now time.Time) []text.Line {
	most := liveLines
	if l.Running("") > 1 {
		most = 1
	}
	return l.lines(session, 0, most, m, width, now)
}

// deepest is how far calls of sub-agents are indented at most.
const deepest = 4

func (l *Live) lines(session string, indent, most int, m Marks, width int, now time.Time) (lines []text.Line) {
	for _, c := range l.calls {
		if c.session != session {
			continue
		}
		lines = append(lines, c.lines(indent, most, m, width, now)...)
		for _, a := range l.agents {
			if a.call == c.ID && a.session == session && indent < deepest {
				lines = append(lines, l.ofAgent(a, indent, most, m, width, now)...)
			}
		}
	}
	for _, a := range l.aside(session) {
		if indent < deepest {
			h := Head{State: Running, Title: Title{Verb: "agent", Subject: a.does}, Indent: indent}
			if d := now.Sub(a.since); d >= time.Second {
				h.Facts = append(h.Facts, Since(d))
			}
			lines = append(lines, h.Line(m, width))
			lines = append(lines, l.ofAgent(a, indent, most, m, width, now)...)
		}
	}
	return lines
}

// aside are the sub-agents that work although the call that started them has ended.
func (l *Live) aside(session string) (all []*liveAgent) {
	for _, a := range l.agents {
		if a.session == session && l.Order(session, a.call) < 0 {
			all = append(all, a)
		}
	}
	return all
}

// Aside gives what each sub-agent does that works in the background, and since when.
func (l *Live) Aside(session string, each func(does string, since time.Time)) {
	for _, a := range l.aside(session) {
		each(a.does, a.since)
	}
}

// Left is the line for the end of a sub-agent that works in the background; nil: the call that started it shows its end.
func (l *Live) Left(e event.Event, m Marks, width int) text.Line {
	for _, a := range l.aside(e.Session) {
		if a.id == e.Child {
			h := Head{State: Done, Title: Title{Verb: "agent", Subject: a.does}, Facts: []string{Since(e.Time.Sub(a.since))}}
			switch e.Stop {
			case event.Done:
			case event.Cancelled:
				h.State = Cancelled
			default:
				h.State = Failed
			}
			return h.Line(m, width)
		}
	}
	return nil
}

// ofAgent lays out what a sub-agent has done, and its calls.
func (l *Live) ofAgent(a *liveAgent, indent, most int, m Marks, width int, now time.Time) []text.Line {
	lines := []text.Line{text.Of(text.Dim, strings.Repeat("  ", indent)+a.facts(m)).Cut(width)}
	return append(lines, l.lines(a.id, indent+1, most, m, width, now)...)
}

func (c *liveCall) lines(indent, most int, m Marks, width int, now time.Time) []text.Line {
	h := Head{State: c.state, Title: TitleOf(c.Call), Indent: indent}
	switch {
	case c.state == Waiting && c.next:
		h.Facts = append(h.Facts, m.Words.Of("next"))
	case c.state == Waiting:
		h.Facts = append(h.Facts, m.Words.Of("waits for you"))
	}
	if d := now.Sub(c.since); d >= time.Second {
		h.Facts = append(h.Facts, Since(d))
	}
	lines := []text.Line{h.Line(m, width)}
	if c.state != Running {
		return lines
	}
	output := text.Output(c.output, text.Dim)
	for _, l := range text.Indent(output[max(len(output)-most, 0):], 6+2*indent) {
		lines = append(lines, l.Cut(width))
	}
	return lines
}

func (a *liveAgent) facts(m Marks) string {
	facts := "      " + m.Words.Of("%s, %s tokens", m.Words.Count(a.calls, "call"), Tokens(a.usage.Input+a.usage.Output))
	if a.usage.Cost > 0 {
		facts += m.Words.Of(", ") + Money(a.usage.Cost)
	}
	return facts
}
