package harness

import (
	"context"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/kit/tools/git"
	"rein/kit/undo"
	"rein/model"
)

// repository makes a git repository with one commit.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Skipf("git: %v %s", err, out)
		}
	}
	return dir
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(text)
}

// players are models by the kinds of the agents that they play; "" is the user's session. Each has its own script.
type players map[string]model.Model

func cast(t testing.TB, scripts map[string]string) model.Model {
	all := players{}
	for kind, text := range scripts {
		all[kind] = scripted(t, text)
	}
	return all
}

func (p players) Info() model.Info { return p[""].Info() }

func (p players) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	kind := ""
	if p[sampled] != nil && r.System == sampling {
		kind = sampled
	}
	if at := strings.LastIndex(r.System, "You are now the sub-agent \""); at >= 0 {
		_, rest, _ := strings.Cut(r.System[at:], "\"")
		kind, _, _ = strings.Cut(rest, "\"")
	}
	return p[kind].Stream(ctx, r)
}

// asked is a person who approves all requests, and keeps them.
type asked struct {
	before func(*Request) // called first; may be nil

	mu  sync.Mutex
	all []*Request
}

func (a *asked) Ask(_ context.Context, r *Request) (guard.Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, r)
	if a.before != nil {
		a.before(r)
	}
	return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
}

// results are the texts of the results of calls of a tool, with those of sub-agents.
func results(events []event.Event, name string) (all []string) {
	for _, e := range events {
		if e.Kind == event.Replied && e.Call.Name == name {
			all = append(all, e.Result.Text)
		}
	}
	return all
}

