package api

import (
	"maps"
	"slices"

	"rein/event"
)

// Live is what of a session is not in its journal yet: the answer that the model writes, and what running calls have
// written. At has the numbers of the last events that it follows. Notices are the events since the last request that are shown
// and not recorded, as that the model is tried again.
type Live struct {
	Session string           `json:"session"`
	At      map[string]int64 `json:"at"`
	Answers []LiveAnswer     `json:"answers,omitempty"`
	Outputs []Output         `json:"outputs,omitempty"`
	Notices []event.Event    `json:"notices,omitempty"`
}

// LiveAnswer is an answer that a model writes in the session or in a sub-agent's.
type LiveAnswer struct {
	Session   string   `json:"session"`
	Turn      int      `json:"turn"`
	Text      string   `json:"text,omitempty"`
	Thought   string   `json:"thought,omitempty"`
	Preparing []string `json:"preparing,omitempty"` // the tools of the calls that the model writes

	text, thought []byte // what Text and Thought of a copy have: a string would be copied with each piece
}

// Output is what a running call has written: its last part, and how many bytes came before.
type Output struct {
	Session string `json:"session"`
	Call    string `json:"call"`
	Offset  int64  `json:"offset,omitempty"`
	Text    string `json:"text"`

	text []byte // as in Answer
}

// KeptOutput is how many bytes of a running call's output a client gets that connects later.
const KeptOutput = 64 << 10

// see takes the next event.
func (l *Live) see(e event.Event) {
	if e.Seq > 0 {
		l.At[e.Session] = e.Seq
	}
	switch e.Kind {
	case event.Requested:
		l.endAnswer(e.Session)
		l.endNotices(e.Session)
		l.Answers = append(l.Answers, LiveAnswer{Session: e.Session, Turn: e.Turn})
	case event.Restarted:
		a := l.answer(e)
		*a = LiveAnswer{Session: a.Session, Turn: a.Turn}
		l.notice(e)
	case event.Notice:
		l.notice(e)
	case event.Delta:
		a := l.answer(e)
		a.text = append(a.text, e.Text...)
	case event.Thought:
		a := l.answer(e)
		a.thought = append(a.thought, e.Text...)
	case event.Preparing:
		if a := l.answer(e); e.Call != nil {
			a.Preparing = append(a.Preparing, e.Call.Name)
		}
	case event.Responded:
		l.endAnswer(e.Session)
	case event.Output:
		l.output(e)
	case event.Replied:
		l.endOutputs(func(o Output) bool { return o.Session == e.Session && e.Call != nil && o.Call == e.Call.ID })
	case event.Stopped:
		l.endAnswer(e.Session)
		l.endNotices(e.Session)
		l.endOutputs(func(o Output) bool { return o.Session == e.Session })
	}
}

func (l *Live) answer(e event.Event) *LiveAnswer {
	for i := range l.Answers {
		if l.Answers[i].Session == e.Session {
			return &l.Answers[i]
		}
	}
	l.Answers = append(l.Answers, LiveAnswer{Session: e.Session, Turn: e.Turn})
	return &l.Answers[len(l.Answers)-1]
}

func (l *Live) endAnswer(session string) {
	for i := range l.Answers {
		if l.Answers[i].Session == session {
			l.Answers = append(l.Answers[:i:i], l.Answers[i+1:]...)
			return
		}
	}
}

// keptNotices is how many notices of the same request a client gets that connects later.
const keptNotices = 20

func (l *Live) notice(e event.Event) {
	if e.Seq == 0 { // else the journal has it
		l.Notices = append(l.Notices[max(0, len(l.Notices)-keptNotices+1):], e)
	}
}

func (l *Live) endNotices(session string) {
	l.Notices = slices.DeleteFunc(l.Notices, func(e event.Event) bool { return e.Session == session })
}

func (l *Live) output(e event.Event) {
	if e.Call == nil {
		return
	}
	var o *Output
	for i := range l.Outputs {
		if l.Outputs[i].Session == e.Session && l.Outputs[i].Call == e.Call.ID {
			o = &l.Outputs[i]
		}
	}
	if o == nil {
		l.Outputs = append(l.Outputs, Output{Session: e.Session, Call: e.Call.ID, Offset: e.Offset})
		o = &l.Outputs[len(l.Outputs)-1]
	}
	o.text = append(o.text, e.Text...)
	if over := len(o.text) - 2*KeptOutput; over > 0 { // cut rarely, not with every line
		cut := len(o.text) - KeptOutput
		for cut < len(o.text) && o.text[cut]&0xC0 == 0x80 { // not in the middle of a character
			cut++
		}
		o.Offset += int64(cut)
		o.text = append(o.text[:0], o.text[cut:]...)
	}
}

func (l *Live) endOutputs(done func(Output) bool) {
	var left []Output
	for _, o := range l.Outputs {
		if !done(o) {
			left = append(left, o)
		}
	}
	l.Outputs = left
}

// copied returns a copy that does not change, with the secrets hidden.
func (l *Live) copied(mask func([]byte) []byte) *Live {
	c := &Live{Session: l.Session, At: make(map[string]int64, len(l.At))}
	maps.Copy(c.At, l.At)
	c.Answers = append(c.Answers, l.Answers...)
	for i := range c.Answers {
		a := &c.Answers[i]
		a.Preparing, a.Text, a.Thought, a.text, a.thought = slices.Clone(a.Preparing), string(mask(a.text)), string(mask(a.thought)), nil, nil
	}
	c.Outputs = append(c.Outputs, l.Outputs...)
	for i := range c.Outputs {
		o := &c.Outputs[i]
		o.Text, o.text = string(mask(o.text)), nil
	}
	for _, e := range l.Notices {
		e.Text = string(mask([]byte(e.Text)))
		c.Notices = append(c.Notices, e)
	}
	return c
}
