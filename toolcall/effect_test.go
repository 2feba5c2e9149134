package toolcall

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rein/guard"
	"rein/tool"
)

// TestAnIntentHidesNoEffect has tools that can do more than their intent lists.
func TestAnIntentHidesNoEffect(t *testing.T) {
	hosts := func(in pathArgs) tool.Intent { return tool.Intent{Hosts: []string{in.Path}} }
	access := func(in pathArgs) tool.Intent {
		return tool.Intent{RequestsAccess: true, Writes: []string{in.Path}}
	}
	rows := []struct {
		rule    string
		effect  tool.Effect
		intent  func(pathArgs) tool.Intent
		unknown bool
	}{
		{"a tool that writes and uses the network lists one read", tool.Writes | tool.Reaches, reads, true},
		{"a tool that writes lists nothing", tool.Writes, nothing, true},
		{"a tool that starts programs lists no command", tool.Runs, writes, true},
		{"a tool that uses the network lists writes only", tool.Writes | tool.Reaches, writes, true},
		{"a tool that writes lists hosts only", tool.Writes | tool.Reaches, hosts, true},
		{"a tool that writes lists writes", tool.Reads | tool.Writes, writes, false},
		{"a tool that uses the network lists hosts", tool.Reads | tool.Reaches, hosts, false},
		{"a tool that reads may list nothing", tool.Reads, nothing, false},
		{"a tool without effects lists nothing", 0, nothing, false},
		{"a request for access lists what it opens", tool.Writes | tool.Reaches, access, false},
		{"a command covers all effects, and nobody knows what it does", tool.Reads | tool.Writes | tool.Runs | tool.Reaches, commands, true},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			var seen guard.Case
			g := guard.Func(func(_ context.Context, c guard.Case) guard.Verdict { seen = c; return guard.Verdict{} })
			r := Runner{Mode: guard.Full, Tools: set(t, named("x", row.effect, row.intent, says(""))), Guard: g}
			if _, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")}); err != nil {
				t.Fatal(err)
			}
			if seen.Intent.Unknown != row.unknown {
				t.Errorf("unknown is %v", seen.Intent.Unknown)
			}
		})
	}
}

// TestReadOnlyIsEnforcedByTheRunner has guards that allow everything, and none.
func TestReadOnlyIsEnforcedByTheRunner(t *testing.T) {
	yes := guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
		return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
	})
	hosts := func(in pathArgs) tool.Intent { return tool.Intent{Hosts: []string{in.Path}} }
	access := func(pathArgs) tool.Intent { return tool.Intent{RequestsAccess: true} }
	look := func(in pathArgs) tool.Intent { return tool.Intent{Command: "look " + in.Path} }
	tools := set(t,
		named("read", tool.Reads, reads, says("ran")), named("think", 0, nothing, says("ran")),
		named("write", tool.Writes, writes, says("ran")), named("fetch", tool.Reaches, hosts, says("ran")),
		named("run", tool.Runs, commands, says("ran")), named("look", tool.Runs, look, says("ran")),
		named("liar", tool.Writes|tool.Reaches, reads, says("ran")), named("liar_without_effect", 0, writes, says("ran")),
		named("request", 0, access, says("ran")), unlisted("mystery", tool.Writes), unlisted("reader", tool.Reads))
	rows := map[string]struct{ readOnly, plan, alone bool }{ // whether it runs: with a guard in both modes, and without one
		"read":                {true, true, true},
		"reader":              {true, true, true},
		"think":               {true, true, true},
		"look":                {true, true, false},  // Normalize found that it only reads, and the guard agrees
		"write":               {false, true, false}, // in plan mode the guard decides which file is the plan
		"liar_without_effect": {false, true, false},
		"fetch":               {},
		"request":             {},
		"run":                 {},
		"liar":                {},
		"mystery":             {},
	}
	for name, want := range rows {
		for rule, run := range map[string]struct {
			mode  guard.Mode
			guard guard.Guard
			runs  bool
		}{
			"read-only":                 {guard.ReadOnly, allowAll, want.readOnly},
			"plan":                      {guard.Plan, allowAll, want.plan},
			"read-only without a guard": {guard.ReadOnly, nil, want.alone},
			"plan without a guard":      {guard.Plan, nil, want.alone},
			"supervised":                {guard.Supervised, allowAll, true},
		} {
			t.Run(name+" "+rule, func(t *testing.T) {
				r := Runner{Tools: tools, Mode: run.mode, Guard: run.guard, Approver: yes, Normalize: knowsLook}
				results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", name, "a")})
				if err != nil || (results[0].Text == "ran") != run.runs || !run.runs && results[0].Kind != tool.Denied {
					t.Errorf("got %+v, %v", results[0], err)
				}
			})
		}
	}
}

