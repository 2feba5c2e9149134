package dialect

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"rein/model"
)

// Wrap returns a model that calls tools in text, for one that has no calls of its own: the tools are taught in the system
// text, calls and results of the history are written in the family's form, and the answer is read as it streams. name is
// a dialect, "auto" (the family that the model's name shows; one that shows none stays as it is), or "none" and "" for m
// itself. Only what the model says is ever read: results and files are only written.
func Wrap(m model.Model, name string) (model.Model, error) {
	switch name {
	case "", "none":
		return m, nil
	case "auto":
		d, ok := For(m.Info().Name)
		if !ok {
			return m, nil
		}
		return &taught{Model: m, d: d}, nil
	}
	d, err := Find(name)
	if err != nil {
		return nil, err
	}
	return &taught{Model: m, d: d}, nil
}

// Known returns an error for a name that Wrap does not take, with the names that were probably meant.
func Known(name string) error {
	switch name {
	case "", "none", "auto":
		return nil
	}
	_, err := Find(name)
	return err
}

// taught is a model that speaks a dialect.
type taught struct {
	model.Model
	d *Dialect
}

// Stream implements model.Model.
func (t *taught) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		tools := toolsOf(r.Tools)
		h := &hearing{d: t.d, options: Options{Tools: tools}, from: t.Info().String(), yield: yield}
		h.reset()
		defer h.stop()
		for c, err := range t.Model.Stream(ctx, t.request(r, tools)) {
			if err != nil {
				yield(model.Chunk{}, err)
				return
			}
			if !h.hear(c) {
				return
			}
		}
	}
}

// request writes a request in the dialect: no tools on the wire, and a history of text alone.
func (t *taught) request(r *model.Request, tools []Tool) *model.Request {
	out := *r
	out.Tools, out.Choice = nil, ""
	if r.Choice == "none" {
		tools = nil
	}
	out.Messages = make([]*model.Message, len(r.Messages))
	n := 0
	for i, m := range r.Messages {
		out.Messages[i] = t.message(m, toolsOf(r.Tools), n)
		if m.Role == model.Assistant {
			n += len(m.Calls())
		}
	}
	if template := t.d.ToolPrompt(tools); template != "" {
		t.d.place(&out, template)
		if r.Choice != "" {
			out.System = strings.TrimSpace(out.System + "\n\n" + mustCall(r.Choice))
		}
	}
	return &out
}

// place puts a lesson where the family is used to find it. Messages are replaced, never changed.
func (d *Dialect) place(r *model.Request, template string) {
	switch d.Template().Place {
	case BeforeSystem:
		r.System = strings.TrimSpace(template + "\n\n" + r.System)
		return
	case FirstUser:
		for i, m := range r.Messages {
			if m.Role == model.User {
				parts := slices.Clone(m.Parts)
				if len(parts) > 0 && parts[0].Kind == model.TextKind {
					parts[0] = model.Text(template + "\n\n" + parts[0].Text)
				} else {
					parts = slices.Insert(parts, 0, model.Text(template))
				}
				r.Messages[i] = model.UserParts(parts...)
				return
			}
		}
	}
	r.System = strings.TrimSpace(r.System + "\n\n" + template)
}

// mustCall says that a tool must be called.
func mustCall(choice string) string {
	if choice == "required" {
		return "You must call a function now."
	}
	return "You must call the function " + choice + " now."
}

// message writes one message; n calls came before it.
func (t *taught) message(m *model.Message, tools []Tool, n int) *model.Message {
	switch m.Role {
	case model.Assistant:
		return t.said(m, tools, n)
	case model.Results:
		return t.told(m, n)
	}
	return m
}

// said writes an answer of the model: its text, then its calls.
func (t *taught) said(m *model.Message, tools []Tool, n int) *model.Message {
	calls := m.Calls()
	if len(calls) == 0 {
		return m
	}
	out := &model.Message{Role: m.Role}
	var written []Call
	for _, c := range calls {
		args, ok := arguments(json.RawMessage(c.Args))
		if !ok || !json.Valid(args) {
			args = json.RawMessage("{}") // its result says what was wrong, and stands under its number
		}
		written = append(written, Call{ID: c.ID, Name: c.Name, Args: args})
	}
	out.Parts = append(out.Parts, model.Text(t.d.WriteAnswer(m.Text(), written, tools, n)))
	return out
}

// told writes results as a message of the user. Images and documents follow them as they are.
func (t *taught) told(m *model.Message, n int) *model.Message {
	var results []Result
	var attached []model.Part
	for _, p := range m.Parts {
		switch {
		case p.Kind == model.ResultKind:
			text := p.Text
			if p.Failed {
				text = "error: " + text
			}
			results = append(results, Result{ID: p.ID, Name: p.Name, Text: text, N: 0})
		case p.Attachment():
			p.ID = ""
			attached = append(attached, p)
		}
	}
	for i := range results {
		results[i].N = n - len(results) + i
	}
	return model.UserParts(append([]model.Part{model.Text(t.d.WriteResults(results))}, attached...)...)
}

