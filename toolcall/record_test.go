package toolcall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/tool"
)

// TestNoArgumentsMakeTheJournalFail records calls that are no JSON, are nested too deep, or are no UTF-8.
func TestNoArgumentsMakeTheJournalFail(t *testing.T) {
	for _, args := range []string{"{{{", "\xff\xfe", `{"path":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}", "null", "", `"text"`, "{} {}"} {
		j, _, err := journal.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Reads, reads, says("ran"))), Guard: allowAll}
		for _, name := range []string{"x", "nope\xff"} {
			results, err := r.Run(t.Context(), Scope{Journal: j}, []tool.Call{{ID: "1", Name: name, Args: json.RawMessage(args)}})
			if err != nil || !results[0].Failed {
				t.Errorf("%.40q: %+v, %v", args, results[0], err)
			}
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTheJournalIsWrittenBeforeTheEffect(t *testing.T) {
	j := &memory{}
	var atRun string
	spy := named("x", tool.Writes, writes, func(context.Context, pathArgs, *tool.Reply) error { atRun = j.story(); return nil })
	r := Runner{Mode: guard.Full, Tools: set(t, spy), Guard: allowAll}
	if _, err := r.Run(t.Context(), Scope{Journal: j}, []tool.Call{call("1", "x", "a"), call("2", "nope", "")}); err != nil {
		t.Fatal(err)
	}
	if want := "called 1;called 2;replied 2;granted 1;"; atRun != want {
		t.Errorf("when it ran the journal was %q, want %q", atRun, want)
	}
	if want := "called 1;called 2;replied 2;granted 1;replied 1;"; j.story() != want {
		t.Errorf("at the end it was %q, want %q", j.story(), want)
	}
}

func TestAFailedJournalStopsEverything(t *testing.T) {
	for _, kind := range []event.Kind{event.Called, event.ApprovalRequested, event.Granted} {
		for _, d := range []guard.Decision{guard.Allow, guard.Ask} {
			if d == guard.Allow && kind == event.ApprovalRequested {
				continue
			}
			t.Run(fmt.Sprint(kind, " when the verdict is ", d), func(t *testing.T) {
				var ran atomic.Int32
				spy := named("x", tool.Writes, writes, func(context.Context, pathArgs, *tool.Reply) error { ran.Add(1); return nil })
				yes := guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
					return guard.Answer{Choice: guard.Approved}, nil
				})
				r := Runner{Mode: guard.Full, Tools: set(t, spy), Guard: always(d), Approver: yes}
				_, err := r.Run(t.Context(), Scope{Journal: &memory{fail: kind}}, []tool.Call{call("1", "x", "a"), call("2", "x", "b")})
				if !errors.Is(err, errDisk) || ran.Load() != 0 {
					t.Errorf("%d calls ran; %v", ran.Load(), err)
				}
			})
		}
	}
}

func TestAGrantIsBoundToWhatRuns(t *testing.T) {
	j := &memory{}
	r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: allowAll, Root: "/w", RootID: "1:2", Epoch: "e"}
	if _, err := r.Run(t.Context(), Scope{ID: "s", Journal: j}, []tool.Call{call("1", "x", "a")}); err != nil {
		t.Fatal(err)
	}
	want := guard.Binding{Session: "s", Call: "1", Tool: "x", Args: call("1", "x", "a").Args, Root: "/w", RootID: "1:2", Mode: guard.Full, Rules: guard.Fingerprint(allowAll), Epoch: "e"}.Hash()
	if got := j.events[1].Grant; got == nil || got.Hash != want || got.By != "guard" {
		t.Errorf("got %+v", got)
	}
}

// A grant is only then not on disk before its call runs when the call reads, does nothing else, and no person was asked.
func TestOnlyReads(t *testing.T) {
	lists := func(i tool.Intent) func(pathArgs) tool.Intent { return func(pathArgs) tool.Intent { return i } }
	for name, row := range map[string]struct {
		effect  tool.Effect
		intent  tool.Intent
		nests   bool
		verdict guard.Decision
		want    bool
	}{
		"it reads":                     {effect: tool.Reads, intent: tool.Intent{Reads: []string{"a"}}, want: true},
		"it may write":                 {effect: tool.Reads | tool.Writes, intent: tool.Intent{Reads: []string{"a"}}},
		"it declares no effect":        {},
		"its intent writes":            {effect: tool.Reads, intent: tool.Intent{Writes: []string{"a"}}},
		"its intent is unknown":        {effect: tool.Reads, intent: tool.Intent{Unknown: true}},
		"its intent reaches a host":    {effect: tool.Reads, intent: tool.Intent{Hosts: []string{"example.com"}}},
		"its intent is a command":      {effect: tool.Reads, intent: tool.Intent{Command: "ls"}},
		"it requests access":           {effect: tool.Reads, intent: tool.Intent{RequestsAccess: true}},
		"it asks the user":             {effect: tool.Reads, intent: tool.Intent{Questions: &tool.Questions{}}},
		"it runs other tools":          {effect: tool.Reads, nests: true},
		"a person allowed it":          {effect: tool.Reads, verdict: guard.Ask},
		"a person allowed what writes": {effect: tool.Writes, verdict: guard.Ask, intent: tool.Intent{Writes: []string{"a"}}},
	} {
		j := &memory{}
		x := named("x", row.effect, lists(row.intent), says("ran"))
		x.Nests = row.nests
		yes := guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
			return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
		})
		r := Runner{Mode: guard.Full, Tools: set(t, x), Guard: always(row.verdict), Approver: yes}
		if _, err := r.Run(t.Context(), Scope{Journal: j}, []tool.Call{call("1", "x", "a")}); err != nil {
			t.Fatal(name, err)
		}
		granted := 0
		for _, e := range j.events {
			if e.Kind == event.Granted {
				granted++
				if e.Grant.OnlyReads != row.want || e.Synced() == row.want {
					t.Errorf("%s: %+v", name, e.Grant)
				}
			}
		}
		if granted != 1 {
			t.Errorf("%s: %d grants", name, granted)
		}
	}
}
