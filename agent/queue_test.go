package agent

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/tool"
)

// asUser returns what the user, the program and the model said, as one request has it.
func asUser(r *model.Request) (said []string) {
	for _, m := range r.Messages {
		if m.Role == model.User || m.Role == model.Assistant && m.Text() != "" {
			said = append(said, string(m.Role)+": "+m.Text())
		}
	}
	return said
}

// whileCalling has the session do something while its first call runs.
func whileCalling(t *testing.T, do func(*Session), turns ...turn) (*fixture, *Session) {
	f := newFixture(t, turns...)
	var s *Session
	tools, err := tool.NewSet(instrument("do", func(context.Context, *tool.Reply) error {
		do(s)
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	f.Calls.Tools = tools
	s = f.start()
	return f, s
}

func TestSteeredMessagesComeWithTheNextRequest(t *testing.T) {
	f, s := whileCalling(t, func(s *Session) {
		if err := errors.Join(s.Queue().Add(model.Text("later")), s.Steer(model.Text("one")), s.Steer(model.Text("two")), s.Queue().Add(model.Text("last"))); err != nil {
			t.Error(err)
		}
		s.Queue().HintAbout("mode", "the mode is ask now")
		s.Queue().Hint("files were undone")
		s.Queue().HintAbout("mode", "the mode is plan now") // the one before was never seen
		if n := len(s.Queue().List()); n != 4 {
			t.Errorf("%d messages wait, want 4", n)
		}
	}, calls("do:1"), says("a"), says("b"), says("c"))
	story, last, err := drain(t, s.Send(t.Context(), model.Text("go")))
	if err != nil || last.Stop != event.Done || last.Text != "c" {
		t.Fatal(last, err)
	}
	want := []string{"user: go", "user: one", "user: two", "user: files were undone", "user: the mode is plan now", "assistant: a", "user: later", "assistant: b", "user: last"}
	if diff := cmp.Diff(want, asUser(f.model.asked[3])); diff != "" {
		t.Error(diff)
	}
	if n := strings.Count(story, "prompt"); n != 5 {
		t.Errorf("%d prompts in %s", n, story)
	}
	if err := s.Steer(model.Text("x")); !errors.Is(err, ErrIdle) {
		t.Error("an idle session took a message:", err)
	}
}

// A message that comes with the last answer is not lost: the model gets another request.
func TestSteerAtTheLastAnswer(t *testing.T) {
	f := newFixture(t)
	var s *Session
	f.model.turns = []turn{func(r *model.Request) (model.Chunk, error) {
		if err := s.Steer(model.Text("wait")); err != nil {
			t.Error(err)
		}
		return says("done")(r)
	}, says("really done")}
	s = f.start()
	if _, last, err := drain(t, s.Send(t.Context(), model.Text("go"))); err != nil || last.Text != "really done" {
		t.Fatal(last, err)
	}
}

func TestUnqueue(t *testing.T) {
	_, s := whileCalling(t, func(s *Session) {
		_ = s.Queue().Add(model.Text("no"))
		_ = s.Queue().Add(model.Text("yes"))
		if !s.Queue().Remove(s.Queue().List()[0].ID) || s.Queue().Remove(99) {
			t.Error("the wrong message was taken back")
		}
	}, calls("do:1"), says("a"), says("b"))
	if _, _, err := drain(t, s.Send(t.Context(), model.Text("go"))); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Messages()); n != 6 { // go, call, result, a, yes, b
		t.Errorf("%d messages", n)
	}
}

// What came of an answer stays when the user interrupts it, in the session and in its journal.
func TestAnInterruptKeepsWhatCame(t *testing.T) {
	f := newFixture(t)
	m := &talking{words: []string{"Half ", "an answer"}}
	f.Model = m
	dir := t.TempDir()
	j, _, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.options = SessionOptions{ID: "s", Journal: j}
	s := f.start()
	ctx, cancel := context.WithCancel(t.Context())
	m.after = cancel
	_, last, err := drain(t, s.Send(ctx, model.Text("go")))
	if err != nil || last.Stop != event.Cancelled {
		t.Fatal(last, err)
	}
	want := "Half an answer" + interrupted
	if got := s.Messages()[1].Text(); got != want {
		t.Errorf("kept %q", got)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := f.Load(f.options, journal.Read(filepath.Join(dir, journal.FileName)))
	if err != nil || len(again.Messages()) != 2 || again.Messages()[1].Text() != want {
		t.Error("after loading:", err, again.Messages())
	}
}

func TestUseChangesTheModelOfAnIdleSession(t *testing.T) {
	f, s := whileCalling(t, func(s *Session) {
		if err := s.Use(s.agent); !errors.Is(err, ErrBusy) {
			t.Error("a session at work changed its agent:", err)
		}
	}, calls("do:1"), says("a"))
	if _, _, err := drain(t, s.Send(t.Context(), model.Text("go"))); err != nil {
		t.Fatal(err)
	}
	other := f.Agent
	next := &scripted{turns: []turn{says("b")}}
	other.Model = next
	if err := s.Use(&other); err != nil {
		t.Fatal(err)
	}
	story, last, err := drain(t, s.Send(t.Context(), model.Text("more")))
	if err != nil || last.Text != "b" || !strings.HasPrefix(story, "started") {
		t.Error(story, last, err)
	}
	if !slices.Contains(asUser(next.asked[0]), "assistant: a") {
		t.Error("the other model did not get the conversation")
	}
}

// talking is a model that writes words and then waits until it is cancelled.
type talking struct {
	words []string
	after func()
}

func (talking) Info() model.Info { return model.Info{Provider: "script", Name: "test"} }

func (m *talking) Stream(ctx context.Context, _ *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for _, w := range m.words {
			if !yield(model.Chunk{Kind: model.TextChunk, Text: w}, nil) {
				return
			}
		}
		m.after()
		<-ctx.Done()
		yield(model.Chunk{}, context.Cause(ctx))
	}
}
