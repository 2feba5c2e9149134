// Package modeltest checks that a model.Model keeps its contract. Who writes one runs the suite against it, with a server (or
// a fake) that answers from the script that the suite passes; rein's own providers are tested against lab/modelserver.
package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rein/kit/script"
	"rein/model"
)

// Suite describes how to open the model under test.
type Suite struct {
	// Open returns a model, without retries, that answers from the script.
	Open func(t *testing.T, s *script.Script) model.Model
	// WholeCalls: the protocol sends a call's arguments as one value, so that they cannot be cut inside nor be broken.
	WholeCalls bool
	// Plain: the protocol reports neither refusals nor tokens that were read from a cache.
	Plain bool
	// OneText: the results of a turn reach the model as one text, as dialect.WrapTextCalls writes them.
	OneText bool
}

// Run runs all checks as subtests.
func (s Suite) Run(t *testing.T) {
	for _, c := range []struct {
		name  string
		check func(*testing.T)
	}{
		{"an answer's pieces add up to its message", s.pieces},
		{"calls keep their arguments byte for byte", s.calls},
		{"a conversation continues with calls and thinking", s.conversation},
		{"a conversation continues from its journal", s.journal},
		{"calls that were cut are marked", s.cut},
		{"a refusal is reported", s.refusal},
		{"errors have their kind", s.errors},
		{"the loop may be left", s.left},
		{"the end of a context is returned as it is", s.cancelled},
		{"streams at the same time do not mix", s.together},
		{"a history of another model is accepted", s.foreign},
		{"images and documents reach the model", s.files},
	} {
		t.Run(c.name, c.check)
	}
}

func (s Suite) open(t *testing.T, text string) model.Model {
	t.Helper()
	if s.OneText {
		text = strings.NewReplacer("call: 1, ", "", "call: 2, ", "").Replace(text)
	}
	parsed, err := script.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Open(t, parsed)
}

// heard is what a stream yielded.
type heard struct {
	text, thinking string
	args           map[int]string
	starts, ends   []string // ids
	done           model.Chunk
}

// listen reads a whole stream and checks what holds of every one.
func listen(t *testing.T, ctx context.Context, m model.Model, r *model.Request) (heard, error) {
	t.Helper()
	h := heard{args: make(map[int]string)}
	over := false
	for c, err := range m.Stream(ctx, r) {
		if over {
			t.Errorf("something came after the last chunk: %+v, %v", c, err)
		}
		if err != nil {
			return h, err
		}
		switch c.Kind {
		case model.TextChunk:
			h.text += c.Text
		case model.ThinkingChunk:
			h.thinking += c.Text
		case model.CallStart:
			if c.Call != len(h.starts) || c.ID == "" || slices.Contains(h.starts, c.ID) {
				t.Errorf("call %d begins with the id %q after %q", c.Call, c.ID, h.starts)
			}
			h.starts = append(h.starts, c.ID)
		case model.CallArgs:
			h.args[c.Call] += c.Text
		case model.CallEnd:
			h.ends = append(h.ends, c.ID)
		case model.Done:
			over, h.done = true, c
		}
	}
	if !over {
		t.Fatal("the stream ended without a last chunk and without an error")
	}
	h.agrees(t)
	return h, nil
}

// agrees checks that the pieces add up to the message.
func (h *heard) agrees(t *testing.T) {
	t.Helper()
	m := h.done.Message
	if m == nil || m.Role != model.Assistant || m.From == "" {
		t.Fatalf("the last chunk's message is %+v", m)
	}
	if m.Text() != h.text {
		t.Errorf("pieces of text %q, message %q", h.text, m.Text())
	}
	calls := m.Calls()
	if len(calls) != len(h.starts) || len(h.ends) != len(h.starts) && h.done.Stop != model.StopLength {
		t.Fatalf("%d calls, %d began, %d ended", len(calls), len(h.starts), len(h.ends))
	}
	for i, c := range calls {
		if c.ID != h.starts[i] {
			t.Errorf("call %d began as %s and is %s", i, h.starts[i], c.ID)
		}
		if streamed := h.args[i]; c.Args != streamed && !(streamed == "" && (c.Args == "{}" || c.Truncated)) {
			t.Errorf("call %d: pieces %q, message %q", i, streamed, c.Args)
		}
	}
}

func ask(words string) *model.Request {
	return &model.Request{System: "be brief", Messages: []*model.Message{model.UserText(words)}, Tools: Tools()}
}

