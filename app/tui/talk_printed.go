package tui

import (
	"cmp"
	"time"

	"rein/app/harness"
	"rein/app/session"
	"rein/app/tui/block"
	"rein/app/tui/text"
	"rein/event"
	"rein/tool"
)

// prompted prints a message of the user.
func (t *talk) prompted(message string) {
	t.came = false
	t.print(scrollLoose, block.Message(message, t.marks, t.textWidth())...)
}

func (t *talk) markdownOptions() block.MarkdownOptions {
	return block.MarkdownOptions{Width: t.textWidth() - 2}
}

// printAnswer prints the blocks of the answer that are finished.
func (t *talk) printAnswer(end bool) {
	if t.stream == nil {
		return
	}
	kind := scrollLoose
	if t.partial {
		kind = scrollMore
	}
	if lines := t.stream.Take(end); len(lines) > 0 {
		t.print(kind, text.Indent(lines, 2)...)
		t.partial = true
	}
	if end {
		t.stream = nil
	}
}

// thoughtOver prints how long the model thought.
func (t *talk) thoughtOver(at time.Time) {
	if t.thinking.IsZero() {
		return
	}
	took := at.Sub(t.thinking)
	t.thinking = time.Time{}
	t.keep(block.Finished{Thought: t.thought})
	if took >= time.Second || t.verbose {
		t.print(scrollLoose, text.Of(text.Dim, "  "+t.words.Of("thought %s", block.Took(took))))
	}
}

// responded takes the end of an answer.
func (t *talk) responded(e event.Event) {
	t.waits, t.writes = false, ""
	t.thoughtOver(e.Time)
	t.answer, t.came = cmp.Or(e.Text, t.answer), t.came || e.Text != ""
	if t.stream == nil && e.Text != "" && (e.Stop == "" || t.past) { // it did not come in pieces
		t.stream = block.NewMarkdownStream(t.renderer, t.markdownOptions())
		t.partial = false
		t.stream.Write(e.Text)
	}
	t.printAnswer(true)
	if e.Usage != nil {
		t.writing = 0
		t.used(*e.Usage)
		t.context = e.Usage.Input + e.Usage.Output
	}
}

// noteVoid says why a request is void. Of one that was cancelled the call says so; a call that was changed is no fault.
func noteVoid(t *talk, e event.Event) {
	switch why := session.Named(e, t.words.Message(e.Text)); e.Reason {
	case event.WasCancelled:
	case event.WasEdited:
		t.note(text.Dim, why)
	default:
		t.note(text.Warn, t.words.Of("the approval request is void: %s", why))
	}
}

// replied prints a finished call.
func (t *talk) replied(call tool.Call, r tool.Result, who string) {
	if r.Kind == tool.Waiting {
		return
	}
	if p := tool.ParseDetail(r.Detail).Plan; p != nil && who == "" {
		t.plan = p
	}
	shown := block.Result{Call: call, Result: r, Who: who, All: t.own, Open: t.keys.Shown(text.Open)}
	t.keep(block.Finished{Result: shown})
	if who != "" && !t.verbose && block.StateOf(r) == block.Done {
		return
	}
	t.print(scrollTight, shown.Lines(t.marks, t.width-1)...)
	t.drawImages(r.Parts)
}

// stopped prints why a turn ended, where it is not simply done.
func (t *talk) stopped(e event.Event) {
	t.printAnswer(true)
	switch e.Stop {
	case event.Cancelled:
		words := "- interrupted; what came is kept"
		if !t.came {
			words = "- interrupted"
		}
		t.print(scrollLoose, text.Of(text.Dim, "  "+t.words.Of(words)))
	case event.MaxTurns:
		t.note(text.Warn, "! stopped: the limit of requests for one message is reached. Send a message to continue.")
	case event.Budget:
		t.note(text.Warn, "! stopped: the budget is used up. If it was that of one message, send a message to continue; else raise the limit in the settings.")
	case event.Waiting:
		if !t.past { // each opening adds one, and the request itself is shown
			t.note(text.Warn, "! the session is suspended: a call waits for an approval.")
		}
	case event.Denied:
		t.note(text.Warn, "! a call needed an approval that nobody gave.")
	case event.Halted:
		t.note(text.Warn, t.words.Of("! the turn was ended: %s", text.OneLine(e.Text)))
	}
	if e.Usage != nil {
		t.usage = *e.Usage
	}
}

// failed prints an error that ended the turn. left reports whether the session has messages, and whether the last one is kept until it is
// opened again.
func (t *talk) failed(err error, left func() (recorded, unsent bool)) {
	lines := text.Line{text.Bold(text.Error, t.marks.State[block.Failed]+" "), text.In(text.Plain, text.OneLine(t.words.Message(err.Error())))}.Wrap(t.textWidth()-2, text.Of(text.Plain, "  "))
	if !t.past {
		next := "what came is kept; send a message to continue"
		if !t.came {
			next = "send a message to continue"
		}
		if harness.MustReopen(err) {
			next = "repair that, leave, and continue with rein -c"
			switch recorded, unsent := left(); {
			case unsent:
				next = "repair that, leave, and continue with rein -c: it sends the message that is in the line"
			case !recorded:
				next = "repair that, leave, and start again: nothing is recorded"
			}
		}
		lines = append(lines, text.Of(text.Dim, "  "+t.words.Of(next)).Wrap(t.textWidth()-2, text.Of(text.Dim, "  "))...)
	}
	t.print(scrollLoose, text.Indent(lines, 2)...)
}

// The most cells of an image, beside what the terminal has room for.
const (
	mostImageCols = 60
	mostImageRows = 18
)

// drawImages draws the images of a message or a result, where the terminal can. Their names are shown in any case.
func (t *talk) drawImages(parts []tool.Part) {
	for _, p := range parts {
		if p.Kind != tool.ImagePart || len(p.Data) == 0 {
			continue
		}
		t.print(scrollTight, text.Of(text.Dim, "      "+text.OneLine(cmp.Or(p.Name, "image")+"  "+imageSize(p.Data))).Cut(t.width-1))
		seq, width, height, err := drawImage(t.images, p.Data, min(t.textWidth()-6, mostImageCols), min(t.room(), mostImageRows))
		if err == nil {
			t.scroll.Image(imageRows(seq, width, height, 6))
		}
	}
}
