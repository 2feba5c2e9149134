package agent

import (
	"context"
	"strings"
	"testing"

	"rein/event"
	"rein/hook"
	"rein/model"
)

func reply(at hook.Event, out hook.Output) hook.Hook {
	return hook.Hook{Name: "test", Event: at, Run: func(context.Context, hook.Input) (hook.Output, error) { return out, nil }}
}

func TestHooksOfTheLoop(t *testing.T) {
	for _, c := range []struct {
		name  string
		hooks []hook.Hook
		turns []turn
		stop  event.Stop
		text  string   // of the last event
		want  []string // what the model reads with its last request
	}{
		{"the start adds context", []hook.Hook{reply(hook.SessionStart, hook.Output{Context: "it rains"})}, []turn{says("ok")}, event.Done, "ok",
			[]string{"user: go", "user: From a hook of the user: it rains"}},
		{"a message adds context", []hook.Hook{reply(hook.UserPromptSubmit, hook.Output{Context: "branch x"})}, []turn{says("ok")}, event.Done, "ok",
			[]string{"user: go", "user: From a hook of the user: branch x"}},
		{"a message is refused", []hook.Hook{reply(hook.UserPromptSubmit, hook.Output{Decision: hook.Deny, Reason: "no secrets"})}, nil, event.Halted,
			"the hook test did not let the message through. no secrets", nil},
		{"the end is refused, but not for ever", []hook.Hook{reply(hook.Stop, hook.Output{Decision: hook.Deny, Reason: "run the tests"})},
			[]turn{says("a"), says("b"), says("c"), says("d")}, event.Done, "d",
			[]string{"user: go", "assistant: a", "user: A hook of the user does not let you stop: run the tests", "assistant: b", "user: A hook of the user does not let you stop: run the tests",
				"assistant: c", "user: A hook of the user does not let you stop: run the tests"}},
		{"a call ends the turn", []hook.Hook{reply(hook.PostToolUse, hook.Output{Halt: "enough"})}, []turn{calls("do:1")}, event.Halted, "enough", []string{"user: go"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, c.turns...)
			f.Calls.Hooks = hook.NewSet(c.hooks...)
			_, last, err := drain(t, f.start().Send(t.Context(), model.Text("go")))
			if err != nil || last.Stop != c.stop || last.Text != c.text {
				t.Fatalf("stopped %q with %q, error %v", last.Stop, last.Text, err)
			}
			var said []string
			if n := len(f.model.asked); n > 0 {
				said = asUser(f.model.asked[n-1])
			}
			if strings.Join(said, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("the model read\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestATurnThatAHookEndedCanGoOn(t *testing.T) {
	f := newFixture(t, calls("do:1"), says("done"))
	once := true
	f.Calls.Hooks = hook.NewSet(hook.Hook{Event: hook.PreToolUse, Run: func(context.Context, hook.Input) (hook.Output, error) {
		if !once {
			return hook.Output{}, nil
		}
		once = false
		return hook.Output{Halt: "wait"}, nil
	}})
	s := f.start()
	if _, last, _ := drain(t, s.Send(t.Context(), model.Text("go"))); last.Stop != event.Halted || s.Waiting() {
		t.Fatal(last, s.Waiting())
	}
	if _, last, err := drain(t, s.Send(t.Context(), model.Text("again"))); last.Stop != event.Done || err != nil {
		t.Fatal(last, err)
	}
	if f.ran.Load() != 0 {
		t.Error("the call ran")
	}
}

func TestHooksOfASubAgent(t *testing.T) {
	var seen []string
	note := func(at hook.Event) hook.Hook {
		return hook.Hook{Event: at, Run: func(_ context.Context, in hook.Input) (hook.Output, error) {
			agent := "user"
			if in.Agent != "" {
				agent = in.AgentType
			}
			seen = append(seen, string(in.Event)+" "+agent+" "+in.Tool)
			return hook.Output{}, nil
		}}
	}
	var all []hook.Hook
	for _, e := range hook.Events() {
		all = append(all, note(e))
	}
	parent, _ := family(t, []turn{task("1"), says("done")}, []turn{calls("do:2"), says("found it")})
	parent.Calls.Hooks = hook.NewSet(all...) // the child has no hooks of its own: it gets the parent's
	if _, last, err := drain(t, parent.start().Send(t.Context(), model.Text("go"))); err != nil || last.Stop != event.Done {
		t.Fatal(last, err)
	}
	want := `SessionStart user 
UserPromptSubmit user 
PreToolUse user sub
SubagentStart sub 
PreToolUse sub do
PostToolUse sub do
SubagentStop sub 
PostToolUse user sub
Stop user `
	if got := strings.Join(seen, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A message that the hooks were asked about when the user stopped the turn was let through by none: the model never gets it. One that waited waits again.
func TestAMessageThatNoHookLetThrough(t *testing.T) {
	for _, c := range []struct {
		name   string
		asks   string // the message at which the hook is stopped
		stays  int    // messages that wait then
		prompt int    // messages that are recorded
	}{{"the first one", "go", 0, 0}, {"one that waited", "later", 1, 1}} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, says("one"), says("two"))
			ctx, cancel := context.WithCancel(t.Context())
			f.Calls.Hooks = hook.NewSet(hook.Hook{Event: hook.UserPromptSubmit, Run: func(ctx context.Context, in hook.Input) (hook.Output, error) {
				if in.Text == c.asks {
					cancel()
					<-ctx.Done()
				}
				return hook.Output{}, ctx.Err()
			}})
			s, prompts := f.start(), 0
			var last event.Event
			for e := range s.Send(ctx, model.Text("go")) {
				if e.Kind == event.Requested {
					if err := s.Queue().Add(model.Text("later")); err != nil {
						t.Error(err)
					}
				}
				if last = e; e.Kind == event.Prompted {
					prompts++
				}
			}
			if last.Stop != event.Cancelled || prompts != c.prompt || len(s.Queue().List()) != c.stays {
				t.Errorf("%q, %d recorded, %d wait", last.Stop, prompts, len(s.Queue().List()))
			}
		})
	}
}