// unlisted is a tool that does not tell what a call would do.
func unlisted(name string, e tool.Effect) *tool.Tool {
	t := named(name, e, nothing, says("ran"))
	t.Intent = nil
	return t
}

func TestAReadWithoutIntentWaitsForEarlierWrites(t *testing.T) {
	rows := map[string]struct {
		calls []tool.Call
		took  time.Duration
	}{
		"after a write":               {[]tool.Call{call("1", "write", "a"), call("2", "reader", "x")}, 2 * time.Second},
		"before a write":              {[]tool.Call{call("1", "reader", "x"), call("2", "write", "a")}, 2 * time.Second},
		"beside a read":               {[]tool.Call{call("1", "read", "a"), call("2", "reader", "x"), call("3", "reader", "y")}, time.Second},
		"a tool that does not read":   {[]tool.Call{call("1", "write", "a"), call("2", "think", "x")}, time.Second},
		"a write without an intent":   {[]tool.Call{call("1", "read", "a"), call("2", "writer", "x")}, 2 * time.Second},
		"contact without an intent":   {[]tool.Call{call("1", "write", "a"), call("2", "caller", "x")}, 2 * time.Second},
		"two reads without an intent": {[]tool.Call{call("1", "reader", "a"), call("2", "reader", "x")}, time.Second},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				work := func(context.Context, pathArgs, *tool.Reply) error { time.Sleep(time.Second); return nil }
				bare := func(name string, e tool.Effect) *tool.Tool {
					b := named(name, e, nothing, work)
					b.Intent = nil
					return b
				}
				r := Runner{Mode: guard.Full, Guard: allowAll, Tools: set(t, named("read", tool.Reads, reads, work), named("write", tool.Writes, writes, work),
					bare("reader", tool.Reads), bare("think", 0), bare("writer", tool.Writes), bare("caller", tool.Reaches))}
				start := time.Now()
				if _, err := r.Run(t.Context(), Scope{}, row.calls); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != row.took {
					t.Errorf("took %v, want %v", took, row.took)
				}
			})
		})
	}
}

func TestAPanickingGuardAsks(t *testing.T) {
	broken := guard.Func(func(context.Context, guard.Case) guard.Verdict { panic("secret") })
	for answer, runs := range map[guard.Choice]bool{guard.Approved: true, guard.Denied: false} {
		asked := guard.Verdict{}
		r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: broken,
			Approver: guard.ApproverFunc(func(_ context.Context, _ guard.Case, v guard.Verdict) (guard.Answer, error) {
				asked = v
				return guard.Answer{Choice: answer, By: guard.ByPerson("")}, nil
			})}
		results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")})
		if err != nil || results[0].Failed == runs || asked.Decision != guard.Ask || !asked.PersonOnly || strings.Contains(asked.Reason, "secret") {
			t.Errorf("%v: got %+v, %v after %+v", answer, results[0], err, asked)
		}
	}
	r := Runner{Mode: guard.ReadOnly, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: broken}
	if results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")}); err != nil || results[0].Kind != tool.Denied {
		t.Errorf("in read-only mode: %+v, %v", results[0], err)
	}
}
