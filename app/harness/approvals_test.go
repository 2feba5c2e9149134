package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rein/app/inbox"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/kit/network"
	"rein/kit/workspace"
	"rein/tool"
)

// silent is a person who never answers.
type silent struct{}

func (silent) Ask(ctx context.Context, _ *Request) (guard.Answer, error) {
	<-ctx.Done()
	return guard.Answer{}, context.Cause(ctx)
}

// TestHowLongARequestWaits: without a limit it waits until somebody answers; with one it is denied when the time is over.
func TestHowLongARequestWaits(t *testing.T) {
	ws, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	first := &tool.Questions{Wait: 60, First: true, List: []tool.Question{{Text: "?", Choices: []tool.Choice{{Label: "a"}, {Label: "b"}}}}}
	for _, row := range []struct {
		rule  string
		asks  *tool.Questions
		limit time.Duration
		after time.Duration
		want  guard.Answer
		err   error
	}{
		{"without a limit it waits, here for an hour", nil, 0, time.Hour, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil},
		{"with a limit it is denied", nil, 10 * time.Minute, 10 * time.Minute, guard.Answer{Choice: guard.Denied, By: guard.ByDeadline(), Words: "nobody answered within 10m0s"}, guard.ErrNobody},
		{"a question may have a shorter limit", &tool.Questions{Wait: 60}, 10 * time.Minute, time.Minute, guard.Answer{Choice: guard.Denied, By: guard.ByDeadline(), Words: "nobody answered within 1m0s"}, guard.ErrNobody},
		{"and not a longer one", &tool.Questions{Wait: 6000}, 10 * time.Minute, 10 * time.Minute, guard.Answer{Choice: guard.Denied, By: guard.ByDeadline(), Words: "nobody answered within 10m0s"}, guard.ErrNobody},
		{"the first choice of a question counts", first, 0, time.Minute, guard.Answer{Choice: guard.Approved, By: guard.ByDeadline(), Chosen: &tool.Chosen{Answers: []tool.Answer{{Choices: []string{"a"}}}, Default: true}}, nil},
	} {
		t.Run(row.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &Harness{options: Options{Person: silent{}}, dirs: settings.Dirs{Sessions: t.TempDir()}, suspended: context.Background()}
				h.inbox = inbox.New(h.dirs.Sessions)
				h.settings.Limits.Answer = settings.Duration(row.limit)
				s := inWorkspace(h, ws)
				c := guard.Case{Session: "s", Call: tool.Call{ID: "1", Name: "bash"}, Intent: tool.Intent{Questions: row.asks}}
				began := time.Now()
				go func() {
					time.Sleep(time.Hour)
					h.inbox.Answer("s", "1", c.Binding().Hash(), guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}) // too late in the second row
				}()
				got, err := s.approvals.approver().Approve(t.Context(), c, guard.Verdict{})
				if took := time.Since(began); !reflect.DeepEqual(got, row.want) || !errors.Is(err, row.err) || took < row.after || took > row.after+inbox.PollInterval {
					t.Errorf("got %v, %v after %v", got, err, took)
				}
				time.Sleep(2 * time.Hour) // the late answer
			})
		})
	}
}

// editor is a person who changes the first request to another command and approves the next one.
type editor struct {
	command string
	shown   []string
}

func (p *editor) Ask(_ context.Context, r *Request) (guard.Answer, error) {
	p.shown = append(p.shown, r.Shown.Command)
	a := guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}
	if len(p.shown) == 1 {
		a.Scope, a.Args = guard.Always, fmt.Sprintf(`{"command":%q}`, p.command)
	}
	return r.Claim(a)
}

