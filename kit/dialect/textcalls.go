package dialect

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"rein/model"
)

// WrapTextCalls returns a model that writes its calls as text, for a model without tool calls of its own. It puts the tool prompt
// into the system text, writes the calls and results of the history in the family's form, and reads the answer while it
// streams. name is a dialect, "auto" (the family in the model's name; a model of no known family stays as it is), or "none"
// and "" for m itself. Only what the model wrote is ever read: results and files are only written.
func WrapTextCalls(m model.Model, name string) (model.Model, error) {
	switch name {
	case "", "none":
		return m, nil
	case "auto":
		d, ok := For(m.Info().Name)
		if !ok {
			return m, nil
		}
		return &textual{Model: m, d: d}, nil
	}
	d, err := Find(name)
	if err != nil {
		return nil, err
	}
	return &textual{Model: m, d: d}, nil
}

// CheckName returns an error for a name that WrapTextCalls does not take, with the names that were probably meant.
func CheckName(name string) error {
	switch name {
	case "", "none", "auto":
		return nil
	}
	_, err := Find(name)
	return err
}

// textual is a model that writes its calls in a dialect.
type textual struct {
	model.Model
	d *Dialect
}

// Stream implements model.Model.
func (t *textual) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		tools := toolsOf(r.Tools)
		h := &reading{d: t.d, options: Options{Tools: tools}, from: t.Info().String(), yield: yield}
		h.reset()
		defer h.stop()
		for c, err := range t.Model.Stream(ctx, t.request(r, tools)) {
			if err != nil {
				yield(model.Chunk{}, err)
				return
			}
			if !h.take(c) {
				return
			}
		}
	}
}

// request writes a request in the dialect: no tools on the wire, and a history of text alone.
func (t *textual) request(r *model.Request, tools []Tool) *model.Request {
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
	if template := ToolPrompt(t.d, tools); template != "" {
		place(t.d, &out, template)
		if r.Choice != "" {
			out.System = strings.TrimSpace(out.System + "\n\n" + mustCall(r.Choice))
		}
	}
	return &out
}

