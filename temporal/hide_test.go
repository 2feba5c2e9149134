package temporal

import (
	"context"
	"iter"
	"strings"
	"testing"

	"rein/agent"
	"rein/event"
	"rein/model"
)

// requested keeps the last request.
type requested struct {
	model.Model
	last *model.Request
}

func (m *requested) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	m.last = r
	return m.Model.Stream(ctx, r)
}

// A secret that the host learns of after a result was recorded does not reach the model any more, and the journal keeps what it has.
func TestALateSecret(t *testing.T) {
	w := newWorld(t, `
turns:
- calls: [{name: note, id: c1, args: {path: a, text: swordfish}}]
- calls: [{name: read, id: c2, args: {path: a}}]
- calls: [{name: note, id: c3, args: {path: b, text: x}}]
- text: ready`)
	m := &requested{Model: w.model}
	w.model = m
	w.change = func(a *agent.Agent) { a.Team = nil }
	w.mask = func(text string) string {
		if w.file("b") == "" {
			return text // it is not known yet
		}
		return strings.ReplaceAll(text, "swordfish", "[hidden]")
	}
	env := w.env()
	send(env, 1, Message{Text: "go"})
	closeAfter(env, 1e12)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
	if last := w.last("s1"); last.Stop != event.Done {
		t.Fatalf("%+v", last)
	}
	text := ""
	for _, message := range m.last.Messages {
		for _, p := range message.Parts {
			if p.Kind == model.ResultKind {
				text += p.Text
			}
		}
	}
	if !strings.Contains(text, "[hidden]") || strings.Contains(text, "swordfish") {
		t.Errorf("the model gets %q", text)
	}
	if !strings.Contains(strings.Join(w.recorded(w.store, "s1"), ""), "swordfish") {
		t.Error("the journal was changed")
	}
}
