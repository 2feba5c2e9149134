package toolcall_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/tool"
	"rein/toolcall"
)

type sayArgs struct {
	Text string `json:"text"`
}

func (sayArgs) Intent() tool.Intent { return tool.Intent{Reads: []string{"a"}} }

// said is a runner with one tool that keeps what it was given. The guard denies texts with "rm", and asks for those with "ask".
func said(approver guard.Approver, hooks ...hook.Hook) (*toolcall.Runner, func() []string) {
	var lock sync.Mutex
	var ran []string
	say := tool.New("say", "Says it.", tool.Reads, func(_ context.Context, in sayArgs, r *tool.Reply) error {
		lock.Lock()
		defer lock.Unlock()
		ran = append(ran, in.Text)
		if in.Text == "fail" {
			return errors.New("it failed")
		}
		_, err := r.WriteString("said " + in.Text)
		return err
	})
	set, err := tool.NewSet(say)
	if err != nil {
		panic(err)
	}
	judge := guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		switch {
		case strings.Contains(string(c.Call.Args), "rm"):
			return guard.Verdict{Decision: guard.Deny, Reason: "no removal"}
		case strings.Contains(string(c.Call.Args), "only me"):
			return guard.Verdict{Decision: guard.Ask, PersonOnly: true, Reason: "a person is wanted"}
		case strings.Contains(string(c.Call.Args), "ask"):
			return guard.Verdict{Decision: guard.Ask, Reason: "it says ask"}
		}
		return guard.Verdict{}
	})
	return &toolcall.Runner{Tools: set, Guard: judge, Approver: approver, Mode: guard.Supervised, Hooks: hook.NewSet(hooks...)},
		func() []string { lock.Lock(); defer lock.Unlock(); return ran }
}

func always(at hook.Event, out hook.Output) hook.Hook {
	return hook.Hook{Name: "test", Event: at, Run: func(context.Context, hook.Input) (hook.Output, error) { return out, nil }}
}

