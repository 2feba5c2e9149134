package modeltest_test

import (
	"strings"
	"testing"

	"rein/kit/providers/wire"
	"rein/model"
)

// asked returns what an adapter sends for each request in turn, and the notices that it gives.
func asked(t *testing.T, open func(wire.HTTP) model.Model, requests ...*model.Request) (bodies, notices []string) {
	t.Helper()
	l := &listening{}
	h := wire.HTTP{Who: model.Info{Provider: "test", Name: "scripted"}, Base: "http://recorded.invalid"}
	h.Transport = l
	m := open(h)
	for _, r := range requests {
		for c := range m.Stream(ctx, r) {
			if c.Kind == model.Notice {
				notices = append(notices, c.Text)
			}
		}
		bodies = append(bodies, string(l.body))
	}
	return bodies, notices
}

func TestABadToolIsLeftOutAlone(t *testing.T) {
	good, bad := model.ToolSpec{Name: "good"}, model.ToolSpec{Name: "broken", Schema: []byte(`{"type":`)}
	user := []*model.Message{model.UserText("x")}
	both := &model.Request{Messages: user, Tools: []model.ToolSpec{bad, good}, Choice: "broken"}
	alone := &model.Request{Messages: user, Tools: []model.ToolSpec{bad}, Choice: "required"}
	for _, p := range protocols {
		bodies, notices := asked(t, p.open, both, alone, both, both)
		if len(notices) != 1 || !strings.Contains(notices[0], "broken") {
			t.Errorf("%s: notices %q", p.name, notices)
		}
		if !strings.Contains(bodies[0], `"good"`) || strings.Contains(bodies[0], "broken") || bodies[3] != bodies[0] {
			t.Errorf("%s: sent %s", p.name, bodies[0])
		}
		if strings.Contains(bodies[1], "tool") {
			t.Errorf("%s: sent %s", p.name, bodies[1])
		}
	}
}

// history is a conversation with one call by another model.
func history(name, args string) []*model.Message {
	call := &model.Message{Role: model.Assistant, From: "other/model", Parts: []model.Part{{Kind: model.CallKind, ID: "abcdefghi", Name: name, Args: args}}}
	return []*model.Message{model.UserText("x"), call, model.Answer(call, model.Result("abcdefghi", "done", false))}
}

func TestArgumentsOfEarlierCallsFollowTheProvider(t *testing.T) {
	tools := []model.ToolSpec{{Name: "f", Schema: []byte(`{"type":"object","properties":{"a-b":{"type":"integer"}}}`)}}
	r := &model.Request{Messages: history("f", `{"a-b":1}`), Tools: tools}
	later := &model.Request{Messages: r.Messages}
	rows := map[string]string{"gemini": `{"a_b":1}`, "messages": `{"a-b":1}`, "chat": `"{\"a-b\":1}"`, "responses": `"{\"a-b\":1}"`}
	for _, p := range protocols {
		bodies, _ := asked(t, p.open, r, later, r)
		if !strings.Contains(bodies[0], rows[p.name]) || bodies[2] != bodies[0] {
			t.Errorf("%s: sent %s", p.name, bodies[0])
		}
		if p.name == "gemini" && !strings.Contains(bodies[1], `{"a-b":1}`) {
			t.Errorf("%s: without the tool sent %s", p.name, bodies[1])
		}
	}
}

func TestNamesOfToolsDoNotCollide(t *testing.T) {
	tools := []model.ToolSpec{{Name: "f.g"}, {Name: "f_g"}, {Name: "h.i"}}
	for _, p := range protocols {
		dotted, _ := asked(t, p.open, &model.Request{Messages: history("h.i", "{}"), Tools: tools, Choice: "h.i"})
		named := 3 // the tool, the call, the choice; that of Cohere has no name
		if p.name == "cohere" {
			named = 2
		}
		if n := strings.Count(dotted[0], `"h_i"`); n < named || strings.Contains(dotted[0], "h.i") || strings.Contains(dotted[0], "f.g") {
			t.Errorf("%s: %d times in %s", p.name, n, dotted[0])
		}
		if n := strings.Count(dotted[0], `"f_g"`); n != 1 {
			t.Errorf("%s: two tools have one name in %s", p.name, dotted[0])
		}
		gone, _ := asked(t, p.open, &model.Request{Messages: history("gone.tool", "{}"), Tools: tools})
		if strings.Contains(gone[0], "gone.tool") || !strings.Contains(gone[0], wire.ToolName("gone.tool")) {
			t.Errorf("%s: sent %s", p.name, gone[0])
		}
	}
}

func TestNamesComeBack(t *testing.T) {
	tools := []model.ToolSpec{{Name: "f.g"}, {Name: "f_g"}, {Name: "h.i"}}
	for sent, want := range map[string]string{"f_g": "f_g", "h_i": "h.i", "h.i": "h.i", "other.one": "other.one"} {
		piece := delta(`"tool_calls":[{"index":0,"id":"1","function":{"name":"` + sent + `","arguments":""}}]`)
		answer := events(piece, piece, stopped) // some servers repeat the name
		h := wire.HTTP{Who: model.Info{Provider: "test", Name: "scripted"}, Base: "http://recorded.invalid"}
		h.Transport = replay{"text/event-stream", []byte(answer)}
		done, err := model.Ask(ctx, opener("chat")(h), &model.Request{Messages: []*model.Message{model.UserText("x")}, Tools: tools})
		if err != nil || len(done.Message.Calls()) != 1 || done.Message.Calls()[0].Name != want {
			t.Errorf("%s: got %+v, %v", sent, done.Message, err)
		}
	}
}
