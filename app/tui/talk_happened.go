package tui

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"rein/app/session"
	"rein/app/tui/block"
	"rein/app/tui/text"
	"rein/event"
)

// happened takes one event.
func (t *talk) happened(e event.Event) {
	if e.Parent != "" {
		t.ofAgent(e)
		return
	}
	if t.past {
		t.ofPast(e)
	}
	switch e.Kind {
	case event.Prompted:
		t.printAnswer(true)
		t.prompted(session.Named(e, e.Text))
		t.drawImages(t.attached)
		t.attached = nil
	case event.Requested:
		t.asked = e.Time
		t.waits, t.writes, t.thought, t.writing = true, "", "", 0
	case event.Thought:
		if t.thinking.IsZero() {
			t.thinking = e.Time
		}
		t.thought += e.Text
		t.writing += len(e.Text)
	case event.Delta:
		t.came = true
		t.thoughtOver(e.Time)
		if t.stream == nil {
			t.stream = block.NewMarkdownStream(t.renderer, t.markdownOptions())
			t.partial = false
		}
		t.stream.Write(e.Text)
		t.writing += len(e.Text)
	case event.Restarted:
		t.stream, t.thinking, t.writes, t.writing = nil, time.Time{}, "", 0
		t.note(text.Warn, t.words.Of("the answer starts again: %s", t.words.Message(e.Text)))
	case event.Preparing:
		t.thoughtOver(e.Time)
		if e.Call != nil {
			t.writes = e.Call.Name
		}
	case event.Responded:
		t.responded(e)
	case event.Notice, event.Compacted:
		t.note(text.Dim, e.Text)
		if e.Compaction != nil {
			t.context = int64(e.Compaction.After)
		}
	case event.ApprovalVoid:
		noteVoid(t, e)
	case event.Reviewed:
		t.note(text.Dim, t.words.Of("the reviewer %s", t.words.Message(e.Review.String())))
	case event.Hooked:
		t.note(text.Warn, strings.TrimSpace(t.words.Message(e.Hook.String())+"\n"+e.Text))
	case event.Stopped:
		t.stopped(e)
	default:
		t.ofCall(e, "")
	}
}

// printLeft prints the end of a sub-agent that works in the background.
func printLeft(t *talk, e event.Event) {
	if left := t.live.Left(e, t.marks, t.width-1); left != nil {
		t.printAnswer(true)
		t.print(scrollTight, left)
	}
}

// ofCall takes an event of a call. who is the sub-agent that makes it.
func (t *talk) ofCall(e event.Event, who string) {
	if e.Kind == event.SubAgentStopped && who == "" {
		printLeft(t, e)
	}
	if e.Kind == event.Called && who == "" {
		t.came, t.writes = true, ""
	}
	call := t.live.Take(e)
	if e.Kind == event.Replied && e.Result != nil && e.Call != nil {
		t.replied(call, *e.Result, who)
	}
}

// ofAgent takes an event of a sub-agent: its calls are shown while they run, and its report when it has stopped.
func (t *talk) ofAgent(e event.Event) {
	if e.Kind == event.Responded && e.Usage != nil {
		t.used(*e.Usage)
	}
	t.ofCall(e, cmp.Or(t.live.Agent(e.Session), "agent"))
}

// showPast prints the end of the conversation of a session that continues: its recorded events take the way that they took when
// they happened.
func (t *talk) showPast(s session.Session, seeAll string) {
	p, err := s.Past()
	if err != nil {
		t.note(text.Warn, t.words.Of("! the earlier conversation cannot be shown: %s", withTilde(err.Error())))
	}
	if p.Turns > 0 || p.More {
		t.note(text.Dim, "… "+earlierLine(t.words, p.Turns, p.More)+": "+seeAll)
	}
	t.past = true
	for i, e := range p.Events {
		if i == 1 && p.Steps > 0 {
			t.note(text.Dim, "… "+t.words.Of("%s of this turn: %s", t.words.Count(p.Steps, "earlier step"), seeAll))
		}
		t.happened(e)
	}
	t.printAnswer(true)
	t.past = false
	if !s.Waiting() { // else the open calls continue
		t.end()
	}
	t.usage = s.Usage()
	t.note(text.Dim, t.words.Of("session %s continues", s.ID()))
}

// earlierLine counts the messages that are left out.
func earlierLine(words text.Words, n int, more bool) string {
	switch {
	case n == 0:
		return words.Of("earlier messages")
	case more:
		return words.Of("more than %s", words.Count(n, "earlier message"))
	}
	return words.Count(n, "earlier message")
}

// ofPast takes what is shown differently after it has happened: pieces and errors come only live.
func (t *talk) ofPast(e event.Event) {
	switch {
	case e.Kind == event.Responded:
		if thought := thoughtOf(e); thought != "" {
			t.keep(block.Finished{Thought: thought})
		}
	case e.Kind == event.Stopped && e.Stop == event.Failed:
		t.failed(errors.New(e.Text), nil) // as a past error, which says no more
	}
}

// lastAnswer is the last answer of a session that has a text.
func lastAnswer(s session.Session) (answer string) {
	p, _ := s.Past() // without it there is nothing to copy
	for _, e := range p.Events {
		if e.Kind == event.Responded {
			answer = cmp.Or(e.Text, answer)
		}
	}
	return answer
}

// thoughtOf is the thinking in a message of the model.
func thoughtOf(e event.Event) string {
	var all []string
	for _, p := range e.MessageParts() {
		if p.Kind == "thinking" && p.Text != "" {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "\n\n")
}