// TestAnEditedCommandApprovesNothingElse: the command that was shown first is neither allowed later nor are its hosts opened, and
// the edited one is judged again.
func TestAnEditedCommandApprovesNothingElse(t *testing.T) {
	person := &editor{command: "curl --version >/dev/null; rm -rf gone*; echo edited"}
	s := startCalls(t, Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off"}, Person: person})
	result := callText(t, s, "1", "bash", `{"command":"curl http://127.0.0.1:8123/"}`)
	if len(person.shown) != 2 || person.shown[1] != person.command || !strings.Contains(result, "edited") {
		t.Errorf("shown %q, got %s", person.shown, result)
	}
	if target, err := network.ParseTarget("127.0.0.1", "8123"); err != nil || s.access.ToolsOf("1").Check(target) == nil {
		t.Errorf("the host of the command that did not run is open: %v", err)
	}
	person.shown = []string{""}
	callText(t, s, "2", "bash", `{"command":"curl http://127.0.0.1:8123/"}`)
	if len(person.shown) != 2 {
		t.Error("the first command is allowed for good")
	}
}

// TestRequestsOfSubAgentsLeaveTheInbox: the inbox has them under the user's session, and their end is in the journal of the sub-agent.
func TestRequestsOfSubAgentsLeaveTheInbox(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := t.TempDir()
	var h *Harness
	var s *Session
	answer := guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), From: "test"}
	seen := 0
	h, err := Open(t.Context(), Options{Dir: dir, Terms: event.Terms{Sandbox: "off"}, Person: funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
		if open, err := h.Inbox().Open(); err != nil || len(open) != 1 || !open[s.ID()] || r.Agent == "" {
			t.Errorf("while a sub-agent (%q) asks, the inbox has %v, %v", r.Agent, open, err)
		}
		seen++
		return r.Claim(answer)
	})})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	s, err = h.Start(t.Context(), NewSession{Model: scripted(t, `
turns:
  - calls: [{name: agent, args: {task: publish it}}]
  - text: Done.
conversations:
  - when: publish
    turns:
      - calls: [{name: bash, args: {command: git push}}]
      - text: Denied.
`)})
	if err != nil {
		t.Fatal(err)
	}
	if last := say(t, s, "go"); last.Stop != event.Done || seen != 1 {
		t.Fatalf("stopped with %v, asked %d times", last.Stop, seen)
	}
	if open, err := h.Inbox().Open(); err != nil || len(open) != 0 {
		t.Errorf("the inbox still has %v, %v", open, err)
	}
}

// TestATurnIsCancelledThatWaitedInAnEarlierProcess: its requests leave the inbox, whoever asks, and no call of it runs, although nobody would be
// asked now.
func TestATurnIsCancelledThatWaitedInAnEarlierProcess(t *testing.T) {
	for name, script := range map[string]string{
		"its own call": `turns: [{calls: [{name: bash, args: {command: touch done.txt}}]}, {text: Done.}]`,
		"a sub-agent":  "turns: [{calls: [{name: agent, args: {task: publish it}}]}, {text: Done.}]\nconversations: [{when: publish, turns: [{calls: [{name: bash, args: {command: touch done.txt}}]}, {text: Done.}]}]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("REIN_HOME", t.TempDir())
			dir := t.TempDir()
			open := func(terms event.Terms) *Harness {
				terms.Sandbox = "off"
				h, err := Open(t.Context(), Options{Dir: dir, Terms: terms, Unattended: Suspend})
				if err != nil {
					t.Fatal(err)
				}
				return h
			}
			h := open(event.Terms{Ask: []string{"bash(touch:*)"}})
			s, err := h.Start(t.Context(), NewSession{Model: scripted(t, script)})
			if err != nil {
				t.Fatal(err)
			}
			if last := say(t, s, "go"); last.Stop != event.Waiting {
				t.Fatalf("stopped with %v", last.Stop)
			}
			if err := h.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			h = open(event.Terms{Allow: []string{"bash(touch:*)"}})
			defer h.Close(context.Background())
			if s, err = h.Resume(t.Context(), s.ID(), NewSession{Model: scripted(t, script)}); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var last event.Event
			for last = range s.Resume(ctx) {
			}
			all, err := h.Inbox().Pending()
			if last.Stop != event.Cancelled || s.Waiting() || len(all) != 0 || err != nil {
				t.Errorf("stopped with %q, waits: %v, the inbox has %+v, %v", last.Stop, s.Waiting(), all, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "done.txt")); err == nil {
				t.Error("the call ran")
			}
		})
	}
}