func sendAll(t *testing.T, s *Session, text string) (all []event.Event) {
	t.Helper()
	for e, err := range s.Send(t.Context(), model.Text(text)) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func trees(t *testing.T) int {
	t.Helper()
	entries, _ := os.ReadDir(settings.DefaultDirs().Worktrees)
	return len(entries)
}

// mayRun reports whether a file is executable.
func mayRun(t *testing.T, file string) bool {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()&0o100 != 0
}

func TestASubAgentWorksInACopy(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := repository(t, map[string]string{"a.txt": "one\ntwo\n", "old.txt": "old\n", "secret/key.txt": "k\n", "absolute.txt": "x\n", "run.sh": "#!/bin/sh\n"})
	put(t, filepath.Join(dir, "a.txt"), "one\ntwo\nnot committed\n")
	person := &asked{before: func(*Request) {
		if got := get(t, filepath.Join(dir, "a.txt")) + get(t, filepath.Join(dir, "old.txt")); got != "one\ntwo\nnot committed\nold\n" {
			t.Errorf("the workspace, before the changes were approved: %q", got)
		}
	}}
	h, err := Open(t.Context(), Options{Dir: dir, Person: person, Terms: event.Terms{Deny: []string{"read_file(./secret/**)", "edit_file(" + dir + "/absolute.txt)"}, Ask: []string{"agent_apply"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(t.Context())
	s, err := h.Start(t.Context(), NewSession{Model: cast(t, map[string]string{"": `
turns:
  - calls: [{name: agent, args: {task: change it, agent: implement, name: maker, isolation: worktree}}]
  - calls: [{name: agent_apply, args: {id: maker}}]
  - text: Done.
`, "implement": `
turns:
  - calls:
    - {name: read_file, args: {path: a.txt}}
    - {name: read_file, args: {path: secret/key.txt}}
    - {name: write_file, args: {path: new.txt, content: "new\n"}}
    - {name: write_file, args: {path: absolute.txt, content: "y\n"}}
    - {name: bash, args: {command: "printf 'three\n' >> a.txt; chmod +x run.sh; rm old.txt; git status --short; git log --format=%s | head -2"}}
  - text: I changed it.
`})})
	if err != nil {
		t.Fatal(err)
	}
	events := sendAll(t, s, "go")
	for _, e := range events {
		if e.Kind == event.Audit && strings.Contains(e.Text, "panic") {
			t.Error(e.Text)
		}
	}
	read, wrote := strings.Join(results(events, "read_file"), ""), strings.Join(results(events, "write_file"), "")
	if !strings.Contains(read, "not committed") || !strings.Contains(read, "read_file(./secret/**) (command line:1) denies") {
		t.Errorf("it read %q", read)
	}
	if !strings.Contains(wrote, "created new.txt") || !strings.Contains(wrote, "absolute.txt) (command line:1) denies") {
		t.Errorf("it wrote %q", wrote)
	}
	if bash := strings.Join(results(events, "bash"), ""); !strings.Contains(bash, "M a.txt") || !strings.Contains(bash, "first") {
		t.Errorf("git in the copy: %s", bash)
	}
	if report := strings.Join(results(events, "agent"), ""); !strings.Contains(report, "changed a.txt\ncreated new.txt\ndeleted old.txt\nmade executable run.sh") {
		t.Errorf("the report: %s", report)
	}
	if get(t, filepath.Join(dir, "a.txt")) != "one\ntwo\nnot committed\nthree\n" || get(t, filepath.Join(dir, "new.txt")) != "new\n" || !strings.HasPrefix(get(t, filepath.Join(dir, "old.txt")), "(") {
		t.Errorf("the workspace after it: %q %q %q", get(t, filepath.Join(dir, "a.txt")), get(t, filepath.Join(dir, "new.txt")), results(events, "agent_apply"))
	}
	if n := len(person.all); n != 2 || person.all[0].Tool != "bash" || person.all[0].Agent != "implement" || person.all[1].Tool != "agent_apply" ||
		!strings.Contains(strings.Join(person.all[1].Lines, "\n"), "+three") {
		t.Errorf("%d requests: %+v", n, person.all)
	}
	if !mayRun(t, filepath.Join(dir, "run.sh")) || !strings.Contains(strings.Join(person.all[1].Lines, "\n"), "becomes executable") {
		t.Errorf("run.sh is not executable, or the person was not asked: %q", person.all[1].Lines)
	}
	if n := trees(t); n != 0 {
		t.Errorf("%d copies are left", n)
	}
	files, err := s.FileHistory()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := files.Plan(t.Context(), undo.Selection{Last: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Undo(t.Context(), plan, nil); err != nil || get(t, filepath.Join(dir, "a.txt")) != "one\ntwo\nnot committed\n" || get(t, filepath.Join(dir, "old.txt")) != "old\n" || mayRun(t, filepath.Join(dir, "run.sh")) {
		t.Errorf("undone: %v, %q %q", err, get(t, filepath.Join(dir, "a.txt")), get(t, filepath.Join(dir, "old.txt")))
	}
}

func TestWhatASubAgentChangedInACopyIsNotLost(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := repository(t, map[string]string{"a.txt": "one\n"})
	script := map[string]string{"": `
turns:
  - calls: [{name: agent, args: {task: change it, agent: implement, name: maker, isolation: worktree}}]
  - text: Not yet.
  - calls: [{name: agent_apply, args: {id: maker}}]
  - text: I see.
  - calls: [{name: agent_apply, args: {id: maker, part: true}}]
  - text: Done.
`, "implement": `
turns:
  - calls: [{name: write_file, args: {path: b.txt, content: "b\n"}}, {name: edit_file, args: {path: a.txt, old_text: one, new_text: two}}]
  - calls: [{name: read_file, args: {path: a.txt}}]
  - calls: [{name: edit_file, args: {path: a.txt, old_text: one, new_text: two}}]
  - text: I changed it.
`}
	start := func(id string) *Session {
		h, err := Open(t.Context(), Options{Dir: dir, Terms: event.Terms{Mode: "full"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close(context.Background()) })
		n := NewSession{Model: cast(t, script)}
		var s *Session
		if id == "" {
			s, err = h.Start(t.Context(), n)
		} else {
			s, err = h.Resume(t.Context(), id, n)
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := start("")
	sendAll(t, s, "go")
	if err := s.h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "a.txt"), "the user's\n") // a conflict, in another process
	s = start(s.ID())
	refused := strings.Join(results(sendAll(t, s, "apply"), "agent_apply"), "")
	if !strings.Contains(refused, "a.txt: the same lines were changed here") || !strings.Contains(refused, "+two") || get(t, filepath.Join(dir, "a.txt")) != "the user's\n" ||
		!strings.HasPrefix(get(t, filepath.Join(dir, "b.txt")), "(") || trees(t) != 1 {
		t.Errorf("with a conflict: %s; %d copies", refused, trees(t))
	}
	sendAll(t, s, "what has none")
	if get(t, filepath.Join(dir, "a.txt")) != "the user's\n" || get(t, filepath.Join(dir, "b.txt")) != "b\n" || trees(t) != 1 {
		t.Errorf("the part without conflicts: %q %q", get(t, filepath.Join(dir, "a.txt")), get(t, filepath.Join(dir, "b.txt")))
	}
	id := s.ID()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.h.Store().Delete(id); err != nil || trees(t) != 0 {
		t.Errorf("deleted: %v, %d copies are left", err, trees(t))
	}
}

// TestImplementReviewApply: one sub-agent changes a copy, a second one reviews the changes and finds a fault, the first one repairs it,
// and the user approves the diff that comes into the workspace. The reviewer changes nothing, neither here nor in the copy.
func TestImplementReviewApply(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := repository(t, map[string]string{"sum.txt": "2+2=\n"})
	person := &asked{}
	h, err := Open(t.Context(), Options{Dir: dir, Person: person, Terms: event.Terms{Ask: []string{"agent_apply"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(t.Context())
	const review = "{name: agent, args: {task: 'Review the changes of maker.', agent: review}}"
	s, err := h.Start(t.Context(), NewSession{Model: cast(t, map[string]string{"": asks(
		"{name: agent, args: {task: write the sum, agent: implement, name: maker, isolation: worktree}}", review,
		"{name: agent_message, args: {id: maker, message: 'The sum is 4.'}}", "{name: agent_wait, args: {ids: [maker]}}", review,
		"{name: agent_apply, args: {id: maker}}"), "implement": `
turns:
  - calls: [{name: read_file, args: {path: sum.txt}}, {name: write_file, args: {path: sum.txt, content: "2+2=5\n"}}]
  - text: Written.
  - calls: [{name: edit_file, args: {path: sum.txt, old_text: "5", new_text: "4"}}]
  - text: Repaired.
`, "review": `
turns:
  - calls: [{name: agent_diff, args: {id: maker}}, {name: write_file, args: {path: sum.txt, content: "2+2=6\n"}}]
  - text: Reviewed.
`})})
	if err != nil {
		t.Fatal(err)
	}
	events := sendAll(t, s, "go")
	diffs := results(events, "agent_diff")
	if len(diffs) != 2 || !strings.Contains(diffs[0], "+2+2=5") || !strings.Contains(diffs[1], "-2+2=\n+2+2=4") {
		t.Errorf("the reviewers saw %q; agents: %q, %q", diffs, results(events, "agent"), results(events, "agent_wait"))
	}
	for _, text := range results(events, "write_file")[1:] {
		if strings.Contains(text, "created") || strings.Contains(text, "wrote") {
			t.Errorf("a reviewer wrote: %s", text)
		}
	}
	if len(person.all) != 1 || person.all[0].Tool != "agent_apply" || !strings.Contains(strings.Join(person.all[0].Lines, "\n"), "+2+2=4") {
		t.Errorf("the person was asked %+v", person.all)
	}
	if got := get(t, filepath.Join(dir, "sum.txt")); got != "2+2=4\n" || trees(t) != 0 {
		t.Errorf("the workspace has %q, and %d copies are left; %q", got, trees(t), results(events, "agent_apply"))
	}
}

// TestACopyLeavesOutWhatIsHidden: what programs may not open is neither copied nor taken back, and the rest is.
func TestACopyLeavesOutWhatIsHidden(t *testing.T) {
	dir := repository(t, map[string]string{"a.txt": "one\n", ".env.example": "KEY=\n"})
	for _, name := range []string{".envrc", ".env", "sub/.netrc"} {
		put(t, filepath.Join(dir, name), "export KEY=c4nary-of-the-test\n")
	}
	s := startCalls(t, Options{Dir: dir, Terms: event.Terms{Mode: "supervised"}, Person: &approveAll{}})
	trees := s.h.copies
	tree, err := trees.Open(t.Context(), git.WorktreeOf{ID: "sub-1", Session: s.id, Source: dir}, s.box)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Remove()
	for _, name := range []string{".envrc", ".env", "sub/.netrc"} {
		if text := get(t, filepath.Join(tree.Root(), name)); strings.Contains(text, "c4nary") {
			t.Errorf("%s is copied", name)
		}
		put(t, filepath.Join(tree.Root(), name), "export KEY=of-the-sub-agent\n")
	}
	put(t, filepath.Join(tree.Root(), "a.txt"), "two\n")
	changes, err := tree.Release(t.Context())
	if err != nil || len(changes.Files) != 1 || changes.Files[0].Path != "a.txt" {
		t.Errorf("changes %+v, %v", changes, err)
	}
}
