package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rein/event"
	"rein/guard"
	"rein/kit/guards"
	"rein/kit/script"
	"rein/tool"
	"rein/toolcall"
)

// TestAttacksOnApprovals are attacks on approvals that need the runner and the person; more of them are in
// attack_test.go, kill_test.go, and in package guard. The rows stay forever.
func TestAttacksOnApprovals(t *testing.T) {
	for name, check := range map[string]func(*testing.T){
		"approval-02 a hook changes the arguments after approval":     hookChangesArguments,
		"approval-02 an approver changes the arguments it is shown":   approverChangesArguments,
		"approval-03 malformed arguments are never asked about":       malformedArguments,
		"approval-04 a repeated id gets a new request":                sameIDAgain,
		"approval-08 a lasting approval keeps to its scope":           lastingScopes,
		"approval-10 a file changes while its diff is read":           fileChangesMeanwhile,
		"approval-11 an approver that goes away denies":               goneApprovers,
		"approval-15 a denied command in ten spellings":               tenSpellings,
		"approval-15 a denial holds after the session resumed":        refusedBeforeResume,
		"approval-16 access is requested again and again":             openAgainAndAgain,
		"approval-17 twenty approved under another mode":              queuedUnderAnotherMode,
		"injection-01 a request names the untrusted text read before": untrustedFirst,
	} {
		t.Run(name, check)
	}
}

func hookChangesArguments(t *testing.T) {
	b := newAttacked(t, Options{}, yesToAll)
	b.runner.Around = func(g toolcall.Granted) func(error) {
		copy(g.Call().Args, `{"command":"touch evil"}`)
		return nil
	}
	b.run(`bash {"command":"touch good"}`)
	if !b.exists("good") || b.exists("evil") {
		t.Error("what ran is not what was approved")
	}
}

func approverChangesArguments(t *testing.T) {
	b := newAttacked(t, Options{}, func(c guard.Case) guard.Choice {
		copy(c.Call.Args, []byte(`{"command":"touch evil"}`))
		return guard.Approved
	})
	r := b.run(`bash {"command":"touch good"}`)[0]
	if !b.exists("good") || b.exists("evil") {
		t.Errorf("what ran is not what was shown: %+v", r)
	}
}

func malformedArguments(t *testing.T) {
	b := newAttacked(t, Options{}, yesToAll)
	for _, args := range []string{``, ` `, ` null`, ` ""`, ` []`, ` 0`, ` {}`, ` {"command":null}`, ` {"command":`, ` {"command":"touch x"}{}`, ` {"command":"touch x","command":"touch y"}`} {
		r := b.run("bash" + args)[0]
		if !r.Failed || b.exists("x") || b.exists("y") {
			t.Errorf("%q: %+v", args, r)
		}
	}
	if n := b.asked.Load(); n != 0 {
		t.Errorf("asked %d times about what is no call", n)
	}
}

func sameIDAgain(t *testing.T) {
	b := newAttacked(t, Options{}, yesToAll)
	calls := []tool.Call{{ID: "1", Name: "bash", Args: json.RawMessage(`{"command":"echo x >> ran; rm -f y"}`)}}
	for want := int32(1); want <= 3; want++ {
		session := b.record.calls(nil)
		if want == 3 { // in a sub-agent
			session.ID, session.Root, session.Depth = "child", session.ID, 1
		}
		if _, err := b.runner.Run(t.Context(), session, calls); err != nil {
			t.Fatal(err)
		}
		if n := b.asked.Load(); n != want {
			t.Errorf("asked %d times, want %d", n, want)
		}
	}
	text, err := os.ReadFile(filepath.Join(b.workspace.Dir(), "ran"))
	if string(text) != "x\nx\nx\n" {
		t.Errorf("ran %q, %v", text, err)
	}
}