type plainText struct{}

func (plainText) String(s string) string { return s }

func TestHooksAnswerApprovalRequests(t *testing.T) {
	allow, deny := hook.Output{Decision: hook.Allow}, hook.Output{Decision: hook.Deny, Reason: "no"}
	for _, c := range []struct {
		name     string
		out      hook.Output
		approves bool
		verdict  guard.Verdict
		want     guard.Choice
	}{
		{"no opinion", hook.Output{}, true, guard.Verdict{}, guard.Abstain},
		{"an approval without the setting", allow, false, guard.Verdict{}, guard.Abstain},
		{"an approval with the setting", allow, true, guard.Verdict{}, guard.Approved},
		{"what only a person may approve", allow, true, guard.Verdict{PersonOnly: true}, guard.Abstain},
		{"a denial", deny, false, guard.Verdict{PersonOnly: true}, guard.Denied},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := hook.Hook{Name: "test", Event: hook.PermissionRequest, Run: func(context.Context, hook.Input) (hook.Output, error) { return c.out, nil }}
			h.Approves = c.approves
			var recorded int
			a, err := hookApprover(hook.NewSet(h), plainText{}, func(event.Event) { recorded++ }).Approve(t.Context(), guard.Case{}, c.verdict)
			if err != nil || a.Choice != c.want || a.ByPerson() || a.Scope != guard.Once {
				t.Errorf("%v, %v", a, err)
			}
			if (recorded > 0) != (c.out.Decision != hook.None) {
				t.Errorf("%d events", recorded)
			}
			asked := guard.Case{Intent: tool.Intent{Questions: &tool.Questions{}}}
			if a, _ := hookApprover(hook.NewSet(h), plainText{}, func(event.Event) {}).Approve(t.Context(), asked, c.verdict); a.Choice != guard.Abstain {
				t.Error("a hook answered questions")
			}
		})
	}
}

// TestAnApprovalHoldsForTheFilesThatWereShown: a session that nobody has open is answered, and the file changes before it goes on.
func TestAnApprovalHoldsForTheFilesThatWereShown(t *testing.T) {
	for _, changed := range []bool{false, true} {
		t.Run(fmt.Sprint("changed: ", changed), func(t *testing.T) {
			t.Setenv("REIN_HOME", t.TempDir())
			file := filepath.Join(t.TempDir(), "f.txt")
			put(t, file, "1\n2\n3\n")
			open := func() *Harness {
				h, err := Open(t.Context(), Options{Dir: filepath.Dir(file), Terms: event.Terms{Mode: "ask", Sandbox: "off"}, Unattended: Suspend})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { h.Close(context.Background()) })
				return h
			}
			script := "turns:\n  - calls: [{name: read_file, args: {path: f.txt}}]\n  - calls: [{name: edit_file, args: {path: f.txt, edits: [{old: '3', new: three}]}}]\n  - text: Done.\n"
			h := open()
			s, err := h.Start(t.Context(), NewSession{Model: scripted(t, script)})
			if err != nil {
				t.Fatal(err)
			}
			if last := say(t, s, "go"); last.Stop != event.Waiting {
				t.Fatal(last)
			}
			all, err := h.Inbox().Pending()
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			if err := h.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			h = open()
			if _, err := h.Inbox().Answer(all[0].Session, all[0].Call, all[0].Hash, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}); err != nil {
				t.Fatal(err)
			}
			if changed {
				put(t, file, "one\ntwo\n3\n")
			}
			if s, err = h.Resume(t.Context(), all[0].Session, NewSession{Model: scripted(t, script)}); err != nil {
				t.Fatal(err)
			}
			for _, err := range s.Resume(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
			}
			all, err = h.Inbox().Pending()
			text, _ := os.ReadFile(file)
			if ran := strings.Contains(string(text), "three"); ran == changed || (len(all) == 1) != changed || err != nil {
				t.Errorf("the file holds %q, and %d requests wait: %v", text, len(all), err)
			}
		})
	}
}