// place puts the tool prompt where the family expects it. Messages are replaced, never changed.
func place(d *Dialect, r *model.Request, template string) {
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

// mustCall means that a tool must be called.
func mustCall(choice string) string {
	if choice == "required" {
		return "You must call a function now."
	}
	return "You must call the function " + choice + " now."
}

// message writes one message; n calls came before it.
func (t *textual) message(m *model.Message, tools []Tool, n int) *model.Message {
	switch m.Role {
	case model.Assistant:
		return t.answer(m, tools, n)
	case model.Results:
		return t.results(m, n)
	}
	return m
}

// answer writes an answer of the model: its text, then its calls.
func (t *textual) answer(m *model.Message, tools []Tool, n int) *model.Message {
	calls := m.Calls()
	if len(calls) == 0 {
		return m
	}
	out := &model.Message{Role: m.Role}
	var written []Call
	for _, c := range calls {
		args, ok := Arguments(json.RawMessage(c.Args))
		if !ok || !json.Valid(args) {
			args = json.RawMessage("{}") // its result reports what was wrong, under its number
		}
		written = append(written, Call{ID: c.ID, Name: c.Name, Args: args})
	}
	out.Parts = append(out.Parts, model.Text(writeAnswer(t.d, m.Text(), written, tools, n)))
	return out
}

// results writes results as a message of the user. Images and documents follow them as they are.
func (t *textual) results(m *model.Message, n int) *model.Message {
	var results []CallResult
	var attached []model.Part
	for _, p := range m.Parts {
		switch {
		case p.Kind == model.ResultKind:
			text := p.Text
			if p.Failed {
				text = "error: " + text
			}
			results = append(results, CallResult{ID: p.ID, Name: p.Name, Text: text, N: 0})
		case p.Attachment():
			p.ID = ""
			attached = append(attached, p)
		}
	}
	for i := range results {
		results[i].N = n - len(results) + i
	}
	return model.UserParts(append([]model.Part{model.Text(WriteResults(t.d, results))}, attached...)...)
}

// reading reads one answer while it streams.
type reading struct {
	d       *Dialect
	options Options
	from    string
	yield   func(model.Chunk, error) bool

	parser   *Parser
	draft    *model.Draft
	visible  strings.Builder // the visible text, for when it turns out to be reasoning
	unclosed []int           // calls that only the end of the output closed
	cut      []int           // calls of the model's own that arrived cut
	broken   bool
	heard    map[model.ChunkKind]bool // what came in pieces
	pending  bool                     // nothing visible came yet: blanks before the first word are left out
}

// reset begins the answer again.
func (h *reading) reset() {
	h.stop()
	h.parser, h.draft = New(h.d, h.options), &model.Draft{}
	h.visible.Reset()
	h.unclosed, h.broken, h.pending, h.heard = nil, false, true, map[model.ChunkKind]bool{}
}

// stop ends the parser.
func (h *reading) stop() {
	if h.parser != nil {
		h.parser.Close()
	}
}

// take reads a chunk of the wrapped model; false ends the stream.
func (h *reading) take(c model.Chunk) bool {
	h.heard[c.Kind] = true
	switch c.Kind {
	case model.TextChunk:
		return h.pass(h.parser.Write(c.Text))
	case model.ThinkingChunk:
		return h.yield(h.draft.Thinking([]byte(c.Text)), nil)
	case model.Restart:
		h.reset()
		return h.yield(c, nil)
	case model.Done:
		return h.unheard(c.Message) && h.pass(h.parser.Close()) && h.done(c)
	case model.CallStart, model.CallArgs, model.CallEnd:
		return true // a call of the model's own comes with Done
	}
	return h.yield(c, nil)
}

// unheard reads what a message has of which no piece came: a model need not stream.
func (h *reading) unheard(m *model.Message) bool {
	if m == nil {
		return true
	}
	for _, p := range m.Parts {
		switch {
		case p.Text == "":
		case p.Kind == model.ThinkingKind && !h.heard[model.ThinkingChunk]:
			if !h.yield(h.draft.Thinking([]byte(p.Text)), nil) {
				return false
			}
		case p.Kind == model.TextKind && !h.heard[model.TextChunk]:
			if !h.pass(h.parser.Write(p.Text)) {
				return false
			}
		}
	}
	return true
}

// pass yields what the parser found.
func (h *reading) pass(events []Event) bool {
	for _, e := range events {
		if !h.event(e) {
			return false
		}
	}
	return true
}

func (h *reading) event(e Event) bool {
	switch e.Kind {
	case Text:
		if h.pending {
			e.Text = strings.TrimLeft(e.Text, " \t\r\n")
		}
		if e.Text == "" {
			return true
		}
		h.pending = false
		h.visible.WriteString(e.Text)
		return h.yield(h.draft.Text([]byte(e.Text)), nil)
	case Thinking:
		return h.yield(h.draft.Thinking([]byte(e.Text)), nil)
	case Called:
		return h.call(e.Call)
	case Broken:
		h.broken = true
		return h.yield(model.Chunk{Kind: model.Notice, Text: "a call in the text is not readable: " + e.Text}, nil)
	case Rethought:
		return h.rethink()
	}
	return true
}

// call passes on a whole call.
func (h *reading) call(c Call) bool {
	if c.Repaired && !h.yield(model.Chunk{Kind: model.Notice, Text: "the call of " + c.Name + " was not valid JSON and was repaired"}, nil) {
		return false
	}
	start := h.draft.Start(c.ID, c.Name)
	if c.Unclosed {
		h.unclosed = append(h.unclosed, start.Call)
	}
	return h.yield(start, nil) && h.yield(h.draft.Args(start.Call, c.Args), nil) && h.yield(h.draft.End(start.Call), nil)
}

// rethink turns all text so far into thinking.
func (h *reading) rethink() bool {
	thought := h.visible.String()
	h.draft, h.pending, h.unclosed = &model.Draft{}, true, nil
	h.visible.Reset()
	if thought == "" {
		return true
	}
	return h.yield(model.Chunk{Kind: model.Restart, Text: "the text was thinking"}, nil) && h.yield(h.draft.Thinking([]byte(thought)), nil)
}

// done ends the answer. Calls that the model below made by itself are kept; a call that was cut must never run.
func (h *reading) done(c model.Chunk) bool {
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