func TestHooksBeforeACall(t *testing.T) {
	approves := func(h hook.Hook) hook.Hook { h.Approves = true; return h }
	text := func(s string) json.RawMessage { return json.RawMessage(`{"text":"` + s + `"}`) }
	for _, c := range []struct {
		name  string
		say   string
		hooks []hook.Hook
		ran   string // "": it must not run
		words string // in the result
	}{
		{"no opinion", "a", []hook.Hook{always(hook.PreToolUse, hook.Output{})}, "a", "said a"},
		{"a denial has its reason", "a", []hook.Hook{always(hook.PreToolUse, hook.Output{Decision: hook.Deny, Reason: "use make clean"})}, "", "use make clean"},
		{"an approval does not overrule a guard", "rm", []hook.Hook{approves(always(hook.PreToolUse, hook.Output{Decision: hook.Allow}))}, "", "no removal"},
		{"an approval without the setting answers nothing", "ask", []hook.Hook{always(hook.PreToolUse, hook.Output{Decision: hook.Allow})}, "", "nobody is there"},
		{"an approval with the setting answers", "ask", []hook.Hook{approves(always(hook.PreToolUse, hook.Output{Decision: hook.Allow}))}, "ask", "said ask"},
		{"but not what only a person may approve", "only me", []hook.Hook{approves(always(hook.PreToolUse, hook.Output{Decision: hook.Allow}))}, "", "nobody is there"},
		{"an approval of other arguments answers nothing", "x", []hook.Hook{approves(always(hook.PreToolUse, hook.Output{Decision: hook.Allow})),
			always(hook.PreToolUse, hook.Output{Args: text("ask")})}, "", "nobody is there"},
		{"a hook asks", "a", []hook.Hook{always(hook.PreToolUse, hook.Output{Decision: hook.Ask, Reason: "prod host"})}, "", "prod host"},
		{"changed arguments run", "a", []hook.Hook{always(hook.PreToolUse, hook.Output{Args: text("b")})}, "b", "changed the arguments"},
		{"changed arguments are judged", "a", []hook.Hook{approves(always(hook.PreToolUse, hook.Output{Decision: hook.Allow, Args: text("rm")}))}, "", "no removal"},
		{"changed arguments are validated, and the call does not run", "a", []hook.Hook{always(hook.PreToolUse, hook.Output{Args: json.RawMessage(`{"other":1}`)})}, "", "changed the arguments, and the tool does not take them"},
		{"a refusal says that they were changed", "a", []hook.Hook{always(hook.PreToolUse, hook.Output{Args: text("ask")})}, "", `The arguments were changed to {"text":"ask"}. `},
		{"so does a denial", "a", []hook.Hook{always(hook.PreToolUse, hook.Output{Args: text("rm")})}, "", `The arguments were changed to {"text":"rm"}. `},
		{"the strictest hook wins", "a", []hook.Hook{approves(always(hook.PreToolUse, hook.Output{Decision: hook.Allow})), always(hook.PreToolUse, hook.Output{Decision: hook.Deny, Reason: "no"})}, "", "Denied: no"},
		{"context goes to the model", "a", []hook.Hook{always(hook.PreToolUse, hook.Output{Context: "be brief"})}, "a", "be brief"},
		{"a failure denies", "a", []hook.Hook{{Name: "broken", Event: hook.PreToolUse, Run: func(context.Context, hook.Input) (hook.Output, error) {
			return hook.Output{}, errors.New("exit 1")
		}}}, "", `the hook "broken" failed (exit 1)`},
		{"a failure of an open hook does not", "a", []hook.Hook{{Event: hook.PreToolUse, Open: true, Run: func(context.Context, hook.Input) (hook.Output, error) {
			return hook.Output{}, errors.New("exit 1")
		}}}, "a", "said a"},
		{"a panic denies", "a", []hook.Hook{{Event: hook.PreToolUse, Run: func(context.Context, hook.Input) (hook.Output, error) { panic("x") }}}, "", "panicked"},
		{"a late hook denies", "a", []hook.Hook{{Event: hook.PreToolUse, Timeout: time.Millisecond, Run: func(ctx context.Context, _ hook.Input) (hook.Output, error) {
			<-ctx.Done()
			return hook.Output{}, ctx.Err()
		}}}, "", "it took longer than 1ms"},
		{"another tool", "a", []hook.Hook{{Event: hook.PreToolUse, Match: func(name string) bool { return name == "other" },
			Run: func(context.Context, hook.Input) (hook.Output, error) { return hook.Output{Decision: hook.Deny}, nil }}}, "a", "said a"},
		{"after a call", "a", []hook.Hook{always(hook.PostToolUse, hook.Output{Decision: hook.Deny, Reason: "lint fails", Context: "see x"})}, "a", "lint fails\nsee x"},
		{"another result", "a", []hook.Hook{always(hook.PostToolUse, hook.Output{Result: new("replaced")})}, "a", "replaced"},
		{"after a failure", "fail", []hook.Hook{always(hook.PostToolUseFailure, hook.Output{Context: "try b"}), always(hook.PostToolUse, hook.Output{Context: "no"})}, "fail", "try b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ran := said(nil, c.hooks...)
			results, err := r.Run(t.Context(), toolcall.Scope{ID: "s"}, []tool.Call{{ID: "1", Name: "say", Args: text(c.say)}})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(ran(), ","); got != c.ran {
				t.Errorf("ran %q, want %q", got, c.ran)
			}
			if !strings.Contains(results[0].Text, c.words) {
				t.Errorf("the result %q has no %q", results[0].Text, c.words)
			}
		})
	}
}

// A hook that is at work when the turn is cancelled did not fail: the call is cancelled, as one that runs is.
func TestACancelledHookHasNotFailed(t *testing.T) {
	for _, why := range []error{nil, errors.New("the user stopped the turn")} {
		ctx, cancel := context.WithCancelCause(t.Context())
		r, ran := said(nil, hook.Hook{Name: "slow", Event: hook.PreToolUse, Run: func(ctx context.Context, _ hook.Input) (hook.Output, error) {
			cancel(why)
			<-ctx.Done()
			return hook.Output{}, ctx.Err()
		}})
		var events []event.Event
		s := toolcall.Scope{ID: "s", Watch: func(e event.Event) { events = append(events, e) }}
		results, err := r.Run(ctx, s, []tool.Call{{ID: "1", Name: "say", Args: json.RawMessage(`{"text":"a"}`)}})
		if err != nil || len(ran()) > 0 || results[0].Kind != tool.Cancelled {
			t.Errorf("ran %v, %+v, %v", ran(), results, err)
		}
		for _, e := range events {
			if e.Kind == event.Hooked {
				t.Errorf("%+v", e.Hook)
			}
		}
	}
}

