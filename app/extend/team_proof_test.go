package extend_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/model"
	"rein/tool"
)

// TestFiftyAgentsAtOnce runs 50 sub-agents at once: each is at work while all others are, the journal of each is whole, and
// together they need little memory.
func TestFiftyAgentsAtOnce(t *testing.T) {
	const n = 50
	var at atomic.Int32
	all := make(chan struct{})
	think := func(ctx context.Context, r *model.Request) (*model.Message, error) {
		switch {
		case isChild(r) && len(r.Messages) == 1:
			if at.Add(1) == n {
				close(all)
			}
			select {
			case <-all: // nobody continues before all have begun
			case <-time.After(30 * time.Second):
				return nil, fmt.Errorf("only %d sub-agents began", at.Load())
			}
			return calls("touch", map[string]any{"path": "x"}), nil
		case isChild(r):
			return says("done"), nil
		case len(r.Messages) == 1:
			items := make([]string, n)
			for i := range items {
				items[i] = fmt.Sprint("item ", i)
			}
			return calls("agent", map[string]any{"task": "do {item}", "items": items}), nil
		}
		return says("ready"), nil
	}
	a, _ := boss(t, think)
	a.Limits.AtOnce = n
	d := disk{t, t.TempDir()}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, end := run(t, a.Start(d.options("p")).Send(t.Context(), model.Text("go")))
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys+after.StackSys) - int64(before.HeapSys+before.StackSys); grown > 150<<20 {
		t.Errorf("%d MB more", grown>>20)
	} else {
		t.Logf("%d MB more", grown>>20)
	}
	if end.Stop != event.Done {
		t.Fatalf("%+v", end)
	}
	dirs, err := os.ReadDir(d.root)
	if err != nil || len(dirs) != n+1 {
		t.Fatalf("%d sessions, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		var seq int64
		var stop event.Stop
		for e, err := range d.read(dir.Name()) {
			if err != nil || e.Seq != seq+1 {
				t.Fatalf("%s: event %d after %d, %v", dir.Name(), e.Seq, seq, err)
			}
			seq, stop = e.Seq, e.Stop
		}
		if stop != event.Done {
			t.Errorf("%s ended %q", dir.Name(), stop)
		}
	}
}

// TestATreeNeverSpendsMuchMoreThanItsLimit lets models of random behaviour start sub-agents of every sort.
func TestATreeNeverSpendsMuchMoreThanItsLimit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := int64(rapid.IntRange(50, 3000).Draw(rt, "tokens"))
		seed := rapid.Uint32().Draw(rt, "seed")
		var asked atomic.Uint32
		think := func(_ context.Context, r *model.Request) (*model.Message, error) {
			x := (asked.Add(1)*2654435761 + seed) >> 8
			if r.Choice == "none" || asked.Load() > 300 {
				return says("report"), nil
			}
			task := map[string]any{"task": "more"}
			switch x % 6 {
			case 0:
				return says("ready"), nil
			case 1:
				return calls("agent", task, task), nil
			case 2:
				task["items"] = []string{"a", "b", "c"}
				return calls("agent", task), nil
			case 3:
				task["background"] = true
				return calls("agent", task, task), nil
			}
			return calls("look", map[string]any{}), nil
		}
		a, _ := boss(t, think)
		a.Limits.Message = agent.Amount{Tokens: limit}
		s := a.Start(agent.SessionOptions{})
		for range s.Send(context.Background(), model.Text("go")) {
		}
		if used := s.Usage(); used.Input+used.Output > limit+15 { // a request has 15 tokens
			rt.Errorf("%d of %d tokens used", used.Input+used.Output, limit)
		}
	})
}

// killed is the team of the test that kills its program: two sub-agents that work, in the background and not, and one that waits
// for an approval.
func killed(t testing.TB, stall bool) *agent.Agent {
	hang := func(ctx context.Context) error {
		if stall {
			<-ctx.Done()
		}
		return ctx.Err()
	}
	think := func(ctx context.Context, r *model.Request) (*model.Message, error) {
		text := last(r)
		switch {
		case isChild(r) && len(r.Messages) == 1 && strings.Contains(text, "approve"):
			return calls("touch", map[string]any{"path": "x"}), nil
		case isChild(r) && len(r.Messages) == 1:
			return calls("look", map[string]any{}), nil
		case isChild(r) && strings.Contains(fmt.Sprint(r.Messages[0].Text()), "work"):
			if err := hang(ctx); err != nil {
				return nil, err
			}
			return says("worked"), nil
		case isChild(r):
			return says("approved and done"), nil
		case len(r.Messages) == 1:
			return calls("agent", map[string]any{"task": "work at once"}, map[string]any{"task": "work behind", "background": true}, map[string]any{"task": "approve", "background": true}), nil
		}
		return says("ready"), nil
	}
	a, _ := boss(t, think)
	a.Calls.Guard = guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		if c.Call.Name == "touch" {
			return guard.Verdict{Decision: guard.Ask, Reason: "a test"}
		}
		return guard.Verdict{}
	})
	a.Calls.Approver = guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
		return guard.Answer{Choice: guard.Later}, nil
	})
	return a
}

