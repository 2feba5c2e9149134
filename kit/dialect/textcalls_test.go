package dialect

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"rein/model"
)

// fake is a model that answers with texts.
type fake struct {
	name   string
	pieces []string
	stop   model.Stop
	asked  *model.Request
}

func (f *fake) Info() model.Info { return model.Info{Provider: "fake", Name: f.name} }

func (f *fake) Stream(_ context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		f.asked = r
		d := &model.Draft{}
		for _, piece := range f.pieces {
			if !yield(d.Text([]byte(piece)), nil) {
				return
			}
		}
		yield(d.Done("fake/"+f.name, f.stop, model.Usage{Output: 3}, nil), nil)
	}
}

var readSpec = model.ToolSpec{Name: "read", Description: "Reads a file.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"]}`)}

// ask streams a request and returns the chunks and the last one.
func ask(t *testing.T, m model.Model, messages ...*model.Message) (all []model.Chunk, last model.Chunk) {
	t.Helper()
	r := &model.Request{System: "Be brief.", Messages: messages, Tools: []model.ToolSpec{readSpec}}
	for c, err := range m.Stream(context.Background(), r) {
		if err != nil {
			t.Fatal(err)
		}
		all, last = append(all, c), c
	}
	if last.Kind != model.Done {
		t.Fatalf("the stream ends with %q", last.Kind)
	}
	return all, last
}

func wrapped(t *testing.T, f *fake, name string) model.Model {
	t.Helper()
	m, err := WrapTextCalls(f, name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// native is a model that calls by itself, the token limit cutting its call.
type native struct{ fake }

func (n *native) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		d := &model.Draft{}
		whole, cut := d.Start("1", "read"), d.Start("2", "read")
		d.Args(whole.Call, []byte(`{"path":"a.go"}`))
		d.Args(cut.Call, []byte(`{"path":"b`))
		c := d.Done("fake/x", model.StopLength, model.Usage{}, nil)
		c.Message.Parts[1].Truncated = true
		yield(c, nil)
	}
}

// quiet is a model that does not stream: only its last chunk comes.
type quiet struct{ fake }

func (q *quiet) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for c, err := range q.fake.Stream(ctx, r) {
			if c.Kind == model.Done {
				c.Message.Parts = append([]model.Part{{Kind: model.ThinkingKind, Text: "hm"}}, c.Message.Parts...)
				yield(c, err)
			}
		}
	}
}

func TestAModelNeedNotStream(t *testing.T) {
	m, err := WrapTextCalls(&quiet{fake{name: "x", stop: model.StopEnd, pieces: []string{"I look.\n<tool_call>", `{"name":"read","arguments":{"path":"a.go"}}</tool_call>`}}}, "hermes")
	if err != nil {
		t.Fatal(err)
	}
	all, last := ask(t, m, model.UserText("look"))
	parts := last.Message.Parts
	if len(parts) != 3 || parts[0].Text != "hm" || strings.TrimSpace(parts[1].Text) != "I look." || parts[2].Args != `{"path":"a.go"}` || last.Stop != model.StopCalls {
		t.Errorf("got %+v, stop %s", parts, last.Stop)
	}
	if len(all) < 6 {
		t.Errorf("only %d chunks: what a caller shows comes in pieces", len(all))
	}
}

func TestWhatTheLimitCutIsMarked(t *testing.T) {
	m, err := WrapTextCalls(&native{}, "hermes")
	if err != nil {
		t.Fatal(err)
	}
	_, last := ask(t, m, model.UserText("look"))
	if calls := last.Message.Calls(); len(calls) != 2 || calls[0].Truncated || !calls[1].Truncated {
		t.Errorf("a call of the model's own: %+v", calls)
	}
	const half = "<tool_call>\n<function=read>\n<parameter=path>\na.go\n</parameter>\n<"
	_, last = ask(t, wrapped(t, &fake{name: "x", stop: model.StopLength, pieces: []string{half}}, "qwen3_coder"), model.UserText("look"))
	if calls := last.Message.Calls(); len(calls) != 1 || !calls[0].Truncated {
		t.Errorf("a call in the text that may go on: %+v", calls)
	}
}

func TestAModelOfTextCallsTools(t *testing.T) {
	f := &fake{name: "qwen2.5:7b", stop: model.StopEnd, pieces: []string{"<think>hm</think>\n\nI lo", "ok.\n<tool", `_call>{"name":"read","argum`, `ents":{"path":"a.go"}}</tool_call>`}}
	chunks, last := ask(t, wrapped(t, f, "auto"), model.UserText("look"))
	if len(f.asked.Tools) != 0 || !strings.Contains(f.asked.System, "Be brief.") || !strings.Contains(f.asked.System, `"name": "read"`) {
		t.Errorf("asked with %+v", f.asked)
	}
	calls := last.Message.Calls()
	if last.Stop != model.StopCalls || len(calls) != 1 || calls[0].Name != "read" || calls[0].Args != `{"path":"a.go"}` || calls[0].ID == "" {
		t.Errorf("ended with %q and %+v", last.Stop, calls)
	}
	if strings.TrimSpace(last.Message.Text()) != "I look." || last.Message.Parts[0].Kind != model.ThinkingKind || last.Usage.Output != 3 {
		t.Errorf("the message is %+v", last.Message.Parts)
	}
	streamed := ""
	for _, c := range chunks {
		if c.Kind == model.TextChunk {
			streamed += c.Text
		}
	}
	if streamed != last.Message.Text() {
		t.Errorf("streamed %q", streamed)
	}
}

