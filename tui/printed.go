package tui

import (
	"cmp"
	"time"

	"rein/event"
	"rein/tool"
	"rein/tui/block"
	"rein/tui/keys"
	"rein/tui/markdown"
	"rein/tui/scroll"
	"rein/tui/text"
)

// prompted prints a message of the user.
func (u *ui) prompted(message string) {
	u.print(scroll.Loose, block.Message(message, u.marks, u.textWidth())...)
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
	t.keep(block.Finished{Thought: t.thought})
	if took >= time.Second || u.verbose {
		u.print(scroll.Loose, text.Of(text.Dim, "  thought "+block.Took(took)))
	}
}

// responded takes the end of an answer.
func (u *ui) responded(e event.Event) {
	t := &u.talk
	u.thoughtOver(e.Time)
	t.answer = cmp.Or(e.Text, t.answer)
	if t.stream == nil && e.Text != "" && (e.Stop == "" || u.past) { // it did not come in pieces
		t.stream = markdown.NewStream(t.renderer, u.markdownOptions())
		t.partial = false
		t.stream.Write(e.Text)
	}
	u.printAnswer(true)
	if e.Usage != nil {
		t.writing = 0
		t.used(*e.Usage)
		t.context = e.Usage.Input + e.Usage.Output
	}
}

// replied prints a finished call.
func (u *ui) replied(call tool.Call, r tool.Result, who string) {
	if r.Kind == tool.Waiting {
		return
	}
	if p := tool.ParseDetail(r.Detail).Plan; p != nil && who == "" {
		u.talk.plan = p
	}
	shown := block.Result{Call: call, Result: r, Who: who, Open: u.keys.Shown(keys.Open)}
	u.talk.keep(block.Finished{Result: shown})
	if who != "" && !u.verbose && block.StateOf(r) == block.Done {
		return
	}
	u.print(scroll.Tight, shown.Lines(u.marks, u.width-1)...)
	u.drawImages(r.Parts)
}

// ends are the words for a user who looks elsewhere when a turn has ended.
var ends = map[event.Stop]string{event.Done: "the answer is there", event.Cancelled: "interrupted", event.Failed: "it failed", event.MaxTurns: "stopped: the limit of requests is reached",
	event.Budget: "stopped: the budget is used", event.Waiting: "a call waits for an approval", event.Denied: "a call needed an approval", event.Halted: "the turn was ended"}

// stopped prints why a turn ended, where it is not simply done.
func (u *ui) stopped(e event.Event) {
	u.printAnswer(true)
	switch e.Stop {
	case event.Cancelled:
		u.print(scroll.Loose, text.Of(text.Dim, "  - interrupted; what came is kept"))
	case event.MaxTurns:
		u.note(text.Warn, "! stopped: the limit of requests for one message is reached. Send a message to continue.")
	case event.Budget:
		u.note(text.Warn, "! stopped: the budget of tokens for one message is used. Send a message to continue.")
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
	if !u.past {
		u.callUser(ends[e.Stop])
	}
}

// failed prints an error that ended the turn.
func (u *ui) failed(err error) {
	lines := text.Line{text.Bold(text.Error, u.marks.State[block.Failed]+" "), text.In(text.Plain, text.OneLine(err.Error()))}.Wrap(u.textWidth()-2, text.Of(text.Plain, "  "))
	if !u.past {
		lines = append(lines, text.Of(text.Dim, "  what came is kept; send a message to continue").Cut(u.textWidth()-2))
	}
	u.print(scroll.Loose, text.Indent(lines, 2)...)
}
