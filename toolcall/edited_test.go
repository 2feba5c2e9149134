package toolcall

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/tool"
)

// byPath returns a verdict for each path that a call writes.
func byPath(c guard.Case) guard.Verdict {
	switch path := strings.Join(c.Intent.Writes, ""); {
	case strings.HasPrefix(path, "free"):
		return guard.Verdict{}
	case strings.HasPrefix(path, "never"):
		return guard.Verdict{Decision: guard.Deny, Reason: "it is protected"}
	}
	return guard.Verdict{Decision: guard.Ask, Reason: "it writes"}
}

func edit(path string) guard.Answer {
	return guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Args: fmt.Sprintf(`{"path":%q}`, path)}
}

// A call that the user changed is judged again: nothing runs that the guards deny, and where they ask, the user approves exactly
// what runs.
func TestAnEditedCallIsJudgedAgain(t *testing.T) {
	yes := guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}
	rows := map[string]struct {
		answers []guard.Answer
		ran     string // the path; "": nothing ran
		asked   int
		text    string
	}{
		"the guards allow the edited one":        {[]guard.Answer{edit("free")}, "free", 1, "the user changed the arguments"},
		"they ask, and the user approves":        {[]guard.Answer{edit("b"), yes}, "b", 2, "the user changed the arguments"},
		"they ask, and the user does not":        {[]guard.Answer{edit("b"), {By: guard.ByPerson("")}}, "", 2, "denied"},
		"the model reads which call was denied":  {[]guard.Answer{edit("b"), {By: guard.ByPerson("")}}, "", 2, `The arguments were changed to {"path":"b"}. `},
		"that of the last change":                {[]guard.Answer{edit("b"), edit("c"), {By: guard.ByPerson("")}}, "", 3, `The arguments were changed to {"path":"c"}. `},
		"and which the guards denied":            {[]guard.Answer{edit("never")}, "", 1, `The arguments were changed to {"path":"never"}. `},
		"they deny it":                           {[]guard.Answer{edit("never")}, "", 1, "it is protected"},
		"it is edited twice":                     {[]guard.Answer{edit("b"), edit("c"), yes}, "c", 3, "the user changed the arguments"},
		"the tool does not take it":              {[]guard.Answer{{Choice: guard.Approved, By: guard.ByPerson(""), Args: `{"nope":1}`}, yes}, "a", 2, "ran"},
		"it is not JSON":                         {[]guard.Answer{{Choice: guard.Approved, By: guard.ByPerson(""), Args: `{"path":`}, {By: guard.ByPerson("")}}, "", 2, "denied"},
		"only a person may edit":                 {[]guard.Answer{{Choice: guard.Approved, By: guard.ByRule("x"), Args: `{"path":"free"}`}}, "", 1, "only a person may change a call"},
		"a hook denies the edited one":           {[]guard.Answer{edit("free-of-hooks")}, "", 1, "hook says no"},
		"a lasting approval does not make it so": {[]guard.Answer{{Choice: guard.Approved, By: guard.ByPerson(""), Scope: guard.Always, Args: `{"path":"b"}`}, {By: guard.ByPerson("")}}, "", 2, "denied"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			ran := ""
			x := named("x", tool.Writes, writes, func(_ context.Context, in pathArgs, r *tool.Reply) error {
				ran = in.Path
				r.WriteString("ran")
				return nil
			})
			hooks := &hook.Set{Hooks: func() []hook.Hook {
				return []hook.Hook{{Name: "h", Event: hook.PreToolUse, Run: func(_ context.Context, in hook.Input) (hook.Output, error) {
					if strings.Contains(string(in.Args), "free-of-hooks") {
						return hook.Output{Decision: hook.Deny, Reason: "hook says no"}, nil
					}
					return hook.Output{}, nil
				}}}
			}}
			j, a := &memory{}, &answering{answers: row.answers}
			r := Runner{Mode: guard.Full, Tools: set(t, x), Guard: guard.Func(func(_ context.Context, c guard.Case) guard.Verdict { return byPath(c) }), Approver: a, Hooks: hooks}
			results, err := r.Run(t.Context(), Scope{ID: "s", Journal: j}, []tool.Call{call("1", "x", "a")})
			if err != nil || ran != row.ran || a.asked != row.asked || !strings.Contains(results[0].Text, row.text) {
				t.Fatalf("ran %q, asked %d times, %+v, %v", ran, a.asked, results[0], err)
			}
			called, granted, edited := "", false, false
			for _, e := range j.events {
				switch e.Kind {
				case event.ApprovalVoid:
					edited = edited || e.Reason == event.WasEdited
				case event.Called:
					called = string(e.Call.Args)
				case event.Granted:
					granted = true
				}
			}
			if want := row.answers[0].ByPerson(); edited != want {
				t.Errorf("the request is void: %v, want %v: %s", edited, want, j.story())
			}
			if granted != (ran != "") || granted && !strings.Contains(called, ran) {
				t.Errorf("the journal has granted=%v for %s", granted, called)
			}
		})
	}
}

// An edited call waits for all earlier calls of the turn: their order was made for the call as the model sent it.
func TestAnEditedCallKeepsItsPlace(t *testing.T) {
	var order []string
	first := make(chan struct{})
	x := named("x", tool.Writes, writes, func(_ context.Context, in pathArgs, r *tool.Reply) error {
		if in.Path == "free" {
			<-first
		}
		order = append(order, in.Path) // the race detector sees calls that run at once
		return nil
	})
	approver := guard.ApproverFunc(func(_ context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
		close(first)
		return edit("free-too"), nil
	})
	r := Runner{Mode: guard.Full, Tools: set(t, x), Guard: guard.Func(func(_ context.Context, c guard.Case) guard.Verdict { return byPath(c) }), Approver: approver}
	if _, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "free"), call("2", "x", "b")}); err != nil || strings.Join(order, " ") != "free free-too" {
		t.Errorf("%v, %v", order, err)
	}
}

// The model reads changed arguments as they were written, without what JSON escapes for HTML.
func TestChangedArgumentsReadAsTheyWereWritten(t *testing.T) {
	if got := shownArgs([]byte(`{"command":"a \u0026\u0026 b \u003c c \u003e d \\u0026"}`)); got != `{"command":"a && b < c > d \\u0026"}` {
		t.Error(got)
	}
}
