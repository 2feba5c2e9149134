package agent

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"rein/guard"
	"rein/tool"
	"rein/toolcall"
)

func decides(d guard.Decision) guard.Guard {
	return guard.Func(func(context.Context, guard.Case) guard.Verdict {
		return guard.Verdict{Decision: d, Reason: "it is a test"}
	})
}

// TestANarrowedAgentMayDoNoMore: the mode, the guards and the tools of a sub-agent are never wider than those of its parent, of its
// kind, and of the place where it works; also when the parent's mode changes while it works.
func TestANarrowedAgentMayDoNoMore(t *testing.T) {
	modes := []guard.Mode{guard.ReadOnly, guard.Plan, guard.Supervised, guard.Auto, guard.Full}
	for _, parent := range modes {
		for _, kind := range modes {
			for _, place := range modes {
				for _, changes := range []bool{false, true} {
					p := &toolcall.Runner{Mode: parent}
					if changes {
						p.Mode, p.Now = guard.Full, func() (guard.Mode, string) { return parent, "e" }
					}
					for at, elsewhere := range map[string]*toolcall.Runner{"its parent's place": nil, "a place": {Mode: place}, "a place that changes": {Now: func() (guard.Mode, string) { return place, "f" }, Mode: guard.Full}} {
						want := min(parent, kind)
						if elsewhere != nil {
							want = min(want, place)
						}
						if got, _ := modeOf(narrowed(p, Narrowing{Mode: kind}, elsewhere)); got != want {
							t.Errorf("%v, %v in %s with %v: the mode is %v", parent, kind, at, place, got)
						}
					}
				}
			}
		}
	}
	var none guard.Guard
	for _, parent := range []guard.Guard{none, decides(guard.Allow), decides(guard.Ask), decides(guard.Deny)} {
		for _, kind := range []guard.Guard{none, decides(guard.Allow), decides(guard.Deny)} {
			for _, elsewhere := range []*toolcall.Runner{nil, {}, {Guard: decides(guard.Allow)}, {Guard: decides(guard.Deny)}} {
				all := guard.All{Guards: []guard.Guard{orAsk(parent)}}
				if kind != nil {
					all.Guards = append(all.Guards, kind)
				}
				if elsewhere != nil {
					all.Guards = append(all.Guards, orAsk(elsewhere.Guard))
				}
				want := all.Judge(t.Context(), guard.Case{}).Decision
				if got := narrowed(&toolcall.Runner{Guard: parent}, Narrowing{Guard: kind}, elsewhere).Guard; got == nil || got.Judge(t.Context(), guard.Case{}).Decision != want {
					t.Errorf("the guard %T decides otherwise than %v", got, want)
				}
			}
		}
	}
	set := func(names ...string) tool.Set {
		var all []*tool.Tool
		for _, n := range names {
			all = append(all, instrument(n, func(context.Context, *tool.Reply) error { return nil }))
		}
		s, err := tool.NewSet(all...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	p := &toolcall.Runner{Tools: set("a", "b", "c")}
	for _, row := range []struct {
		n     Narrowing
		place *toolcall.Runner
		want  []string
	}{
		{Narrowing{}, nil, []string{"a", "b", "c"}},
		{Narrowing{Tools: []string{"a", "x"}}, nil, []string{"a"}},
		{Narrowing{Without: []string{"a"}}, nil, []string{"b", "c"}},
		{Narrowing{}, &toolcall.Runner{Tools: set("b", "x")}, []string{"b"}},
		{Narrowing{Tools: []string{"*"}}, &toolcall.Runner{Tools: set("b", "x")}, []string{"b"}},
	} {
		if got := narrowed(p, row.n, row.place).Tools.Names(); !slices.Equal(got, row.want) {
			t.Errorf("%+v: %v", row.n, got)
		}
	}
	// A sub-agent of a sub-agent has the tools of the team that each of them may have.
	a := &Agent{Calls: p}
	for range 2 {
		a = a.narrow(Narrowing{Without: []string{fmt.Sprint("agent_", a.allows == nil)}}, Place{})
	}
	if a.allows("agent_true") || a.allows("agent_false") || !a.allows("agent") {
		t.Error("a tool that was taken away above is there below")
	}
}