// hearing reads one answer as it streams.
type hearing struct {
	d       *Dialect
	options Options
	from    string
	yield   func(model.Chunk, error) bool

	parser   *Parser
	draft    *model.Draft
	said     strings.Builder // the visible text, for when it turns out to be reasoning
	unclosed []int           // calls that only the end of the output closed
	cut      []int           // calls of the model's own that arrived cut
	broken   bool
	pending  bool // nothing visible came yet: blanks before the first word are left out
}

// reset begins the answer anew.
func (h *hearing) reset() {
	h.stop()
	h.parser, h.draft = New(h.d, h.options), &model.Draft{}
	h.said.Reset()
	h.unclosed, h.broken, h.pending = nil, false, true
}

// stop ends the parser.
func (h *hearing) stop() {
	if h.parser != nil {
		h.parser.Close()
	}
}

// hear takes a chunk of the model below; false ends the stream.
func (h *hearing) hear(c model.Chunk) bool {
	switch c.Kind {
	case model.TextChunk:
		return h.tell(h.parser.Write(c.Text))
	case model.ThinkingChunk:
		return h.yield(h.draft.Thinking([]byte(c.Text)), nil)
	case model.Restart:
		h.reset()
		return h.yield(c, nil)
	case model.Done:
		return h.tell(h.parser.Close()) && h.done(c)
	case model.CallStart, model.CallArgs, model.CallEnd:
		return true // a call of the model's own comes with Done
	}
	return h.yield(c, nil)
}

// tell passes on what the parser found.
func (h *hearing) tell(events []Event) bool {
	for _, e := range events {
		if !h.event(e) {
			return false
		}
	}
	return true
}

func (h *hearing) event(e Event) bool {
	switch e.Kind {
	case Text:
		if h.pending {
			e.Text = strings.TrimLeft(e.Text, " \t\r\n")
		}
		if e.Text == "" {
			return true
		}
		h.pending = false
		h.said.WriteString(e.Text)
		return h.yield(h.draft.Text([]byte(e.Text)), nil)
	case Thinking:
		return h.yield(h.draft.Thinking([]byte(e.Text)), nil)
	case Called:
		return h.call(e.Call)
	case Broken:
		h.broken = true
		return h.yield(model.Chunk{Kind: model.Notice, Text: "a call in the text could not be read: " + e.Text}, nil)
	case Rethought:
		return h.rethink()
	}
	return true
}

// call passes on a whole call.
func (h *hearing) call(c Call) bool {
	if c.Repaired && !h.yield(model.Chunk{Kind: model.Notice, Text: "the call of " + c.Name + " was not valid JSON and was mended"}, nil) {
		return false
	}
	start := h.draft.Start(c.ID, c.Name)
	if c.Unclosed {
		h.unclosed = append(h.unclosed, start.Call)
	}
	return h.yield(start, nil) && h.yield(h.draft.Args(start.Call, c.Args), nil) && h.yield(h.draft.End(start.Call), nil)
}

// rethink turns everything said so far into thinking.
func (h *hearing) rethink() bool {
	thought := h.said.String()
	h.draft, h.pending, h.unclosed = &model.Draft{}, true, nil
	h.said.Reset()
	if thought == "" {
		return true
	}
	return h.yield(model.Chunk{Kind: model.Restart, Text: "what came was thinking"}, nil) && h.yield(h.draft.Thinking([]byte(thought)), nil)
}

// done ends the answer. Calls that the model below made by itself are kept; a call that was cut must never run.
func (h *hearing) done(c model.Chunk) bool {
	if c.Message != nil {
		for _, native := range c.Message.Calls() {
			if native.Truncated {
				h.cut = append(h.cut, h.draft.Calls())
			}
			if !h.call(Call{ID: native.ProviderID, Name: native.Name, Args: json.RawMessage(native.Args)}) {
				return false
			}
		}
	}
	out := h.draft.Done(h.from, c.Stop, c.Usage, nil)
	out.Retries = c.Retries
	if c.Stop == model.StopLength {
		h.cut = append(h.cut, h.unclosed...)
	}
	at := 0
	for i := range out.Message.Parts {
		if p := &out.Message.Parts[i]; p.Kind == model.CallKind {
			p.Truncated = p.Truncated || slices.Contains(h.cut, at)
			at++
		}
	}
	if out.Stop == model.StopMalformed && h.draft.Calls() > 0 {
		out.Stop = model.StopCalls
	}
	if h.broken && h.draft.Calls() == 0 && out.Stop == model.StopEnd {
		out.Stop = model.StopMalformed
	}
	return h.yield(out, nil)
}

// toolsOf returns what a request offers.
func toolsOf(specs []model.ToolSpec) []Tool {
	tools := make([]Tool, len(specs))
	for i, s := range specs {
		tools[i] = Tool{Name: s.Name, Description: s.Description, Parameters: s.Schema}
	}
	return tools
}

// String names the dialect, for messages.
func (d *Dialect) String() string { return fmt.Sprintf("dialect %s", d.Name) }
