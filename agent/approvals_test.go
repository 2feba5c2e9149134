package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/model"
	"rein/tool"
)

// TestAnApprovalIsAnsweredInANewProcess suspends a session, and answers its requests as data.
func TestAnApprovalIsAnsweredInANewProcess(t *testing.T) {
	rows := map[string]struct {
		answer guard.Answer
		epoch  string // in the second process
		ran    int32
		says   string // to the model
		story  string // what the second process records of the call
	}{
		"approved":                         {guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, "e", 1, "did it", "called granted replied"},
		"denied":                           {guard.Answer{By: guard.ByPerson(""), Words: "use make"}, "e", 0, "use make", "called refused replied"},
		"approved, then the rules changed": {guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, "new", 0, "", "called approval_void approval_requested"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			st := newStore(t)
			f := newFixture(t, calls("ask:1"))
			f.Calls.Epoch = "e"
			later(f)
			o := st.options("s")
			drain(t, f.Start(o).Send(t.Context(), model.Text("go")))
			o.Journal.(*journal.File).Close()

			f = newFixture(t, says("ready"))
			f.Calls.Epoch = row.epoch
			later(f)
			s, err := f.Load(st.options("s"), st.read("s"))
			if err != nil {
				t.Fatal(err)
			}
			pending := s.Pending()
			if len(pending) != 1 || pending[0].ID != "1" || pending[0].Session != "s" || pending[0].Hash == "" || pending[0].Verdict.Reason != "it is a test" {
				t.Fatalf("pending: %+v", pending)
			}
			if text, err := json.Marshal(pending); err != nil || !strings.Contains(string(text), `"hash"`) {
				t.Errorf("as JSON: %s, %v", text, err)
			}
			if err := s.Answer(pending[0].ID, row.answer); err != nil {
				t.Fatal(err)
			}
			if err := s.Answer("1", row.answer); err == nil || len(s.Pending()) != 0 {
				t.Error("a request was answered twice")
			}
			var story []string
			var last event.Event
			for e := range s.Resume(t.Context()) {
				if e.Call != nil && e.Kind != event.Output {
					story = append(story, string(e.Kind))
				}
				last = e
			}
			if got := strings.Join(story, " "); got != row.story || f.ran.Load() != row.ran {
				t.Errorf("%q, ran %d times", got, f.ran.Load())
			}
			if row.says == "" {
				if again := s.Pending(); last.Stop != event.Waiting || len(again) != 1 || again[0].Hash == pending[0].Hash {
					t.Errorf("stopped with %s, pending %+v", last.Stop, again)
				}
				return
			}
			sent, _ := json.Marshal(f.model.asked[0].Messages)
			if last.Stop != event.Done || !strings.Contains(string(sent), row.says) {
				t.Errorf("stopped with %s, the model got %s", last.Stop, sent)
			}
		})
	}
}

