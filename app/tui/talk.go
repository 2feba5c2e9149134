package tui

import (
	"time"

	"rein/app/tui/block"
	"rein/app/tui/text"
	"rein/event"
	"rein/tool"
)

// talk is the conversation with the session as the screen has it: it takes what happens, prints what is finished, and lays out what
// is at work.
type talk struct {
	*display
	room     func() int // how many rows may be printed at once
	verbose  bool       // thoughts and the calls of sub-agents are printed too
	showPlan bool
	past     bool        // what is printed happened before the session was opened
	own      bool        // the user's own command runs
	attached []tool.Part // of the message that is printed next

	renderer *block.MarkdownRenderer
	stream   *block.MarkdownStream // the answer that is being written; nil: none
	partial  bool                  // a part of it is printed
	came     bool                  // something of this turn did: words of the model, or a call
	thinking time.Time             // since when the model thinks; zero: it does not
	thought  string                // what it thought
	asked    time.Time             // when the last request was sent
	waits    bool                  // for the model, which got a request
	writes   string                // the tool whose call the model writes
	live     block.Live
	results  []block.Finished // the last finished calls, for a full screen
	answer   string           // the last one that has a text
	plan     *tool.PlanDetail
	usage    event.Usage // of the session
	answered int64       // tokens that the model wrote in this turn, in the answers that are finished
	writing  int         // bytes that it wrote of the answer that comes
	context  int64       // tokens of the last request and its answer
}

// restart forgets the conversation: that of another session follows.
func (t *talk) restart(answer string) {
	*t = talk{display: t.display, room: t.room, verbose: t.verbose, showPlan: t.showPlan, renderer: t.renderer, answer: answer}
}

// keptResults is how many finished calls can be opened again.
const keptResults = 100

func (t *talk) begin(now time.Time) {
	t.asked, t.partial, t.came, t.answered, t.writing = now, false, false, 0, 0
}

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
	t.stream, t.thinking, t.waits, t.writes = nil, time.Time{}, false, ""
	t.live = block.Live{}
}

func (t *talk) keep(r block.Finished) {
	if t.results = append(t.results, r); len(t.results) > keptResults {
		t.results = t.results[1:]
	}
}

// running lays out what runs: in a turn, or after it.
func (t *talk) running(session string, turn *turn, now time.Time) []text.Line {
	if turn == nil && t.live.Empty() {
		return nil
	}
	lines := t.live.Lines(session, t.marks, t.width-1, now)
	if turn == nil {
		return lines
	}
	doing := ""
	switch {
	case turn.stops:
		doing = t.words.Of("stopping")
	case !t.thinking.IsZero():
		doing = t.words.Of("thinks")
	case t.writes != "":
		doing = t.words.Of("writes a call of %s", t.words.Of(block.TitleOf(tool.Call{Name: t.writes}).Verb))
	case t.live.Empty() && t.stream == nil && !t.waits: // hooks run
		doing = t.words.Of("works")
	case t.live.Empty() && t.stream == nil:
		doing = t.words.Of("waits for the model")
	}
	if doing != "" {
		facts := usedFacts(t.words, now.Sub(turn.began), t.written())
		lines = append(lines, block.Head{State: block.Running, Title: block.Title{Subject: doing}, Facts: facts}.Line(t.marks, t.width-1))
	}
	return lines
}

// folded is what runs, on one line, while a question is open.
func (t *talk) folded() []text.Line {
	running := t.live.Running("")
	if running == 0 {
		return nil
	}
	return []text.Line{{text.In(text.Accent, "  "+t.marks.State[block.Running]+" "), text.In(text.Dim, t.words.Of("%s running or next", t.words.Count(running, "call")))}}
}

// tail is the end of the answer that has not left for the scrollback.
func (t *talk) tail(most int) []text.Line {
	if t.stream == nil || most <= 0 {
		return nil
	}
	lines := t.stream.Tail()
	for len(lines) > 0 && len(lines[0]) == 0 {
		lines = lines[1:]
	}
	return text.Indent(lines[max(len(lines)-most, 0):], 2)
}

// planLines is the plan, while the user wants to see it.
func (t *talk) planLines() []text.Line {
	if !t.showPlan || t.plan == nil {
		return nil
	}
	return text.Indent(block.Plan(t.plan, t.marks, t.textWidth()-4), 4)
}

// fit lays the answer that is being written out again, after the size has changed.
func (t *talk) fit() {
	if t.stream != nil {
		t.stream.Resize(t.markdownOptions())
	}
}
