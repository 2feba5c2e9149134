package sessions

// What is read from the session files of rein, Claude Code and Codex is history: no approval, no rule, no mode and no model comes from
// a file.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// Transcript is a session that was read from a file.
type Transcript struct {
	Program string // rein, claude-code, codex
	ID      string // its id there
	Dir     string // the workspace
	Name    string
	Tags    []string
	Events  []event.Event // without numbers; the first is Started, the last Stopped
	Lost    []Lost        // what could not be converted, and what was left out on purpose
}

// Lost is a kind of thing that the session does not have.
type Lost struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// ErrUnknownFormat means that a file is no session file that Read knows.
var ErrUnknownFormat = errors.New("this is not a session file of rein, Claude Code or Codex")

// readTranscript reads a session file: JSON of rein sessions export, a journal, a file of Claude Code (~/.claude/projects/…/ID.jsonl)
// or of Codex (~/.codex/sessions/…/rollout-….jsonl). A last line that is cut off, and lines that cannot be read, are counted
// in Lost.
func readTranscript(text []byte) (*Transcript, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if bytes.HasPrefix(text, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return nil, errors.New("the file is compressed: unpack it first (zstd -d)")
	}
	if events, t, ok := document(text); ok {
		return ours(t, events), nil
	}
	b := newBuilder()
	lines := b.lines(text)
	for _, l := range lines {
		var head struct {
			Type    string          `json:"type"`
			Kind    string          `json:"kind"`
			UUID    string          `json:"uuid"`
			Payload json.RawMessage `json:"payload"`
		}
		if json.Unmarshal(l, &head) != nil {
			continue
		}
		switch {
		case head.Kind != "" && head.Type == "":
			return journalLines(b, lines), nil
		case head.Type == "session_meta" || head.Type == "response_item" && len(head.Payload) > 0:
			return readCodex(b, lines)
		case head.UUID != "" && (head.Type == "user" || head.Type == "assistant" || head.Type == "system" || head.Type == "attachment"):
			return readClaude(b, lines)
		}
	}
	return nil, ErrUnknownFormat
}

// builder makes the events of a session.
type builder struct {
	Transcript
	lost  map[string]int
	order []string          // of lost
	ids   map[string]string // our id of each call
	open  []tool.Call       // calls of the last answer without a result
	draft *draft            // the answer that is being read
	last  time.Time
}

// draft is an answer of the model while its parts are read.
type draft struct {
	id    string
	model string
	parts []model.Part
	calls []tool.Call
	usage *event.Usage
	at    time.Time
}

func newBuilder() *builder { return &builder{lost: map[string]int{}, ids: map[string]string{}} }

// lose counts something that the session does not have.
func (b *builder) lose(what string, n int) {
	if n == 0 {
		return
	}
	if b.lost[what] == 0 {
		b.order = append(b.order, what)
	}
	b.lost[what] += n
}

// lines returns the lines that are objects of JSON.
func (b *builder) lines(text []byte) (all [][]byte) {
	for len(text) > 0 {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		text = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		switch {
		case json.Valid(line) && line[0] == '{':
			all = append(all, line)
		case !whole:
			b.lose("last line that is cut off", 1)
		default:
			b.lose("lines that cannot be read", 1)
		}
	}
	return all
}

func (b *builder) add(e event.Event, at time.Time) {
	if at.IsZero() {
		at = b.last
	}
	e.Time, b.last = at, at
	b.Events = append(b.Events, e)
}

// user adds a message of the user.
func (b *builder) user(at time.Time, parts ...model.Part) {
	b.finish()
	if len(parts) == 0 {
		return
	}
	text := ""
	for _, p := range parts {
		if p.Kind == model.TextKind {
			if text != "" {
				text += "\n\n"
			}
			text += p.Text
		}
	}
	b.add(event.Event{Kind: event.Prompted, Text: text, Message: encoded(model.UserParts(parts...))}, at)
}

// answer returns the answer to which the next parts belong. An answer with another id, or one after results, is a new one.
func (b *builder) answer(id string, at time.Time) *draft {
	if b.draft == nil || id != "" && b.draft.id != id {
		b.finish()
		b.draft = &draft{id: id, at: at}
	}
	return b.draft
}

// call adds a call to the answer.
func (b *builder) call(d *draft, id, name string, args json.RawMessage) {
	if !json.Valid(args) || len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	own := fmt.Sprintf("i%08d", len(b.ids)+1)
	b.ids[id] = own
	d.parts = append(d.parts, model.Part{Kind: model.CallKind, ID: own, Name: name, Args: string(args)})
	d.calls = append(d.calls, tool.Call{ID: own, Name: name, Args: args})
}

// respond records the answer that was read.
func (b *builder) respond() {
	d := b.draft
	b.draft = nil
	if d == nil || len(d.parts) == 0 {
		return
	}
	b.interrupt()
	m := &model.Message{Role: model.Assistant, Parts: d.parts, From: b.Program + "/" + d.model}
	b.add(event.Event{Kind: event.Responded, Text: m.Text(), Message: encoded(m), Usage: d.usage}, d.at)
	for i := range d.calls {
		b.add(event.Event{Kind: event.Called, Call: &d.calls[i]}, d.at)
	}
	b.open = d.calls
}

// result adds the result of a call.
func (b *builder) result(id, text string, failed bool, parts []tool.Part, at time.Time) {
	b.respond()
	own := b.ids[id]
	for i, c := range b.open {
		if c.ID == own {
			b.open = append(b.open[:i:i], b.open[i+1:]...)
			r := &tool.Result{ID: own, Name: c.Name, Text: text, Failed: failed, Parts: parts}
			b.add(event.Event{Kind: event.Replied, Call: &tool.Call{ID: own, Name: c.Name}, Result: r}, at)
			return
		}
	}
	b.lose("results without a call", 1)
}

// interrupt gives the calls that have no result one that says so.
func (b *builder) interrupt() {
	for _, c := range b.open {
		b.lose("calls without a result", 1)
		b.add(event.Event{Kind: event.Replied, Call: &tool.Call{ID: c.ID, Name: c.Name},
			Result: &tool.Result{ID: c.ID, Name: c.Name, Failed: true, Kind: tool.Cancelled, Text: "The call was interrupted: the imported session has no result for it."}}, b.last)
	}
	b.open = nil
}

// finish ends the turn.
func (b *builder) finish() {
	b.respond()
	b.interrupt()
}

// done returns the transcript.
func (b *builder) done() (*Transcript, error) {
	b.finish()
	if len(b.Events) == 0 {
		return nil, fmt.Errorf("the session of %s has no messages", b.Program)
	}
	for _, what := range b.order {
		b.Lost = append(b.Lost, Lost{what, b.lost[what]})
	}
	first, t := b.Events[0].Time, &b.Transcript
	head := []event.Event{{Kind: event.Started, Time: first, Start: &event.Start{Terms: event.Terms{Dir: b.Dir}}},
		{Kind: event.Imported, Time: first, Origin: &event.Origin{Program: b.Program, Session: b.ID}, Text: t.Report()}}
	t.Events = append(append(head, b.Events...), event.Event{Kind: event.Stopped, Time: b.last, Stop: event.Done})
	return t, nil
}

// Report says what the session does not have; "" when it has everything.
func (t *Transcript) Report() string {
	text := ""
	for i, l := range t.Lost {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s: %d", l.What, l.Count)
	}
	if text != "" {
		text = "Not converted: " + text + "."
	}
	return text
}

func encoded(m *model.Message) json.RawMessage {
	text, _ := json.Marshal(m) // texts and bytes: it cannot fail
	return text
}