// A call that the user changed is in the next process what it became, whatever the model sent.
func TestAChangedCallStaysChangedInANewProcess(t *testing.T) {
	yes := guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}
	edited := yes
	edited.Args = `{"path":"b & c"}`
	unfit := yes
	unfit.Args = `{"path":{}}`
	rows := map[string]struct {
		answers []guard.Answer // in the first process
		between guard.Answer   // Later: nobody answers
		epoch   string         // in the second process
		allowed string         // the path that a rule allows there
		asked   string         // the paths that are shown there
		ran     string
	}{
		"it is asked again":                     {[]guard.Answer{edited, {Choice: guard.Later}}, guard.Answer{Choice: guard.Later}, "e", "", "b & c", "b & c"},
		"an approval counts":                    {[]guard.Answer{edited, {Choice: guard.Later}}, yes, "e", "", "", "b & c"},
		"not under other rules":                 {[]guard.Answer{edited, {Choice: guard.Later}}, yes, "new", "", "b & c", "b & c"},
		"the first one is allowed meanwhile":    {[]guard.Answer{edited, {Choice: guard.Later}}, guard.Answer{Choice: guard.Later}, "e", "a", "b & c", "b & c"},
		"the changed one is allowed meanwhile":  {[]guard.Answer{edited, {Choice: guard.Later}}, guard.Answer{Choice: guard.Later}, "e", "b & c", "", "b & c"},
		"a denial counts":                       {[]guard.Answer{edited, {Choice: guard.Later}}, guard.Answer{By: guard.ByPerson("")}, "e", "", "", ""},
		"one that was not changed is as it was": {[]guard.Answer{{Choice: guard.Later}}, guard.Answer{Choice: guard.Later}, "new", "", "a", "a"},
		"nor one whose change was of no use":    {[]guard.Answer{unfit, {Choice: guard.Later}}, guard.Answer{Choice: guard.Later}, "new", "", "a", "a"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			ran, asked, allowed := "", []string{}, ""
			answers := row.answers
			open := func(epoch string, turns ...turn) *fixture {
				f := newFixture(t, turns...)
				type args struct {
					Path string `json:"path"`
				}
				put := tool.New("put", "for tests", tool.Writes, func(_ context.Context, in args, r *tool.Reply) error {
					ran += in.Path
					return nil
				})
				var err error
				if f.Calls.Tools, err = tool.NewSet(put); err != nil {
					t.Fatal(err)
				}
				path := func(c guard.Case) string {
					var in args
					json.Unmarshal(c.Call.Args, &in)
					return in.Path
				}
				f.Calls.Epoch, f.Calls.Guard = epoch, guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
					if path(c) == allowed {
						return guard.Verdict{}
					}
					return guard.Verdict{Decision: guard.Ask, Reason: "it is a test"}
				})
				f.Calls.Approver = guard.ApproverFunc(func(_ context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
					asked = append(asked, path(c))
					a := answers[0]
					answers = answers[1:]
					return a, nil
				})
				return f
			}
			st := newStore(t)
			f := open("e", answer(model.StopCalls, model.Part{Kind: model.CallKind, ID: "1", Name: "put", Args: `{"path":"a"}`}))
			o := st.options("s")
			drain(t, f.Start(o).Send(t.Context(), model.Text("go")))
			o.Journal.(*journal.File).Close()

			allowed, asked, answers = row.allowed, nil, []guard.Answer{yes}
			f = open(row.epoch, says("ready"))
			s, err := f.Load(st.options("s"), st.read("s"))
			if err != nil {
				t.Fatal(err)
			}
			if row.between.Choice != guard.Later {
				if err := s.Answer("1", row.between); err != nil {
					t.Fatal(err)
				}
			}
			_, last, err := drain(t, s.Resume(t.Context()))
			if got := strings.Join(asked, ", "); err != nil || last.Stop != event.Done || ran != row.ran || got != row.asked {
				t.Errorf("asked for %q, ran %q, stopped with %s, %v", got, ran, last.Stop, err)
			}
			if sent, _ := json.Marshal(f.model.asked[0].Messages); row.ran != "" && strings.Contains(string(sent), "changed") != (row.ran == "b & c") {
				t.Errorf("the model got %s", sent)
			}
		})
	}
}

func TestAnswerRefuses(t *testing.T) {
	f := newFixture(t, calls("ask:1"), says("ready"))
	later(f)
	s := f.start()
	yes := guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}
	if err := s.Answer("1", yes); err == nil {
		t.Error("an answer to nothing was taken")
	}
	for range s.Send(t.Context(), model.Text("go")) {
		if err := s.Answer("1", yes); !errors.Is(err, ErrBusy) {
			t.Fatalf("while it works: %v", err)
		}
	}
	for _, choice := range []guard.Choice{guard.Later, guard.Abstain} {
		if err := s.Answer("1", guard.Answer{Choice: choice}); err == nil {
			t.Errorf("%v was taken as an answer", choice)
		}
	}
	for _, id := range []string{"2", "other/1", "/1", ""} {
		if err := s.Answer(id, yes); err == nil {
			t.Errorf("an answer to %q was taken", id)
		}
	}
	if err := s.Answer("1", yes); err != nil {
		t.Error(err)
	}
}

func TestPendingIsSeenWhileAnApproverIsAsked(t *testing.T) {
	f := newFixture(t, calls("ask:1", "ask:2"), says("ready"))
	var s *Session
	seen, mu := 0, sync.Mutex{} // both calls are asked about at once
	f.Calls.Approver = guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
		mu.Lock()
		defer mu.Unlock()
		seen = max(seen, len(s.Pending()))
		return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
	})
	s = f.start()
	drain(t, s.Send(t.Context(), model.Text("go")))
	if seen == 0 || len(s.Pending()) != 0 {
		t.Errorf("%d requests seen, %d left", seen, len(s.Pending()))
	}
}