func TestAHookEndsTheTurn(t *testing.T) {
	r, ran := said(nil, hook.Hook{Event: hook.PreToolUse, Run: func(_ context.Context, in hook.Input) (hook.Output, error) {
		if strings.Contains(string(in.Args), "stop") {
			return hook.Output{Halt: "enough"}, nil
		}
		return hook.Output{}, nil
	}})
	results, err := r.Run(t.Context(), toolcall.Scope{ID: "s"}, []tool.Call{
		{ID: "1", Name: "say", Args: json.RawMessage(`{"text":"a"}`)}, {ID: "2", Name: "say", Args: json.RawMessage(`{"text":"stop"}`)}})
	if h, ok := errors.AsType[*toolcall.Halted](err); !ok || h.Reason != "enough" {
		t.Errorf("error %v", err)
	}
	if len(ran()) > 0 || !results[0].Failed || !results[1].Failed {
		t.Errorf("ran %v, results %+v", ran(), results)
	}
}

func TestHooksAreRecordedAndKnowTheSubAgent(t *testing.T) {
	var seen hook.Input
	r, _ := said(nil, hook.Hook{Name: "watch", Event: hook.PreToolUse, Run: func(_ context.Context, in hook.Input) (hook.Output, error) {
		seen = in
		return hook.Output{Context: "c", Notice: "for the user"}, nil
	}})
	var events []event.Event
	s := toolcall.Scope{ID: "child", Root: "root", Depth: 2, Type: "explore", Watch: func(e event.Event) { events = append(events, e) }}
	if _, err := r.Run(t.Context(), s, []tool.Call{{ID: "1", Name: "say", Args: json.RawMessage(`{"text":"a"}`)}}); err != nil {
		t.Fatal(err)
	}
	if seen.Session != "root" || seen.Agent != "child" || seen.AgentType != "explore" || seen.Mode != "supervised" {
		t.Errorf("input %+v", seen)
	}
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, string(e.Kind))
		if e.Kind == event.Hooked && (e.Hook.Name != "watch" || e.Text != "for the user" || e.Call.ID != "1") {
			t.Errorf("event %+v", e)
		}
	}
	if got := strings.Join(kinds, " "); !strings.HasPrefix(got, "called hook granted") {
		t.Error(got)
	}
}

func TestExecuteDoesNotChangeArgumentsAgain(t *testing.T) {
	var n int
	r, ran := said(nil, hook.Hook{Event: hook.PreToolUse, Run: func(_ context.Context, in hook.Input) (hook.Output, error) {
		var a sayArgs
		json.Unmarshal(in.Args, &a)
		n++
		args, _ := json.Marshal(sayArgs{Text: a.Text + "+"})
		return hook.Output{Args: args}, nil
	}})
	plan, err := r.Plan(t.Context(), toolcall.Scope{ID: "s"}, []tool.Call{{ID: "1", Name: "say", Args: json.RawMessage(`{"text":"a"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Execute(t.Context(), toolcall.Scope{ID: "s"}, []toolcall.Grant{plan[0].Grant(nil)}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ran(), ","); got != "a+" || n != 2 {
		t.Errorf("ran %q after %d runs of the hook", got, n)
	}
}

// fullOnce is a journal that takes no calls, and counts what comes after them.
type fullOnce struct{ failed, after int }

func (j *fullOnce) Append(events ...event.Event) error {
	if j.failed > 0 {
		j.after += len(events)
	}
	if events[0].Kind == event.Called {
		j.failed++
		return errors.New("the disk is full")
	}
	return nil
}

// What hooks did is not recorded behind calls that could not be.
func TestNothingIsRecordedBehindCallsThatCouldNotBe(t *testing.T) {
	r, ran := said(nil, always(hook.PreToolUse, hook.Output{Notice: "seen"}))
	j := &fullOnce{}
	results, err := r.Run(t.Context(), toolcall.Scope{Journal: j}, []tool.Call{{ID: "1", Name: "say", Args: json.RawMessage(`{"text":"x"}`)}})
	if err == nil || results[0].Kind != tool.Unrecorded || j.failed != 1 || j.after != 0 || len(ran()) != 0 {
		t.Errorf("%d appends failed, %d events after it, ran %q: %+v, %v", j.failed, j.after, ran(), results, err)
	}
}
