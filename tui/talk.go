package tui

import (
	"time"

	"rein/event"
	"rein/tool"
	"rein/tui/block"
	"rein/tui/markdown"
	"rein/tui/status"
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
	live     block.Live
	results  []block.Finished // the last finished calls, for a full screen
	answer   string           // the last one that has a text
	plan     *tool.PlanDetail
	usage    event.Usage // of the session
	answered int64       // tokens that the model wrote in this turn, in the answers that are finished
	writing  int         // bytes that it wrote of the answer that comes
	context  int64       // tokens of the last request and its answer
	after    []string    // messages for after the turn
}

// keptResults is how many finished calls can be opened again.
const keptResults = 100

func (t *talk) begin(now time.Time) { t.asked, t.partial, t.answered, t.writing = now, false, 0, 0 }

// written is how many tokens the model wrote in this turn: those of an answer that still comes are guessed from its bytes.
func (t *talk) written() int64 { return t.answered + int64(t.writing/bytesPerToken) }

const bytesPerToken = 4

// used counts what an answer used.
func (t *talk) used(u event.Usage) {
	t.usage = t.usage.Plus(u)
	t.answered += u.Output
}

// end forgets what cannot continue when a turn is over.
func (t *talk) end() {
	t.stream, t.thinking, t.writes = nil, time.Time{}, ""
	t.live = block.Live{}
}

func (t *talk) keep(r block.Finished) {
	if t.results = append(t.results, r); len(t.results) > keptResults {
		t.results = t.results[1:]
	}
}

// live lays out what runs.
func (u *ui) live() (lines []text.Line) {
	t, now := &u.talk, u.now()
	if u.turn == nil && t.live.Empty() {
		return nil
	}
	lines = t.live.Lines(u.session.ID(), u.marks, u.width-1, now)
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
	case t.live.Empty() && t.stream == nil:
		doing = "waits for the model"
	}
	if doing != "" {
		facts := status.Used(now.Sub(u.turn.began), t.written())
		lines = append(lines, block.Head{State: block.Running, Title: block.Title{Subject: doing}, Facts: facts}.Line(u.marks, u.width-1))
	}
	return lines
}