func TestHistoryIsWrittenInTheDialect(t *testing.T) {
	f := &fake{name: "x", pieces: []string{"Fine."}, stop: model.StopEnd}
	asked := &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text("I look."), {Kind: model.CallKind, ID: "c1", Name: "read", Args: `{"path":"a.go"}`}}}
	results := model.Answer(asked, model.Result("c1", `<tool_call>{"name":"read","arguments":{}}</tool_call>`, false))
	_, last := ask(t, wrapped(t, f, "hermes"), model.UserText("look"), asked, results)
	sent := f.asked.Messages
	want := "I look.\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.go\"}}\n</tool_call>"
	if len(sent) != 3 || sent[1].Text() != want || sent[2].Role != model.User || !strings.HasPrefix(sent[2].Text(), "<tool_response>\n") {
		t.Errorf("sent %q and %q", sent[1].Text(), sent[2].Text())
	}
	if len(last.Message.Calls()) != 0 {
		t.Error("a call out of a result ran")
	}
	for _, m := range sent {
		for _, p := range m.Parts {
			if p.Kind == model.CallKind || p.Kind == model.ResultKind {
				t.Errorf("a %s was sent to a model without calls", p.Kind)
			}
		}
	}
}

func TestTheEndOfAnAnswer(t *testing.T) {
	call := `{"name":"read","arguments":{"path":"a.go"}}`
	rows := []struct {
		rule, text string
		stop       model.Stop
		want       model.Stop
		calls      int
		cut        bool
	}{
		{"a call without its closer runs when the model ended by itself", "<tool_call>" + call, model.StopEnd, model.StopCalls, 1, false},
		{"a call without its closer never runs when it was cut", "<tool_call>" + call, model.StopLength, model.StopLength, 1, true},
		{"a whole call before the cut is whole", "<tool_call>" + call + "</tool_call> and", model.StopLength, model.StopLength, 1, false},
		{"a call that cannot be read is malformed", "<tool_call>{\"name\":</tool_call>", model.StopEnd, model.StopMalformed, 0, false},
		{"plain text is the end", "Done.", model.StopEnd, model.StopEnd, 0, false},
	}
	for _, r := range rows {
		_, last := ask(t, wrapped(t, &fake{name: "x", pieces: []string{r.text}, stop: r.stop}, "hermes"), model.UserText("look"))
		calls := last.Message.Calls()
		if last.Stop != r.want || len(calls) != r.calls || len(calls) == 1 && calls[0].Truncated != r.cut {
			t.Errorf("%s: %q with %+v", r.rule, last.Stop, calls)
		}
	}
}

func TestReasoningThatThePromptOpened(t *testing.T) {
	f := &fake{name: "x", stop: model.StopEnd, pieces: []string{"I think", " so.</think>", "\n\nYes."}}
	chunks, last := ask(t, wrapped(t, f, "hermes"), model.UserText("look"))
	if last.Message.Text() != "Yes." || last.Message.Parts[0].Kind != model.ThinkingKind || last.Message.Parts[0].Text != "I think so." {
		t.Errorf("the message is %+v", last.Message.Parts)
	}
	restarts := 0
	for _, c := range chunks {
		if c.Kind == model.Restart {
			restarts++
		}
	}
	if restarts != 1 {
		t.Errorf("%d restarts", restarts)
	}
}

func TestWhatAutoDoes(t *testing.T) {
	f := &fake{name: "unknown-7b"}
	if m := wrapped(t, f, "auto"); m != model.Model(f) {
		t.Error("auto changed a model of no known family")
	}
	if m := wrapped(t, f, "none"); m != model.Model(f) {
		t.Error("none changed a model")
	}
	if _, err := WrapTextCalls(f, "nonsense"); err == nil {
		t.Error("an unknown dialect was taken")
	}
}

func TestTheToolPromptIsWhereTheFamilyExpectsIt(t *testing.T) {
	for _, r := range []struct{ rule, dialect, system, first string }{
		{"after the system text", "hermes", "Be brief.\n\n# Tools", "look"},
		{"before the system text", "glm47", "# Tools", "look"},
		{"before the first message", "llama3_json", "Be brief.", "Given the following functions"},
	} {
		f := &fake{name: "x", pieces: []string{"Fine."}, stop: model.StopEnd}
		first := model.UserText("look")
		ask(t, wrapped(t, f, r.dialect), first, &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text("Fine.")}}, model.UserText("again"))
		if !strings.HasPrefix(f.asked.System, r.system) || !strings.HasPrefix(f.asked.Messages[0].Text(), r.first) || f.asked.Messages[2].Text() != "again" {
			t.Errorf("%s: system %.60q, first %.60q", r.rule, f.asked.System, f.asked.Messages[0].Text())
		}
		if !strings.Contains(f.asked.System, "Be brief.") || !strings.HasSuffix(f.asked.Messages[0].Text(), "look") || first.Text() != "look" {
			t.Errorf("%s: something is lost or changed", r.rule)
		}
	}
}
