package tui

import (
	"fmt"
	"strings"
	"time"

	"rein/event"
	"rein/tool"
	"rein/toolkit/detail"
	"rein/tui/block"
	"rein/tui/markdown"
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

func (t *talk) keep(r result) {
	if t.results = append(t.results, r); len(t.results) > keptResults {
		t.results = t.results[1:]
	}
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
