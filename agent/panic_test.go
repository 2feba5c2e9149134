package agent

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/model"
	"rein/tool"
)

// panickingModel is a model that panics: when it is asked, or in the middle of its answer.
type panickingModel struct{ early bool }

func (panickingModel) Info() model.Info { return model.Info{Provider: "script", Name: "panics"} }

func (m panickingModel) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	if m.early {
		panic("a model")
	}
	return func(yield func(model.Chunk, error) bool) {
		yield(model.Chunk{Kind: model.TextChunk, Text: "I am"}, nil)
		panic("a model")
	}
}

// panickingJournal panics at an event of a kind.
type panickingJournal struct{ at event.Kind }

func (j panickingJournal) Append(events ...event.Event) error {
	if slices.ContainsFunc(events, func(e event.Event) bool { return e.Kind == j.at }) {
		panic("a journal")
	}
	return nil
}

// noTeam is a team whose sub-agents cannot be made.
type noTeam struct{ pair }

func (noTeam) Narrow(context.Context, []string, string, event.SubAgent) (Narrowing, error) {
	panic("a team")
}

// TestNoPartOfOthersEndsTheProcess has parts of a session that panic. The session always ends with Stopped.
func TestNoPartOfOthersEndsTheProcess(t *testing.T) {
	rows := map[string]struct {
		breaks func(f *fixture, sub *Agent)
		stop   event.Stop
		text   string
	}{
		"nothing":                      {func(*fixture, *Agent) {}, event.Done, "ready"},
		"the model":                    {func(f *fixture, _ *Agent) { f.Model = panickingModel{} }, event.Failed, "script: answer not understood: internal error: a model"},
		"the model, early":             {func(f *fixture, _ *Agent) { f.Model = panickingModel{true} }, event.Failed, "script: answer not understood: internal error: a model"},
		"the sub-agent's":              {func(_ *fixture, sub *Agent) { sub.Model = panickingModel{} }, event.Done, "ready"},
		"another model is left":        {func(f *fixture, _ *Agent) { f.Model, f.Fallback = panickingModel{}, []model.Model{f.model} }, event.Done, "ready"},
		"the watcher":                  {func(f *fixture, _ *Agent) { f.options.Watch = func(event.Event) { panic("a watcher") } }, event.Done, "ready"},
		"the journal at first":         {func(f *fixture, _ *Agent) { f.options.Journal = panickingJournal{event.Started} }, event.Failed, "the journal failed with an internal error: a journal"},
		"the journal of calls":         {func(f *fixture, _ *Agent) { f.options.Journal = panickingJournal{event.Called} }, event.Failed, "it could not be recorded (the journal failed with an internal error: a journal)"},
		"the last line of the journal": {func(f *fixture, _ *Agent) { f.options.Journal = panickingJournal{event.Stopped} }, event.Failed, "the journal failed with an internal error: a journal"},
		"the sub-agent's journal": {func(f *fixture, _ *Agent) {
			f.options.Child = func(string) (event.Journal, error) { panic("a store") }
		}, event.Done, "ready"},
		"the team": {func(f *fixture, sub *Agent) { f.Team = noTeam{pair{sub}} }, event.Done, "ready"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			p, c := family(t, []turn{answer(model.StopCalls, task("1").part(), task("2").part()), says("ready")}, []turn{says("found"), says("found")})
			row.breaks(p, &c.Agent)
			_, last, err := drain(t, p.start().Send(t.Context(), model.Text("go")))
			if last.Kind != event.Stopped || last.Stop != row.stop || last.Text != row.text || (err != nil) != (row.stop == event.Failed) {
				t.Errorf("got %+v, %v", last, err)
			}
		})
	}
}

// part returns the call of a turn with one call.
func (t turn) part() model.Part {
	c, _ := t(nil) // it never fails
	return c.Message.Parts[0]
}

// TestTheCallersPanicIsTheCallers: what the loop over the events does is not the session's.
func TestTheCallersPanicIsTheCallers(t *testing.T) {
	defer func() {
		if p := recover(); p != "the caller" {
			t.Errorf("recovered %v", p)
		}
	}()
	f := newFixture(t, says("ready"))
	for e := range f.start().Send(t.Context(), model.Text("go")) {
		if e.Kind == event.Responded {
			panic("the caller")
		}
	}
}

// forgetful is a guard that cannot be shown what happened.
type forgetful struct{ guard.Guard }

func (forgetful) Prompted(string)                    {}
func (forgetful) Granted(guard.Case, guard.Answer)   {}
func (forgetful) Refused(guard.Case, guard.Answer)   {}
func (forgetful) Ran(guard.Case, tool.Result) string { panic("a guard") }

func TestASessionIsNotResumedWithAGuardThatForgets(t *testing.T) {
	st := newStore(t)
	f := newFixture(t, calls("do:1"), says("ready"))
	if _, _, err := drain(t, f.Start(st.options("s")).Send(t.Context(), model.Text("go"))); err != nil {
		t.Fatal(err)
	}
	f.Calls.Guard = forgetful{f.Calls.Guard}
	_, err := f.Load(SessionOptions{ID: "s"}, st.read("s"))
	if err == nil || !strings.Contains(err.Error(), "guard failed") || errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