func lastingScopes(t *testing.T) {
	home, here, there := t.TempDir(), t.TempDir(), t.TempDir()
	asks := func(home, dir string, scope guard.Scope) bool {
		t.Setenv("REIN_HOME", home)
		asked, by := false, ""
		w := startCalls(t, Options{Dir: dir, Terms: event.Terms{Sandbox: "off"}, Person: funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
			asked = true
			for _, s := range r.Scopes {
				if s.Scope == scope {
					return r.Claim(guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), Scope: scope})
				}
			}
			return guard.Answer{Choice: guard.Denied}, nil
		})})
		defer w.Close(context.Background())
		for range 2 {
			asked = false
			_, err := w.Call(t.Context(), []tool.Call{{ID: "1", Name: "bash", Args: json.RawMessage(`{"command":"npm install no-such-thing --offline --dry-run"}`)}}, func(e event.Event) {
				if e.Grant != nil {
					by = e.Grant.By
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if scope == guard.Once {
				break
			}
		}
		if where := map[guard.Scope]string{guard.ForSession: "(session)", guard.ForProject: "projects", guard.Always: "settings.json"}[scope]; !strings.Contains(by, where) {
			t.Errorf("a call after an approval for the %s is approved by %s", scope, by)
		}
		return asked
	}
	rows := []struct {
		rule      string
		scope     guard.Scope // of the approval that was given here before; Once: none was
		home, dir string
		asked     bool
	}{
		{"this session: not in this one", guard.ForSession, home, here, false},
		{"this session: in another one of the same project", guard.Once, home, here, true},
		{"this project: in this session", guard.ForProject, home, here, false},
		{"this project: in another session", guard.Once, home, here, false},
		{"this project: in another project", guard.Once, home, there, true},
		{"all projects: in this session", guard.Always, home, there, false},
		{"all projects: in a third one", guard.Once, home, t.TempDir(), false},
		{"all projects: another user", guard.Once, t.TempDir(), there, true},
	}
	for _, row := range rows {
		if got := asks(row.home, row.dir, row.scope); got != row.asked {
			t.Errorf("%s: asked %v", row.rule, got)
		}
	}
}

func fileChangesMeanwhile(t *testing.T) {
	for _, call := range []string{`write_file {"path":"a","content":"new\n"}`, `edit_file {"path":"a","old":"one","new":"two"}`} {
		var b *attacked
		var reasons []string
		file := func() string { return filepath.Join(b.workspace.Dir(), "a") }
		b = newAttacked(t, Options{Terms: event.Terms{Ask: []string{"write_file", "edit_file"}}, Person: funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
			reasons = append(reasons, r.Verdict.Reason)
			if len(reasons) == 1 {
				if err := os.WriteFile(file(), []byte("one\nand what somebody else wrote\n"), 0o600); err != nil {
					t.Error(err)
				}
				return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
			}
			return guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")}, nil
		})}, nil)
		if err := os.WriteFile(file(), []byte("one\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		r := b.run(call)[0]
		text, err := os.ReadFile(file())
		if err != nil || len(reasons) != 2 || !strings.Contains(reasons[1], "the files have changed since the last request showed them") || !strings.Contains(string(text), "somebody else") || r.Kind != tool.Denied {
			t.Errorf("%s: asked %q, the file holds %q, %v, %+v", call, reasons, text, err, r)
		}
	}
}

func goneApprovers(t *testing.T) {
	gone := map[string]func(context.Context) (guard.Answer, error){
		"the end of input": func(context.Context) (guard.Answer, error) { return guard.Answer{}, errors.New("EOF") },
		"a closed channel": func(context.Context) (guard.Answer, error) { a := make(chan guard.Answer); close(a); return <-a, nil },
		"nobody": func(ctx context.Context) (guard.Answer, error) {
			return guard.Nobody{}.Approve(ctx, guard.Case{}, guard.Verdict{})
		},
		"the zero answer":   func(context.Context) (guard.Answer, error) { return guard.Answer{}, nil },
		"one that abstains": func(context.Context) (guard.Answer, error) { return guard.Answer{Choice: guard.Abstain}, nil },
	}
	for name, answer := range gone {
		b := newAttacked(t, Options{Person: funcPerson(func(ctx context.Context, _ *Request) (guard.Answer, error) { return answer(ctx) })}, nil)
		b.h.settings.Limits.Answer = Duration(50 * time.Millisecond) // for the one that abstains: nobody else answers either
		b.runner.Approver = b.approvals.approver()
		r := b.run(`bash {"command":"touch made"}`)[0]
		if !r.Failed || b.exists("made") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	b := newAttacked(t, Options{Person: funcPerson(func(ctx context.Context, _ *Request) (guard.Answer, error) {
		ended.Go(func() { <-ctx.Done() })
		cancel() // Ctrl-C
		<-ctx.Done()
		return guard.Answer{Choice: guard.Approved, By: guard.ByPolicy("a page that answers too late")}, nil
	})}, nil)
	results, err := b.Call(ctx, []tool.Call{{ID: "1", Name: "bash", Args: json.RawMessage(`{"command":"touch made"}`)}}, nil)
	ended.Wait()
	if err != nil || results[0].Kind != tool.Cancelled || b.exists("made") {
		t.Errorf("cancelled: %+v, %v", results, err)
	}
}

// denying is a session whose person denies everything. Its workspace has the directory build.
func denying(t *testing.T) *attacked {
	t.Helper()
	b := newAttacked(t, Options{}, func(guard.Case) guard.Choice { return guard.Denied })
	if err := os.Mkdir(filepath.Join(b.workspace.Dir(), "build"), 0o700); err != nil {
		t.Fatal(err)
	}
	return b
}

var spellings = []string{"rm -rf build", "rm -r -f ./build", "find build -delete", "cd build && rm -rf .", "rm -rf build/*", "sh -c 'rm -rf build'", "x=build; rm -rf $x", "nice rm -rf build", "rm -rf $(pwd)/build", "true && rm -R build"}

func tenSpellings(t *testing.T) {
	b := denying(t)
	for i, cmd := range spellings {
		r := b.run(`bash {"command":` + string(quoted(cmd)) + `}`)[0]
		if want := int32(min(i+1, 3)); r.Kind != tool.Denied || b.asked.Load() != want {
			t.Errorf("%q: asked %d times, want %d: %+v", cmd, b.asked.Load(), want, r)
		}
		if i >= 3 && !strings.Contains(r.Text, "the user has refused this 3 times") {
			t.Errorf("%q: the model got %q", cmd, r.Text)
		}
	}
	if !b.exists("build") {
		t.Error("it is gone")
	}
	b.runner.Prompted(b.id, "")
	if b.run(`bash {"command":"rm -rf build"}`); b.asked.Load() != 4 {
		t.Errorf("after the user spoke: asked %d times", b.asked.Load())
	}
}

func openAgainAndAgain(t *testing.T) {
	b := denying(t)
	b.guards.Rules.List = append(b.guards.Rules.List, guards.Rule{Decision: guard.Allow, Tool: "request_access", Risk: true, Layer: guards.User}) // answers nothing
	for i := range 10 {
		r := b.run(fmt.Sprintf(`request_access {"host":"h%d.example.com","why":"the task needs it"}`, i))[0]
		if want := int32(min(i+1, 3)); r.Kind != tool.Denied || b.asked.Load() != want {
			t.Errorf("%d: asked %d times, want %d: %+v", i, b.asked.Load(), want, r)
		}
		if i >= 3 && !strings.Contains(r.Text, "refused requests for access 3 times") {
			t.Errorf("%d: the model got %q", i, r.Text)
		}
	}
}

func refusedBeforeResume(t *testing.T) {
	b := denying(t)
	for _, cmd := range spellings[:3] {
		b.run(`bash {"command":` + string(quoted(cmd)) + `}`)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	h, err := Open(t.Context(), Options{Dir: b.workspace.Dir(), Terms: event.Terms{Sandbox: "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	later, err := h.Resume(t.Context(), b.id, NewSession{Model: &script.Model{Script: &script.Script{}}})
	if err != nil {
		t.Fatal(err)
	}
	c := guard.Case{Session: later.id, Call: tool.Call{ID: "9", Name: "bash"}, Root: b.workspace.Dir(), Mode: guard.Supervised, Intent: tool.Intent{Command: "rm -rf " + b.workspace.Dir() + "/build", Unknown: true}}
	if v := later.guards.Judge(t.Context(), c); v.Decision != guard.Deny {
		t.Errorf("got %+v", v)
	}
}

func queuedUnderAnotherMode(t *testing.T) {
	for _, mode := range []guard.Mode{guard.ReadOnly, guard.Supervised} {
		b := newAttacked(t, Options{Terms: event.Terms{Mode: "full", Ask: []string{"bash(touch:*)"}}, Unattended: Suspend}, nil)
		approver := b.runner.Approver
		b.runner.Approver = guard.ApproverFunc(func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
			a, err := approver.Approve(ctx, c, v)
			if a.Choice == guard.Later {
				b.asked.Add(1)
			}
			return a, err
		})
		var calls []tool.Call
		for i := range 20 {
			calls = append(calls, tool.Call{ID: fmt.Sprint(i), Name: "bash", Args: json.RawMessage(fmt.Sprintf(`{"command":"touch f%d"}`, i))})
		}
		if _, err := b.Call(t.Context(), calls, nil); err == nil {
			t.Fatal("nothing is suspended")
		}
		pending, err := b.h.inbox.Pending()
		if err != nil || len(pending) != 20 || b.asked.Load() != 20 {
			t.Fatalf("%d are pending, %d were asked about, %v", len(pending), b.asked.Load(), err)
		}
		for _, r := range pending {
			if _, err := b.h.inbox.Answer(r.Session, r.Call, r.Hash, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}); err != nil {
				t.Fatal(err)
			}
		}
		b.runner.Mode, b.runner.Epoch = mode, b.setMode(mode)
		b.asked.Store(0)
		results, _ := b.Call(t.Context(), calls, nil) // suspended again where it asks again
		for i, r := range results {
			if b.exists(fmt.Sprintf("f%d", i)) || r.Kind != tool.Denied && r.Kind != tool.Waiting {
				t.Errorf("in %v: %+v", mode, r)
			}
		}
		if want := map[guard.Mode]int32{guard.Supervised: 20}[mode]; b.asked.Load() != want {
			t.Errorf("in %v: asked %d times, want %d", mode, b.asked.Load(), want)
		}
	}
}

func untrustedFirst(t *testing.T) {
	shown := ""
	b := newAttacked(t, Options{Person: funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
		if strings.Contains(r.Case.Intent.Command, "push") {
			shown = strings.Join(r.Lines, "\n")
			return guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")}, nil
		}
		return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
	})}, nil)
	b.run(`bash {"command":"git push --force"}`)
	if strings.Contains(shown, "after ") {
		t.Errorf("before anything was read:\n%s", shown)
	}
	b.run(`bash {"command":"curl -s http://127.0.0.1:1/page"}`) // the connection fails, but its output is untrusted all the same
	b.run(`bash {"command":"git push --force"}`)
	if !strings.Contains(shown, "\n  after    reading 127.0.0.1\n") {
		t.Errorf("shown:\n%s", shown)
	}
}
