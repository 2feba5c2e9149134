package harness

import (
	"context"
	"iter"
	"regexp"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/model"
)

// reviewer is a model that approves each review.
type reviewer struct{ asked *int }

func (reviewer) Info() model.Info { return model.Info{Provider: "test", Name: "reviewer"} }

func (r reviewer) Stream(_ context.Context, q *model.Request) iter.Seq2[model.Chunk, error] {
	*r.asked++
	code := regexp.MustCompile(`"code": "([^"]+)"`).FindStringSubmatch(q.System)[1]
	return func(yield func(model.Chunk, error) bool) {
		yield(model.Chunk{Kind: model.Done, Message: &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text(`{"code":"` + code + `","verdict":"approve","reason":"fine"}`)}}}, nil)
	}
}

// In the mode auto a reviewer answers what it may, and the person gets the rest. The mode is recorded and kept.
func TestTheModeAuto(t *testing.T) {
	h, err := openWith(t, `{"mode":"auto"}`)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	var reviews, person int
	h.options.Reviewer = reviewer{&reviews}
	h.options.Person = funcPerson(func(context.Context, *Request) (guard.Answer, error) {
		person++
		return guard.Answer{Choice: guard.Denied, By: guard.ByUser}, nil
	})
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, `turns:
  - calls: [{name: bash, args: {command: mkdir -p build}}, {name: bash, args: {command: git push}}]
  - text: done
`)})
	if err != nil {
		t.Fatal(err)
	}
	if last := say(t, s, "make the directory build"); last.Stop != event.Done {
		t.Fatal(last)
	}
	if reviews != 1 || person != 1 {
		t.Errorf("%d reviews, %d requests to the person; want 1 and 1", reviews, person)
	}
	var reviewed, granted bool
	for e, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		reviewed = reviewed || e.Kind == event.Reviewed && e.Review.Verdict == "approved" && e.Review.Reason == "fine"
		granted = granted || e.Kind == event.Granted && e.Answer != nil && e.Answer.Words == "fine"
	}
	if !reviewed || !granted || s.How().Mode != "auto" {
		t.Errorf("reviewed %v, granted %v, mode %s", reviewed, granted, s.How().Mode)
	}
}
