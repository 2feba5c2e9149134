package dialect

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
	"unicode/utf8"
)

// Kind describes what an Event is.
type Kind int

// The kinds of events, with the fields that they set.
const (
	Text      Kind = iota // Text: a piece of the answer
	Thinking              // Text: a piece of the reasoning
	Called                // Call: a whole call
	Broken                // Text: a call that could not be read, as a word for the model; nothing of it may run
	Rethought             // everything before was reasoning: its text is no answer, its calls were never meant
)

// Event is one thing in the model's output.
type Event struct {
	Kind Kind
	Text string
	Call Call
}

// Call is a call that the model wrote.
type Call struct {
	// ID is the id that the model gave it; often empty.
	ID string
	// Name is the tool's name as written, without the marks of the format.
	Name string
	// Args is a JSON object.
	Args json.RawMessage
	// Unclosed means that the output ended before the closing tags. The arguments are whole.
	Unclosed bool
	// Repaired means that its JSON was not strict, and that there is only one way to read it.
	Repaired bool
}

// Tool is a tool that was offered to the model.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // JSON Schema; empty means no parameters are known
}

// Options say how output is read. The zero value reads calls with any name, up to 4 MiB each.
type Options struct {
	// Tools are the tools offered; their schemas give types to untyped values. With none every name is accepted.
	Tools []Tool
	// InReasoning means that the output begins inside reasoning, because the prompt opened it.
	InReasoning bool
	// MaxCall is the largest call in bytes; more is text. 0 means 4 MiB.
	MaxCall int
}

const (
	defaultMaxCall = 4 << 20
	portion        = 64 << 10 // of a large piece, so that memory does not grow with it
)

// Parser reads one answer of a model as it arrives. It is for one goroutine; Close it, or it keeps its coroutine.
type Parser struct {
	d         *Dialect
	marks     *marks
	tools     toolbox
	s         modelOutput
	events    []Event
	pending   strings.Builder // form that is not an event yet, so that a piece becomes one event however it was read
	pendingAs Kind

	channel  Kind // Text or Thinking
	hidden   bool // in a frame whose body is not shown
	thought  bool // a closing reasoning tag was seen
	called   bool // a call was seen
	ahead    bool // blanks before the next text belong to the markup
	inert    *Span
	fence    bool
	ticks    int     // length of the run that opened inline code
	last     [3]byte // the bytes before the buffer
	blank    bool    // the line before the buffer holds only blanks
	start    bool    // nothing but blanks came yet
	answered bool    // a frame with visible text was closed
	spoken   bool    // visible text was emitted
	// refusedClosers end a block that stayed text: they stay with it.
	refusedClosers []string
	// begun is a call that the next one cut short: when both are the same, the model only began the call twice.
	begun *Call

	next func() (struct{}, bool)
	stop func()
	in   []byte
	end  bool
}

// New returns a parser for one answer.
func New(d *Dialect, o Options) *Parser {
	if o.MaxCall <= 0 {
		o.MaxCall = defaultMaxCall
	}
	p := &Parser{d: d, marks: d.marks(), tools: newToolbox(o.Tools), blank: true, start: true}
	p.s.Max = o.MaxCall
	if o.InReasoning || d.StartsThinking {
		p.channel = Thinking
	}
	p.next, p.stop = iter.Pull(func(yield func(struct{}) bool) {
		p.s.Wait = func() ([]byte, bool) {
			if p.end || !yield(struct{}{}) || (p.end && len(p.in) == 0) {
				return nil, false
			}
			return p.in, true
		}
		p.run()
	})
	p.next()
	return p
}

// Write takes a piece of the output and returns the new events. It returns text at once, except for a tail no longer than
// the longest opener of the dialect; it returns a call when the call is complete (in a line with
// text, when what follows shows that it is no part of a sentence).
func (p *Parser) Write(piece string) []Event {
	p.events = nil
	for len(piece) > 0 && !p.end {
		n := min(len(piece), portion)
		p.in = append(p.in[:0], piece[:n]...)
		piece = piece[n:]
		p.next()
	}
	p.flush()
	return p.events
}

// Close ends the output and returns what was still held back. Writing after it does nothing.
func (p *Parser) Close() []Event {
	p.events = nil
	if !p.end {
		p.end, p.in = true, nil
		p.next()
		p.stop()
	}
	p.flush()
	return p.events
}

// run reads the whole output.
func (p *Parser) run() {
	if p.d.Frames != nil && p.d.Frames.HeadFirst {
		p.firstHeader()
	}
	i := 0
	for {
		next, ok := p.text(i)
		if !ok {
			return
		}
		i = next
	}
}

// say emits a piece of text to the channel that is open.
func (p *Parser) say(b []byte) {
	if len(b) == 0 {
		return
	}
	p.remember(b)
	if p.ahead {
		b = bytes.TrimLeft(b, " \t\r\n")
		p.ahead = len(b) == 0
	}
	if len(b) == 0 || p.hidden || (p.d.DropTail && p.called && p.channel == Text) {
		return
	}
	if p.start && p.channel == Text {
		p.start = isBlankText(b)
	}
	if p.channel == Text && p.answered && !isBlankText(b) {
		p.tell(Text, []byte("\n"))
		p.answered = false
	}
	if p.channel == Text {
		p.spoken = true
	}
	p.tell(p.channel, b)
}

// tell emits a piece of text.
func (p *Parser) tell(as Kind, b []byte) {
	if as != p.pendingAs {
		p.flush()
		p.pendingAs = as
	}
	p.pending.Write(b)
}

// flush makes an event of the text that was emitted.
func (p *Parser) flush() {
	if p.pending.Len() > 0 {
		p.events = append(p.events, Event{Kind: p.pendingAs, Text: p.pending.String()})
		p.pending.Reset()
	}
}

// add appends an event that is no text.
func (p *Parser) add(e Event) {
	p.flush()
	p.events = append(p.events, e)
}

// remember keeps what must be known of text that left the buffer: its last byte, and whether its last line is blank.
func (p *Parser) remember(b []byte) {
	for _, c := range b[max(0, len(b)-len(p.last)):] {
		p.last = [3]byte{p.last[1], p.last[2], c}
	}
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] == '\n' {
			p.blank = true
			return
		}
		if !isBlank(b[i]) {
			p.blank = false
			return
		}
	}
}

// call emits a call.
func (p *Parser) call(c Call) {
	if len(c.Args) == 0 {
		c.Args = json.RawMessage("{}")
	}
	c.Name = p.tools.resolve(c.Name)
	p.called, p.start = true, false
	p.add(Event{Kind: Called, Call: c})
}

// broken emits a word about a call that cannot be read.
func (p *Parser) broken(why string) { p.add(Event{Kind: Broken, Text: why}) }

// whole returns how many bytes of b end with a whole rune.
func whole(b []byte) int {
	for i := 1; i <= min(len(b), utf8.UTFMax-1); i++ {
		c := b[len(b)-i]
		if utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return len(b) - i
			}
			break
		}
	}
	return len(b)
}

func isBlankText(b []byte) bool {
	for _, c := range b {
		if !isBlank(c) {
			return false
		}
	}
	return true
}
