package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/event"
	"rein/tool"
	"rein/toolkit/detail"
	"rein/tui/block"
	"rein/tui/keys"
	"rein/tui/mailbox"
	"rein/tui/markdown"
	"rein/tui/scroll"
	"rein/tui/text"
)

// talk is what the session does now, as the live part of the screen shows it.
type talk struct {
	renderer *markdown.Renderer
	stream   *markdown.Stream // the answer that is being written; nil: none
	partial  bool             // a part of it is printed
	thinking time.Time        // since when the model thinks; zero: it does not
	thought  string           // what it thought
	asked    time.Time        // when the last request was sent
	writes   string           // the tool whose call the model writes
	calls    map[string]*liveCall
	order    []string // their ids, in the order of their start
	agents   []*liveAgent
	results  []result // the last finished calls, for a full screen
	plan     *detail.Plan
	usage    event.Usage // of the session
	context  int64       // tokens of the last request and its answer
	after    []string    // messages for after the turn
}

// keptResults is how many finished calls can be opened again.
const keptResults = 100

// liveCall is a call that has no result yet.
type liveCall struct {
	call    tool.Call
	session string
	since   time.Time
	state   block.State
	output  string // the last line that it wrote
}

// liveAgent is a sub-agent that is at work.
type liveAgent struct {
	id    string
	name  string
	call  string // the id of the call that it serves
	calls int
	usage event.Usage
}

// result is a finished call, or a thought.
type result struct {
	block.Result
	thought string
}

func (t *talk) begin(now time.Time) { t.asked, t.partial = now, false }

// end forgets what cannot go on when a turn is over.
func (t *talk) end() {
	t.stream, t.thinking, t.writes = nil, time.Time{}, ""
	t.calls, t.order, t.agents = map[string]*liveCall{}, nil, nil
}

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

// prompted prints a message of the user.
func (u *ui) prompted(message string) {
	var lines []text.Line
	rows := text.Lines(message)
	const most = 40
	cut := len(rows) - most
	if cut > 0 {
		rows = rows[:most]
	}
	for i, l := range rows {
		mark := text.In(text.Plain, "  ")
		if i == 0 {
			mark = text.Bold(text.Accent, u.marks.You+" ")
		}
		for j, row := range (text.Line{text.Bold(text.Plain, l)}).Wrap(u.textWidth()-2, nil) {
			if j > 0 {
				mark = text.In(text.Plain, "  ")
			}
			lines = append(lines, append(text.Line{mark}, row...))
		}
	}
	if cut > 0 {
		lines = append(lines, text.Of(text.Dim, "  "+block.Count(int64(cut), "line")+" more"))
	}
	u.print(scroll.Loose, lines...)
}

func (u *ui) markdownOptions() markdown.Options { return markdown.Options{Width: u.textWidth() - 2} }

// printAnswer prints the blocks of the answer that are finished.
func (u *ui) printAnswer(end bool) {
	t := &u.talk
	if t.stream == nil {
		return
	}
	kind := scroll.Loose
	if t.partial {
		kind = scroll.More
	}
	if lines := t.stream.Take(end); len(lines) > 0 {
		u.print(kind, text.Indent(lines, 2)...)
		t.partial = true
	}
	if end {
		t.stream = nil
	}
}

// thoughtOver prints how long the model thought.
func (u *ui) thoughtOver(at time.Time) {
	t := &u.talk
	if t.thinking.IsZero() {
		return
	}
	took := at.Sub(t.thinking)
	t.thinking = time.Time{}
	t.keep(result{thought: t.thought})
	if took >= time.Second || u.verbose {
		u.print(scroll.Loose, text.Of(text.Dim, "  thought "+block.Took(took)))
	}
}

// responded takes the end of an answer.
func (u *ui) responded(e event.Event) {
	t := &u.talk
	u.thoughtOver(e.Time)
	if t.stream == nil && e.Text != "" && e.Stop == "" { // it did not come in pieces
		t.stream = markdown.NewStream(t.renderer, u.markdownOptions())
		t.partial = false
		t.stream.Write(e.Text)
	}
	u.printAnswer(true)
	if e.Usage != nil {
		t.usage = t.usage.Plus(*e.Usage)
		t.context = e.Usage.Input + e.Usage.Output
	}
}

