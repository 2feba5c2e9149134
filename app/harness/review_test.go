package harness

import (
	"context"
	"iter"
	"regexp"
	"slices"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/hook"
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
	h.options.Models = map[string]model.Model{ownReviewer: reviewer{&reviews}}
	h.options.Person = funcPerson(func(context.Context, *Request) (guard.Answer, error) {
		person++
		return guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")}, nil
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
	if !reviewed || !granted || s.Terms().Mode != "auto" {
		t.Errorf("reviewed %v, granted %v, mode %s", reviewed, granted, s.Terms().Mode)
	}
}

// What hooks and the reviewer do about an approval request is shown at once, and hooks see that a person is wanted, also where the session
// is suspended.
func TestWhatHappensToARequestIsShown(t *testing.T) {
	wanted := make(chan string, 1)
	h := inFolder(t, nil, Options{Terms: event.Terms{Mode: "auto", Sandbox: "off"}, Unattended: Suspend, Hooks: []hook.Hook{
		{Name: "looks", Event: hook.PermissionRequest, Run: func(context.Context, hook.Input) (hook.Output, error) {
			return hook.Output{Notice: "I looked"}, nil
		}},
		{Name: "tells", Event: hook.Notification, Run: func(_ context.Context, in hook.Input) (hook.Output, error) {
			wanted <- in.Why
			return hook.Output{}, nil
		}},
	}})
	h.options.Models = map[string]model.Model{ownReviewer: scripted(t, "turns: [{text: I do not know.}]")}
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, "turns: [{calls: [{name: bash, args: {command: mkdir build}}]}, {text: Done.}]")})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []event.Kind
	seq := int64(0)
	for _, e := range sendAll(t, s, "make the directory build") {
		if e.Seq > 0 && e.Session == s.ID() {
			if e.Seq <= seq {
				t.Errorf("event %d after %d", e.Seq, seq)
			}
			seq = e.Seq
		}
		kinds = append(kinds, e.Kind)
	}
	if !slices.Contains(kinds, event.Hooked) || !slices.Contains(kinds, event.Reviewed) || kinds[len(kinds)-1] != event.Stopped {
		t.Errorf("%v", kinds)
	}
	if why := <-wanted; why != "permission_prompt" {
		t.Errorf("the hook saw %q", why)
	}
}
