package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/model"
)

// TestAWatcherChangesNothing has the watcher and the caller of Send write over the events that they get: the tool runs what the model
// sent, and the model reads what the tool wrote.
func TestAWatcherChangesNothing(t *testing.T) {
	f := newFixture(t, calls("do:1"), says("ready"))
	overwrite := func(e event.Event) {
		if e.Call != nil {
			e.Call.Name = "other"
			copy(e.Call.Args, strings.Repeat("x", len(e.Call.Args)))
		}
		if e.Result != nil {
			e.Result.Text = "overwritten"
		}
		copy(e.Message, strings.Repeat("x", len(e.Message)))
	}
	f.options.Watch = overwrite
	for e, err := range f.Start(f.options).Send(t.Context(), model.Text("go")) {
		if overwrite(e); err != nil {
			t.Fatal(err)
		}
	}
	sent, err := json.Marshal(f.model.asked[1].Messages)
	if err != nil || f.ran.Load() != 1 || !strings.Contains(string(sent), "did it") || strings.Contains(string(sent), "overwritten") {
		t.Errorf("ran %d times, the model got %s, %v", f.ran.Load(), sent, err)
	}
}

// TestASessionTakesNoOthersAnswerForAPersons answers a request that only a person may answer.
func TestASessionTakesNoOthersAnswerForAPersons(t *testing.T) {
	for _, by := range []guard.Who{guard.ByRule("x"), guard.ByDeadline(), guard.ByPolicy("user"), {}, guard.ByPerson("Mei")} {
		f := newFixture(t, calls("ask:1"), says("ready"))
		f.Calls.Guard = guard.Func(func(context.Context, guard.Case) guard.Verdict {
			return guard.Verdict{Decision: guard.Ask, PersonOnly: true, Reason: "it is a test"}
		})
		later(f)
		s := f.Start(f.options)
		drain(t, s.Send(t.Context(), model.Text("go")))
		if err := s.Answer("1", guard.Answer{Choice: guard.Approved, By: by}); err != nil {
			t.Fatal(err)
		}
		story, _, err := drain(t, s.Resume(t.Context()))
		if ran := f.ran.Load() == 1; err != nil || ran != by.IsPerson() || strings.Contains(story, string(event.Granted)) != ran {
			t.Errorf("the answer of %q: ran %v, %s, %v", by, ran, story, err)
		}
	}
}