// replied prints a finished call.
func (u *ui) replied(call tool.Call, r tool.Result, who string) {
	if r.Kind == tool.Waiting {
		return
	}
	if p := detail.Parse(r.Detail).Plan; p != nil && who == "" {
		u.talk.plan = p
	}
	shown := block.Result{Call: call, Result: r, Who: who, Open: u.keys.Shown(keys.Open)}
	u.talk.keep(result{Result: shown})
	if who != "" && !u.verbose && block.StateOf(r) == block.Done {
		return
	}
	u.print(scroll.Tight, shown.Lines(u.marks, u.width-1)...)
	u.drawImages(r.Parts)
}

func (t *talk) keep(r result) {
	if t.results = append(t.results, r); len(t.results) > keptResults {
		t.results = t.results[1:]
	}
}

// stopped prints why a turn ended, where it is not simply done.
func (u *ui) stopped(e event.Event) {
	u.printAnswer(true)
	switch e.Stop {
	case event.Cancelled:
		u.print(scroll.Loose, text.Of(text.Dim, "  - interrupted; what came is kept"))
	case event.MaxTurns:
		u.note(text.Warn, "! stopped: the limit of requests for one message is reached. Send a message to go on.")
	case event.Budget:
		u.note(text.Warn, "! stopped: the budget of tokens for one message is used. Send a message to go on.")
	case event.Waiting:
		u.note(text.Warn, "! the session is suspended: a call waits for an approval.")
	case event.Denied:
		u.note(text.Warn, "! a call needed an approval that nobody gave.")
	case event.Halted:
		u.note(text.Warn, "! the turn was ended: "+text.OneLine(e.Text))
	}
	if e.Usage != nil {
		u.talk.usage = *e.Usage
	}
	u.notify()
}

// failed prints an error that ended the turn.
func (u *ui) failed(err error) {
	lines := text.Line{text.Bold(text.Error, u.marks.State[block.Failed]+" "), text.In(text.Plain, text.OneLine(err.Error()))}.Wrap(u.textWidth()-2, text.Of(text.Plain, "  "))
	lines = append(lines, text.Of(text.Dim, "  what came is kept; send a message to go on").Cut(u.textWidth()-2))
	u.print(scroll.Loose, text.Indent(lines, 2)...)
}

// live lays out what runs.
func (u *ui) live() (lines []text.Line) {
	t, now := &u.talk, u.now()
	for _, id := range t.order {
		c := t.calls[id]
		if c == nil || c.session != u.session.ID() {
			continue
		}
		lines = append(lines, u.liveCall(c, 0)...)
		for _, a := range t.agents {
			if a.call == id {
				lines = append(lines, u.liveAgent(a)...)
			}
		}
	}
	if u.turn == nil {
		return lines
	}
	doing := ""
	switch {
	case u.turn.stops:
		doing = "stopping"
	case !t.thinking.IsZero():
		doing = "thinks"
	case t.writes != "":
		doing = "writes a call of " + block.TitleOf(tool.Call{Name: t.writes}).Verb
	case len(t.order) == 0 && t.stream == nil:
		doing = "waits for the model"
	}
	if doing != "" {
		facts := []string{block.Since(now.Sub(u.turn.began))}
		lines = append(lines, block.Head{State: block.Running, Title: block.Title{Subject: doing}, Facts: facts}.Line(u.marks, u.width-1))
	}
	return lines
}

func (u *ui) liveCall(c *liveCall, indent int) []text.Line {
	h := block.Head{State: c.state, Title: block.TitleOf(c.call), Indent: indent}
	if c.state == block.Waiting {
		h.Facts = append(h.Facts, "waits for you")
	}
	if d := u.now().Sub(c.since); d >= time.Second {
		h.Facts = append(h.Facts, block.Since(d))
	}
	lines := []text.Line{h.Line(u.marks, u.width-1)}
	if c.output != "" && c.state == block.Running {
		lines = append(lines, text.Of(text.Dim, strings.Repeat("  ", indent)+"      "+c.output).Cut(u.width-1))
	}
	return lines
}

func (u *ui) liveAgent(a *liveAgent) (lines []text.Line) {
	facts := fmt.Sprintf("      %s, %s tokens", block.Count(int64(a.calls), "call"), block.Tokens(a.usage.Input+a.usage.Output))
	if a.usage.Cost > 0 {
		facts += ", " + block.Money(a.usage.Cost)
	}
	lines = append(lines, text.Of(text.Dim, facts))
	for _, id := range u.talk.order {
		if c := u.talk.calls[id]; c != nil && c.session == a.id {
			lines = append(lines, u.liveCall(c, 1)...)
		}
	}
	return lines
}