// TestKilled kills the program with three sub-agents at work, one of them suspended. In the next process everything continues, once.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("TEAM_KILLED"); dir != "" {
		d := disk{t, dir}
		for range killed(t, true).Start(d.options("p")).Send(t.Context(), model.Text("go")) {
		}
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), "TEAM_KILLED="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := func() bool { // two have looked, one has its request
		looked, asks := 0, 0
		files, _ := filepath.Glob(filepath.Join(dir, "*", journal.FileName))
		for _, f := range files {
			text, _ := os.ReadFile(f)
			asks += bytes.Count(text, []byte(`"kind":"approval_requested"`))
			if bytes.Contains(text, []byte(`"parent":"p"`)) {
				looked += bytes.Count(text, []byte(`"kind":"replied"`))
			}
		}
		return looked == 2 && asks == 1
	}
	for deadline := time.Now().Add(20 * time.Second); !ready(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			t.Fatal("the sub-agents did not get so far")
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()

	d := disk{t, dir}
	a := killed(t, false)
	s := approved(t, a, d)
	_, end := run(t, s.Resume(t.Context()))
	if end.Stop != event.Done {
		t.Fatalf("%+v", end)
	}
	sessions, err := os.ReadDir(dir)
	if err != nil || len(sessions) != 4 {
		t.Errorf("%d sessions, %v", len(sessions), err)
	}
	replied, reports := 0, 0
	for _, session := range sessions {
		for e, err := range d.read(session.Name()) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Kind == event.Replied && session.Name() != "p" {
				replied++
			}
			if e.Kind == event.Hinted && e.Child != "" {
				reports++
			}
		}
	}
	if replied != 3 || reports != 2 {
		t.Errorf("%d calls of sub-agents have a result, %d reports came; want 3 and 2", replied, reports)
	}
}

// TestNobodyGetsMoreThanItsParent asks every kind of caller for what its parent may not do. A tool of the team without a row fails.
func TestNobodyGetsMoreThanItsParent(t *testing.T) {
	rows := map[string]any{ // the call that makes the caller, by the tool that starts it
		"agent":         map[string]any{"task": "try"},
		"agent_message": map[string]any{"id": "helper", "message": "try"},
		"agent_status":  nil, "agent_wait": nil, "agent_stop": nil, "agent_list": nil, // they start nothing
	}
	ways := map[string]map[string]any{
		"child":      {"task": "try"},
		"background": {"task": "try", "background": true},
		"item":       {"task": "try {item}", "items": []string{"a"}},
		"grandchild": {"task": "hand on"},
		"message":    {"task": "rest", "name": "helper"},
	}
	a, _ := boss(t, nil)
	for _, each := range a.Team.Tools(a.Start(agent.SessionOptions{})) {
		if _, ok := rows[each.Name]; !ok {
			t.Errorf("the tool %s has no row here", each.Name)
		}
	}
	for way, task := range ways {
		for name, limit := range map[string]func(*agent.Agent){
			"read-only": func(a *agent.Agent) { a.Calls.Mode = guard.ReadOnly },
			"plan": func(a *agent.Agent) { // the pipeline leaves writes to the guard, because of the file of the plan
				a.Calls.Mode = guard.Plan
				a.Calls.Guard = guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
					if c.Mode <= guard.Plan && len(c.Intent.Writes) > 0 {
						return guard.Verdict{Decision: guard.Deny, Reason: "the mode"}
					}
					return guard.Verdict{}
				})
			},
			"denied": func(a *agent.Agent) {
				a.Calls.Guard = guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
					if c.Call.Name == "touch" {
						return guard.Verdict{Decision: guard.Deny, Reason: "a rule"}
					}
					return guard.Verdict{}
				})
			},
			"nobody approves": func(a *agent.Agent) { a.Calls.Guard = nil },
			"no such tool": func(a *agent.Agent) {
				a.Calls.Tools = a.Calls.Tools.Only(func(t *tool.Tool) bool { return t.Name != "touch" })
			},
		} {
			t.Run(way+" "+name, func(t *testing.T) {
				tried := 0
				think := func(_ context.Context, r *model.Request) (*model.Message, error) {
					text := last(r)
					switch {
					case isChild(r) && strings.HasPrefix(text, "try"):
						tried++
						return calls("touch", map[string]any{"path": "x"}), nil
					case isChild(r) && text == "hand on":
						return calls("agent", map[string]any{"task": "try"}), nil
					case !isChild(r) && len(r.Messages) == 1:
						return calls("agent", task), nil
					case !isChild(r) && len(r.Messages) == 3 && way == "message":
						return calls("agent_message", rows["agent_message"]), nil
					}
					return says("ready"), nil
				}
				a, tm := boss(t, think)
				tm.Definitions[0] = agent.Definition{About: agent.About{Name: "general", Description: "wants all"}, Tools: []string{"*"}, Mode: "full"}
				limit(a)
				if name == "nobody approves" {
					a.Calls.Guard = guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
						if c.Call.Name == "touch" {
							return guard.Verdict{Decision: guard.Ask, Reason: "a test"}
						}
						return guard.Verdict{}
					})
				}
				events, _ := run(t, a.Start(agent.SessionOptions{}).Send(t.Context(), model.Text("go")))
				for _, e := range events {
					if e.Kind == event.Granted && e.Call.Name == "touch" {
						t.Errorf("a call was granted to %s", e.Session)
					}
				}
				if tried != 1 {
					t.Errorf("it tried %d times", tried)
				}
			})
		}
	}
}