// Tools returns the tools that the suite offers.
func Tools() []model.ToolSpec {
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)
	return []model.ToolSpec{
		{Name: "read_file", Description: "Read a file.", Schema: schema},
		{Name: "mcp.server/odd name that is far too long for every provider, so that it has to be changed", Description: "Odd.", Schema: schema},
	}
}

func (s Suite) pieces(t *testing.T) {
	m := s.open(t, `{delta: 3, turns: [{text: "Grüße, 世界 😀 \"quoted\" \\ \n\ttab \u0001", usage: {input: 12, output: 5, cached: 4}}]}`)
	h, err := listen(t, t.Context(), m, ask("hi"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "Grüße, 世界 😀 \"quoted\" \\ \n\ttab \u0001"; h.text != want {
		t.Errorf("got %q, want %q", h.text, want)
	}
	if h.done.Stop != model.StopEnd || h.done.Usage.Input != 12 || h.done.Usage.Output != 5 || (h.done.Usage.CacheRead == 4) == s.Plain {
		t.Errorf("stop %s, usage %+v", h.done.Stop, h.done.Usage)
	}
}

func (s Suite) calls(t *testing.T) {
	m := s.open(t, `{delta: 5, turns: [{text: look, calls: [
		{name: read_file, args: '{"path":"a \"b\" \\u00e9 \\\\d+ 😀","n":12345678901234567890,"f":1e-7,"deep":{"list":[1,"x",null,{"y":[]}]}}'},
		{name: read_file, args: '{"path":"b"}'},
		{name: read_file},
		{name: mcp_server_odd_name_that_is_far_too_long_for_every_provider, args: {path: c}}]}]}`)
	h, err := listen(t, t.Context(), m, ask("hi"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range h.done.Message.Calls() {
		got = append(got, c.Args)
		if c.Truncated {
			t.Errorf("%s is marked truncated", c.Name)
		}
	}
	want := []string{`{"path":"a \"b\" \\u00e9 \\\\d+ 😀","n":12345678901234567890,"f":1e-7,"deep":{"list":[1,"x",null,{"y":[]}]}}`, `{"path":"b"}`, `{}`, `{"path":"c"}`}
	if !slices.Equal(got, want) || h.done.Stop != model.StopCalls {
		t.Errorf("stop %s\ngot  %q\nwant %q", h.done.Stop, got, want)
	}
}

const story = `{delta: 7, turns: [
	{think: "Two files, side by side.", text: "I look.", calls: [{name: read_file, args: {path: a}}, {name: read_file, args: {path: b}}]},
	{expect: [{call: 1, contains: one}, {call: 2, contains: two}], think: "One more.", calls: [{name: read_file, args: {path: c}}]},
	{expect: {contains: three}, think: "Enough.", text: "All read."},
	{expect: {contains: thanks}, text: "Welcome."}]}`

func (s Suite) conversation(t *testing.T) {
	s.tell(t, s.open(t, story), func(m *model.Message) *model.Message { return m })
}

func (s Suite) journal(t *testing.T) {
	s.tell(t, s.open(t, story), func(m *model.Message) *model.Message {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		back := new(model.Message)
		if err := json.Unmarshal(b, back); err != nil {
			t.Fatal(err)
		}
		return back
	})
}

// tell runs the story; keep is what happens to each message before it is sent again.
func (s Suite) tell(t *testing.T, m model.Model, keep func(*model.Message) *model.Message) {
	t.Helper()
	r := ask("read")
	results := [][]string{{"one", "two"}, {"three"}}
	for turn := range 4 {
		h, err := listen(t, t.Context(), m, r)
		if err != nil {
			t.Fatalf("turn %d: %v", turn+1, err)
		}
		next := []*model.Message{h.done.Message, model.UserText("thanks")}
		if calls := h.done.Message.Calls(); len(calls) > 0 {
			var parts []model.Part
			for i, c := range calls {
				parts = append(parts, model.Result(c.ID, results[turn][i], i == 1))
			}
			next[1] = model.Answer(h.done.Message, parts...)
		}
		r.Messages = append(slices.Clone(r.Messages), keep(next[0]), keep(next[1]))
	}
	if got := r.Messages[7].Text(); got != "Welcome." {
		t.Errorf("the last answer is %q", got)
	}
}

func (s Suite) cut(t *testing.T) {
	m := s.open(t, `{delta: 4, turns: [{stop: length, calls: [{name: read_file, args: {path: a}}, {name: read_file, args: '{"path": "b'}]}]}`)
	h, err := listen(t, t.Context(), m, ask("hi"))
	if err != nil {
		t.Fatal(err)
	}
	calls := h.done.Message.Calls()
	if h.done.Stop != model.StopLength || calls[0].Truncated || calls[1].Truncated == s.WholeCalls {
		t.Errorf("stop %s, calls %+v", h.done.Stop, calls)
	}
}

func (s Suite) refusal(t *testing.T) {
	if s.Plain {
		t.Skip("the protocol reports none")
	}
	m := s.open(t, `turns: [{text: "I will not.", stop: refusal}]`)
	h, err := listen(t, t.Context(), m, ask("hi"))
	if err != nil || h.done.Stop != model.StopRefusal {
		t.Errorf("stop %q, %v", h.done.Stop, err)
	}
}

func (s Suite) errors(t *testing.T) {
	rows := []struct {
		yaml string
		want model.ErrorKind
	}{
		{"{status: 401, text: no such key}", model.Auth},
		{"{status: 429, text: slow down, retry_after: 7s}", model.Rate},
		{"{status: 529, text: busy}", model.Overloaded},
		{"{status: 503, text: busy}", model.Overloaded},
		{"{status: 500, text: oops}", model.Server},
		{"{status: 400, text: no such field}", model.BadRequest},
		{"{status: 404, text: no such model}", model.NotFound},
		{"{status: 400, text: 'prompt is too long: 210000 tokens > 200000 maximum'}", model.ContextLength},
	}
	for _, row := range rows {
		m := s.open(t, "turns: [{text: hi, error: "+row.yaml+"}]")
		_, err := listen(t, t.Context(), m, ask("hi"))
		e, ok := errors.AsType[*model.Error](err)
		if !ok || e.Kind != row.want {
			t.Errorf("%s: got %v, want %s", row.yaml, err, row.want)
			continue
		}
		if row.want == model.Rate && e.RetryAfter != 7*time.Second {
			t.Errorf("%s: waits %v", row.yaml, e.RetryAfter)
		}
	}
}

func (s Suite) left(t *testing.T) {
	m := s.open(t, "{delta: 1, pace: 5ms, turns: [{text: "+strings.Repeat("long ", 2000)+"}]}")
	start := time.Now()
	for range m.Stream(t.Context(), ask("hi")) {
		break
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("leaving took %v", took)
	}
}

func (s Suite) cancelled(t *testing.T) {
	m := s.open(t, "{delta: 1, pace: 5ms, turns: [{text: "+strings.Repeat("long ", 2000)+"}]}")
	why := errors.New("the user has seen enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for c, err := range m.Stream(ctx, ask("hi")) {
		if err != nil {
			if !errors.Is(err, why) {
				t.Errorf("got %v", err)
			}
			return
		}
		if c.Kind == model.TextChunk {
			cancel(why)
		}
	}
	t.Error("the stream ended without an error")
}

func (s Suite) together(t *testing.T) {
	m := s.open(t, "{delta: 2, turns: [], conversations: [{when: one, turns: [{text: first answer}]}, {when: two, turns: [{text: second answer}]}]}")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			words, want := "one", "first answer"
			if i%2 == 1 {
				words, want = "two", "second answer"
			}
			h, err := listen(t, t.Context(), m, ask(words))
			if err != nil || h.text != want {
				t.Errorf("%s: got %q, %v", words, h.text, err)
			}
		})
	}
	wg.Wait()
}

// foreign sends what another provider's model wrote: ids, signatures and raw items that are not this one's.
func (s Suite) foreign(t *testing.T) {
	m := s.open(t, `turns: [{text: unused}, {expect: {contains: done}, text: ok}]`)
	asked := &model.Message{
		Role: model.Assistant, From: "elsewhere/other", Raw: json.RawMessage(`[{"type":"reasoning","encrypted_content":"x"}]`),
		Parts: []model.Part{
			{Kind: model.ThinkingKind, Text: "hm", Signature: "not yours"}, model.Text("\n\n"),
			{Kind: model.CallKind, ID: "cAbc12345", ProviderID: "functions.x:0", Name: "odd.name", Args: `{"a":`, Truncated: true},
			{Kind: model.CallKind, ID: "cAbc12346", Name: "read_file", Args: `not JSON`},
		},
	}
	image := model.Image("image/png", []byte("\x89PNG"))
	image.ID = "cAbc12346"
	r := ask("hi")
	r.Messages = append(r.Messages, asked, model.Answer(asked, model.Result("cAbc12345", "done", true), model.Result("cAbc12346", "", false), image))
	h, err := listen(t, t.Context(), m, r)
	if err != nil || h.text != "ok" {
		t.Errorf("got %q, %v", h.text, err)
	}
}
