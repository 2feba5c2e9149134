package toolcall

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/schema"
	"rein/tool"
)

// brokenJournal and the like are parts of others that panic.
type brokenJournal struct{ at event.Kind }

func (j brokenJournal) Append(events ...event.Event) error {
	if slices.ContainsFunc(events, func(e event.Event) bool { return e.Kind == j.at }) {
		panic("a journal")
	}
	return nil
}

// TestNoPartOfOthersEndsTheProcess has three calls at once, of which the middle one meets a part that panics. A call whose check or
// record fails does not run.
func TestNoPartOfOthersEndsTheProcess(t *testing.T) {
	panics := func(at string) func(event.Event) {
		return func(e event.Event) {
			if string(e.Kind) == at {
				panic("a watcher")
			}
		}
	}
	type parts struct {
		r    *Runner
		s    *Scope
		tool *tool.Tool
	}
	rows := map[string]struct {
		breaks func(parts)
		ran    bool // the call runs
	}{
		"nothing": {func(parts) {}, true},
		"the tool": {func(p parts) {
			p.tool.Run = func(context.Context, json.RawMessage, *tool.Reply) error { panic("a tool") }
		}, false},
		"the intent": {func(p parts) { p.tool.Intent = func(json.RawMessage) (tool.Intent, error) { panic("an intent") } }, false},
		"the schema": {func(p parts) { p.tool.Input = &schema.Schema{} }, false},
		"the tool exits": {func(p parts) {
			p.tool.Run = func(_ context.Context, _ json.RawMessage, r *tool.Reply) error {
				fmt.Fprint(r, "ran")
				runtime.Goexit()
				return nil
			}
		}, false},
		"the intent exits": {func(p parts) {
			p.tool.Intent = func(json.RawMessage) (tool.Intent, error) { runtime.Goexit(); return tool.Intent{}, nil }
		}, false},
		"a guard exits": {func(p parts) {
			p.r.Guard = guard.Func(func(context.Context, guard.Case) guard.Verdict { runtime.Goexit(); return guard.Verdict{} })
		}, false},
		"Snapshot exits": {func(p parts) {
			p.r.Snapshot = func(context.Context, Granted) (func(*tool.Reply), error) { runtime.Goexit(); return nil, nil }
		}, false},
		"a watcher of calls":    {func(p parts) { p.s.Watch = panics(string(event.Called)) }, true},
		"a watcher of grants":   {func(p parts) { p.s.Watch = panics(string(event.Granted)) }, true},
		"a watcher of results":  {func(p parts) { p.s.Watch = panics(string(event.Replied)) }, true},
		"a watcher of output":   {func(p parts) { p.s.Watch = panics(string(event.Output)) }, true},
		"the journal of calls":  {func(p parts) { p.s.Journal = brokenJournal{event.Called} }, false},
		"the journal of grants": {func(p parts) { p.s.Journal = brokenJournal{event.Granted} }, false},
		"Normalize":             {func(p parts) { p.r.Normalize = func(tool.Intent) tool.Intent { panic("normalize") } }, false},
		"Isolation":             {func(p parts) { p.r.Isolation = func() guard.Isolation { panic("isolation") } }, false},
		"Key":                   {func(p parts) { p.r.Key = func(string) string { panic("a key") } }, true},
		"Now":                   {func(p parts) { p.r.Now = func() (guard.Mode, string) { panic("now") } }, false},
		"Snapshot": {func(p parts) {
			p.r.Snapshot = func(context.Context, Granted) (func(*tool.Reply), error) { panic("a snapshot") }
		}, false},
		"the end of Snapshot": {func(p parts) {
			p.r.Snapshot = func(context.Context, Granted) (func(*tool.Reply), error) {
				return func(*tool.Reply) { panic("its end") }, nil
			}
		}, true},
		"a hook": {func(p parts) {
			p.r.Hooks = hook.NewSet(hook.Hook{Event: hook.PreToolUse, Run: func(context.Context, hook.Input) (hook.Output, error) { panic("a hook") }})
		}, false},
		"the match of a hook": {func(p parts) {
			p.r.Hooks = hook.NewSet(hook.Hook{Event: hook.PreToolUse, Match: func(string) bool { panic("a match") }})
		}, false},
		"the match of a hook late": {func(p parts) {
			p.r.Hooks = hook.NewSet(hook.Hook{Event: hook.PostToolUse, Match: func(string) bool { panic("a match") }})
		}, true},
		"the list of hooks": {func(p parts) { p.r.Hooks = &hook.Set{Hooks: func() []hook.Hook { panic("a list") }} }, false},
		"a guard": {func(p parts) {
			p.r.Guard = guard.Func(func(context.Context, guard.Case) guard.Verdict { panic("a guard") })
		}, false},
		"a verdict of no kind": {func(p parts) { p.r.Guard = always(guard.Deny + 5) }, false},
		"a severity of no kind": {func(p parts) {
			p.r.Guard = guard.Func(func(context.Context, guard.Case) guard.Verdict { return guard.Verdict{Severity: 99, Reason: "x"} })
		}, true},
		"an approver": {func(p parts) {
			p.r.Guard = always(guard.Ask)
			p.r.Approver = guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) { panic("an approver") })
		}, false},
		"an answer of no kind": {func(p parts) {
			p.r.Guard = always(guard.Ask)
			p.r.Approver = guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
				return guard.Answer{Choice: 99}, nil
			})
		}, false},
		"a mode of no kind": {func(p parts) { p.r.Mode = 99 }, false},
		"Around":            {func(p parts) { p.r.Around = func(Granted) func(error) { panic("around") } }, true},
	}
	for name, row := range rows {
		for _, n := range []int{1, 3} {
			t.Run(fmt.Sprint(name, " of ", n), func(t *testing.T) {
				r := &Runner{Mode: guard.Full, Guard: allowAll, Limits: Limits{Parallel: 1}}
				s := &Scope{ID: "s", Journal: &memory{}, Watch: func(event.Event) {}}
				x := named("x", tool.Writes, writes, says("ran"))
				r.Tools = set(t, x)
				row.breaks(parts{r, s, x})
				var calls []tool.Call
				for i := range n {
					calls = append(calls, call(fmt.Sprint(i), "x", fmt.Sprint("f", i)))
				}
				results, _ := r.Run(t.Context(), *s, calls)
				if len(results) != n {
					t.Fatalf("%d results", len(results))
				}
				for i, got := range results {
					if (got.Text == "ran") != row.ran || !row.ran && !got.Failed || got.ID != calls[i].ID {
						t.Errorf("got %+v", got)
					}
				}
			})
		}
	}
}
