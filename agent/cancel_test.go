package agent

import (
	"context"
	"errors"
	"iter"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/model"
	"rein/schema"
)

// deaf is a model that ignores its context, and calls a tool in each answer.
type deaf struct {
	asked  int
	answer func()
}

func (*deaf) Info() model.Info { return model.Info{Provider: "script", Name: "deaf"} }

func (m *deaf) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		m.asked++
		m.answer()
		yield(model.Chunk{Kind: model.Done, Message: &model.Message{Role: model.Assistant, Parts: []model.Part{{Kind: model.CallKind, ID: model.NewID(), Name: "do", Args: "{}"}}}}, nil)
	}
}

// TestACancelIsSeenBetweenTheSteps has a model that does not look at its context: it is not asked again, and none of its calls runs.
func TestACancelIsSeenBetweenTheSteps(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	m := &deaf{answer: cancel}
	f.Model = m
	_, last, err := drain(t, f.Start(f.options).Send(ctx, model.Text("go")))
	if err != nil || last.Stop != event.Cancelled || m.asked != 1 || f.ran.Load() != 0 {
		t.Errorf("%s, asked %d times, ran %d calls, %v", last.Stop, m.asked, f.ran.Load(), err)
	}
	m.asked = 0
	if _, last, _ = drain(t, f.Start(f.options).Send(ctx, model.Text("go"))); last.Stop != event.Cancelled || m.asked != 0 {
		t.Errorf("cancelled before: %s, asked %d times", last.Stop, m.asked)
	}
}

func TestWhatASessionRefuses(t *testing.T) {
	f := newFixture(t, says("ready"))
	for name, parts := range map[string][]model.Part{
		"no text": {model.Text("")}, "blanks": {model.Text(" \n")}, "an unknown kind": {{Kind: "video", Data: []byte("x")}}, "no image": {model.Image("image/png", nil)},
		"a call": {{Kind: model.CallKind, Name: "do"}}, "no part": {},
	} {
		if _, last, err := drain(t, f.Start(f.options).Send(t.Context(), parts...)); err == nil || last.Stop != event.Failed {
			t.Errorf("%s: %s, %v", name, last.Stop, err)
		}
	}
	if _, last, err := drain(t, f.Start(f.options).Send(t.Context(), model.Text(""), model.Image("image/png", []byte("x")))); err != nil || last.Stop != event.Done {
		t.Errorf("an image without a text: %s, %v", last.Stop, err)
	}
	if _, err := f.Load(SessionOptions{}, func(func(event.Event, error) bool) {}); err == nil {
		t.Error("a session of no events is loaded")
	}
	s := f.Start(f.options)
	if err := s.Answer("1", guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}); !errors.Is(err, ErrNotPending) {
		t.Errorf("an unknown request: %v", err)
	}
	f.Output = &schema.Schema{}
	if _, last, err := drain(t, f.Start(f.options).Send(t.Context(), model.Text("go"))); err == nil || last.Stop != event.Failed {
		t.Errorf("an empty schema: %s, %v", last.Stop, err)
	}
}
