package dialect

import (
	"context"
	"encoding/json"
	"iter"
	"testing"

	"rein/model"
)

// fakeModel is a model that answers with these parts.
type fakeModel struct {
	parts []model.Part
	stop  model.Stop
}

func (f *fakeModel) Info() model.Info { return model.Info{Provider: "fake", Name: "x"} }

func (f *fakeModel) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for _, p := range f.parts {
			if p.Kind == model.TextKind && !yield(model.Chunk{Kind: model.TextChunk, Text: p.Text}, nil) {
				return
			}
		}
		m := &model.Message{Role: model.Assistant, Parts: f.parts, From: "fake/x", Raw: json.RawMessage(`{"raw":true}`)}
		yield(model.Chunk{Kind: model.Done, Message: m, Stop: f.stop, Usage: model.Usage{Output: 7}}, nil)
	}
}

// askFake streams and returns the kinds of the chunks and the last chunk.
func askFake(t *testing.T, f *fakeModel) (kinds []model.ChunkKind, last model.Chunk) {
	t.Helper()
	return asked(t, f, "", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
}

// asked is ask with a choice of the tool, and with another schema of it.
func asked(t *testing.T, f *fakeModel, choice, schema string) (kinds []model.ChunkKind, last model.Chunk) {
	t.Helper()
	q := &model.Request{Messages: []*model.Message{model.UserText("look")}, Choice: choice, Tools: []model.ToolSpec{{Name: "read", Schema: json.RawMessage(schema)}}}
	for c, err := range WrapRecovery(f).Stream(context.Background(), q) {
		if err != nil {
			t.Fatal(err)
		}
		kinds, last = append(kinds, c.Kind), c
	}
	return kinds, last
}

const leak = "I look.\n\ncount\n<invoke name=\"read\">\n<parameter name=\"path\">a.go</parameter>\n</invoke>"

func TestALeakBecomesACallInTheStoredMessage(t *testing.T) {
	thinking := model.Part{Kind: model.ThinkingKind, Text: "hm", Signature: "signed"}
	kinds, last := askFake(t, &fakeModel{parts: []model.Part{thinking, model.Text(leak)}, stop: model.StopEnd})
	parts := last.Message.Parts
	if last.Stop != model.StopCalls || len(parts) != 3 || parts[0].Signature != "signed" || parts[1].Text != "I look." || parts[2].Name != "read" || parts[2].Args != `{"path":"a.go"}` {
		t.Errorf("%s with %+v", last.Stop, parts)
	}
	if len(last.Message.Raw) != 0 || last.Message.From != "fake/x" || last.Usage.Output != 7 {
		t.Errorf("the message is %+v", last.Message)
	}
	restarts := 0
	for _, k := range kinds {
		if k == model.Restart {
			restarts++
		}
	}
	if restarts != 1 {
		t.Errorf("chunks %v", kinds)
	}
}

func TestWhatIsRightIsLeftAlone(t *testing.T) {
	call := model.Part{Kind: model.CallKind, ID: "c12345678", ProviderID: "p", Name: "read", Args: `{"path":"a"}`}
	for _, f := range []*fakeModel{
		{parts: []model.Part{model.Text("Done.")}, stop: model.StopEnd},
		{parts: []model.Part{model.Text("I look."), call}, stop: model.StopCalls},
		{parts: []model.Part{model.Text(leak)}, stop: model.StopLength},
		{parts: []model.Part{model.Text("```\n" + leak + "\n```")}, stop: model.StopEnd},
	} {
		_, last := askFake(t, f)
		if len(last.Message.Raw) == 0 || last.Stop != f.stop || len(last.Message.Parts) != len(f.parts) {
			t.Errorf("%+v became %s %+v", f.parts, last.Stop, last.Message.Parts)
		}
	}
}

func TestALeakNeedsAToolThatMayBeCalled(t *testing.T) {
	for _, row := range []struct {
		rule, choice, schema string
		calls                int
	}{
		{"no schema takes any object", "", "", 1},
		{"required is a call like any", "required", `{"type":"object"}`, 1},
		{"none means no call", "none", `{"type":"object"}`, 0},
		{"what cannot be checked does not run", "", `{"type":"nonsense"}`, 0},
		{"what does not fit does not run", "", `{"type":"object","properties":{"path":{"type":"boolean"}}}`, 0},
	} {
		_, last := asked(t, &fakeModel{parts: []model.Part{model.Text(leak)}, stop: model.StopEnd}, row.choice, row.schema)
		if n := len(last.Message.Calls()); n != row.calls {
			t.Errorf("%s: %d calls in %+v", row.rule, n, last.Message.Parts)
		}
	}
}

func TestADamagedNameIsRepairedAndKeepsItsIDs(t *testing.T) {
	call := model.Part{Kind: model.CallKind, ID: "c12345678", ProviderID: "p", Name: "functions.read<|channel|>commentary", Args: `{"path":"a"}`}
	_, last := askFake(t, &fakeModel{parts: []model.Part{call}, stop: model.StopCalls})
	got := last.Message.Calls()
	if len(got) != 1 || got[0].Name != "read" || got[0].ID != "c12345678" || got[0].ProviderID != "p" {
		t.Errorf("%+v", got)
	}
}

func TestACutCallStaysCut(t *testing.T) {
	call := model.Part{Kind: model.CallKind, ID: "c12345678", Name: "functions.read", Args: `{"path":"a`, Truncated: true}
	_, last := askFake(t, &fakeModel{parts: []model.Part{call}, stop: model.StopLength})
	got := last.Message.Calls()
	if len(got) != 1 || !got[0].Truncated || last.Stop != model.StopLength {
		t.Errorf("%s with %+v", last.Stop, got)
	}
}

func TestWhatAProviderCouldNotRead(t *testing.T) {
	rows := []struct {
		rule, text string
		stop       model.Stop
		calls      int
	}{
		{"a call in another form", `<function=read>{"path":"a.go"}</function>`, model.StopCalls, 1},
		{"words are the answer", "I cannot do that (sorry).", model.StopEnd, 0},
		{"code stays malformed", "Malformed function call: print(x)", model.StopMalformed, 0},
		{"an unknown tool stays malformed", `<function=erase>{"path":"a.go"}</function>`, model.StopMalformed, 0},
	}
	for _, r := range rows {
		_, last := askFake(t, &fakeModel{parts: []model.Part{model.Text(r.text)}, stop: model.StopMalformed})
		if last.Stop != r.stop || len(last.Message.Calls()) != r.calls {
			t.Errorf("%s: %s with %+v", r.rule, last.Stop, last.Message.Parts)
		}
	}
}
