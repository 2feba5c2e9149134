package agent

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"rein/event"
	"rein/model"
)

// slow is a model that takes its time, begins twice, and reports its usage.
type slow struct{}

func (slow) Info() model.Info { return model.Info{Provider: "script", Name: "slow"} }

func (slow) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		chunks := []model.Chunk{
			{Kind: model.TextChunk, Text: "lost"},
			{Kind: model.Restart, Text: "again", Retries: 1},
			{Kind: model.ThinkingChunk, Text: "hm"}, {Kind: model.ThinkingChunk, Text: "m"},
			{Kind: model.TextChunk, Text: "zwö"}, {Kind: model.TextChunk, Text: "lf"},
			{Kind: model.Done, Stop: model.StopEnd, Retries: 1, Message: &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text("zwölf")}},
				Usage: model.Usage{Input: 10, Output: 5, CacheRead: 4, CacheWrite: 3, Thinking: 2, Cost: 0.25}},
		}
		for _, c := range chunks {
			time.Sleep(time.Second)
			if !yield(c, nil) {
				return
			}
		}
	}
}

func TestTheEventsOfARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := Agent{Model: slow{}}
		text, thought := "", ""
		var requested, responded event.Event
		for e := range a.Start(SessionOptions{}).Send(t.Context(), model.Text("go")) {
			switch e.Kind {
			case event.Requested:
				requested = e
			case event.Restarted:
				text, thought = "", ""
			case event.Delta:
				if e.Offset != int64(len(text)) {
					t.Errorf("%q has offset %d, want %d", e.Text, e.Offset, len(text))
				}
				text += e.Text
			case event.Thought:
				if e.Offset != int64(len(thought)) {
					t.Errorf("%q has offset %d, want %d", e.Text, e.Offset, len(thought))
				}
				thought += e.Text
			case event.Responded:
				responded = e
			}
		}
		if requested.Request == nil || requested.Request.Model != "script/slow" || requested.Turn != 1 {
			t.Errorf("requested: %+v", requested)
		}
		want := event.Request{Model: "script/slow", FirstToken: 3 * time.Second, Duration: 7 * time.Second, Retries: 1}
		if responded.Request == nil || *responded.Request != want {
			t.Errorf("responded: %+v", responded.Request)
		}
		if u := (event.Usage{Input: 10, Output: 5, CacheRead: 4, CacheWrite: 3, Thinking: 2, Cost: 0.25}); responded.Usage == nil || *responded.Usage != u {
			t.Errorf("usage: %+v", responded.Usage)
		}
	})
}

// TestEveryRecordedEventHasItsNumber compares what a watcher sees with the journal.
func TestEveryRecordedEventHasItsNumber(t *testing.T) {
	st := newStore(t)
	sub := func(id string) model.Part {
		return model.Part{Kind: model.CallKind, ID: id, Name: "sub", Args: `{"task":"look"}`}
	}
	p, c := family(t, []turn{calls("do:1", "do:2", "do:3", "do:4"), answer(model.StopCalls, sub("5"), sub("6"), sub("7")), says("ready")}, nil)
	c.Model = &perSession{}
	seen := map[string][]int64{}
	o := st.options("s")
	o.Watch = func(e event.Event) {
		if e.Seq > 0 {
			seen[e.Session] = append(seen[e.Session], e.Seq)
		}
	}
	drain(t, p.Start(o).Send(t.Context(), model.Text("go")))
	if len(seen) != 4 {
		t.Fatalf("%d sessions", len(seen))
	}
	for id, numbers := range seen {
		if n := len(st.kinds(id)); n != len(numbers) {
			t.Errorf("%s: %d events recorded, %d seen", id, n, len(numbers))
		}
		for i, n := range numbers {
			if n != int64(i+1) {
				t.Errorf("%s: event %d has number %d", id, i+1, n)
			}
		}
	}
}
