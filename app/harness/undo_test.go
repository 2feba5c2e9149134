package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/kit/undo"
	"rein/tool"
)

// undoing is a session without a model over a directory of its own, in which everything is allowed.
type undoing struct {
	*testing.T
	dir string
	o   Options
	h   *Harness
	s   *Session
	e   []event.Event
}

func newUndoing(t *testing.T, text string) *undoing {
	t.Helper()
	t.Setenv("REIN_HOME", t.TempDir())
	d := settings.DefaultDirs()
	u := &undoing{T: t, dir: t.TempDir()}
	u.must(os.MkdirAll(d.Config, 0o700))
	u.must(os.WriteFile(filepath.Join(d.Config, "settings.json"), []byte(text), 0o600))
	u.o = Options{Dir: u.dir, Terms: event.Terms{Sandbox: "off", Mode: "full", Allow: []string{"bash", "write_file"}}}
	u.open()
	return u
}

func (u *undoing) must(err error) {
	u.Helper()
	if err != nil {
		u.Fatal(err)
	}
}

func (u *undoing) open() {
	u.Helper()
	var err error
	u.h, err = Open(u.Context(), u.o)
	u.must(err)
	u.Cleanup(func() { u.h.Close(context.Background()) })
	u.s, err = u.h.Start(u.Context(), NewSession{NoModel: true, Recorded: func(e event.Event) { u.e = append(u.e, e) }})
	u.must(err)
}

func (u *undoing) call(id, name, args string) tool.Result {
	u.Helper()
	results, err := u.s.Call(u.Context(), []tool.Call{{ID: id, Name: name, Args: []byte(args)}}, nil)
	u.must(err)
	return results[0]
}

func (u *undoing) put(name, text string) {
	u.Helper()
	u.must(os.WriteFile(filepath.Join(u.dir, name), []byte(text), 0o644))
}

func (u *undoing) want(name, text string) {
	u.Helper()
	got, err := os.ReadFile(filepath.Join(u.dir, name))
	if err != nil && text != "" || string(got) != text {
		u.Errorf("%s is %q, %v, want %q", name, got, err, text)
	}
}

func (u *undoing) undo(sel undo.Selection, a *undo.Answers) *undo.Outcome {
	u.Helper()
	f, err := u.s.FileHistory()
	u.must(err)
	p, err := f.Plan(u.Context(), sel)
	u.must(err)
	out, err := f.Undo(u.Context(), p, a)
	u.must(err)
	return out
}

// TestCommandsAreUndone: what a shell command did is taken back, the user's own changes stay, and a redo restores it.
func TestCommandsAreUndone(t *testing.T) {
	u := newUndoing(t, "{}")
	u.put("keep", "mine\n")
	u.put("gone", "text\n")
	u.call("c1", "bash", `{"command":"rm gone; mkdir d; echo new > d/n; chmod 600 keep"}`)
	u.put("user", "made between calls\n")
	u.call("c2", "write_file", `{"path":"w","content":"written\n"}`)
	u.want("d/n", "new\n")

	if out := u.undo(undo.Selection{Last: 1}, nil); out.Steps[0].Call.ID != "c2" {
		t.Errorf("took back %+v", out.Steps)
	}
	u.want("w", "")
	u.undo(undo.Selection{Last: 1}, nil)
	u.want("gone", "text\n")
	u.want("d/n", "")
	u.want("user", "made between calls\n")
	if info, err := os.Stat(filepath.Join(u.dir, "keep")); err != nil || info.Mode() != 0o644 {
		t.Errorf("keep is %v, %v", info.Mode(), err)
	}
	u.undo(undo.Selection{Last: 1, Redo: true}, nil)
	u.want("d/n", "new\n")
	u.want("gone", "")

	kinds := map[event.Kind]int{}
	for _, e := range u.e {
		kinds[e.Kind]++
	}
	if kinds[event.FilesModified] != 2 || kinds[event.FilesUndone] != 3 {
		t.Errorf("the journal has %v", kinds)
	}
}

// TestHooksAreUndone: what the program of a hook changes is taken back like the work of a call, and calls at work at the same time keep theirs.
func TestHooksAreUndone(t *testing.T) {
	u := newUndoing(t, `{"hooks":{
		"PreToolUse":[{"matcher":"write_file","hooks":[{"type":"command","command":"echo before >> log","sandbox":"off"}]}],
		"PostToolUse":[{"matcher":"write_file","hooks":[{"type":"command","command":"sed -i s/a/A/ w; rm -f gone","sandbox":"off"}]}]}}`)
	u.put("gone", "text\n")
	u.call("c1", "write_file", `{"path":"w","content":"a\n"}`)
	u.want("w", "A\n")
	u.want("gone", "")
	u.want("log", "before\n")

	if out := u.undo(undo.Selection{Last: 1}, nil); out.Steps[0].Call.Tool != "hook" || !strings.Contains(out.Steps[0].Call.Title, "sed -i") || len(out.Conflicts) > 0 {
		t.Errorf("took back %+v, conflicts %v", out.Steps, out.Conflicts)
	}
	u.want("w", "a\n")
	u.want("gone", "text\n")
	u.undo(undo.Selection{Last: 2}, nil)
	u.want("w", "")
	u.want("log", "")

	_, err := u.s.Call(t.Context(), []tool.Call{
		{ID: "c2", Name: "write_file", Args: []byte(`{"path":"x","content":"x\n"}`)},
		{ID: "c3", Name: "write_file", Args: []byte(`{"path":"y","content":"y\n"}`)}}, nil)
	u.must(err)
	if out := u.undo(undo.Selection{Filter: undo.Filter{Call: "c2"}}, nil); len(out.Conflicts) > 0 {
		t.Errorf("conflicts %v", out.Conflicts)
	}
	u.want("x", "")
	u.want("y", "y\n")
}

// TestUndoInAnotherProcess: a recorded session need not be open.
func TestUndoInAnotherProcess(t *testing.T) {
	u := newUndoing(t, "{}")
	u.put("a", "1\n")
	u.call("c1", "bash", `{"command":"echo 2 > a"}`)
	id := u.s.ID()
	u.must(u.h.Close(t.Context()))
	h, err := Open(t.Context(), u.o)
	u.must(err)
	defer h.Close(context.Background())
	f, err := h.FileHistory(id)
	u.must(err)
	p, err := f.Plan(t.Context(), undo.Selection{Filter: undo.Filter{Call: "c1"}})
	u.must(err)
	if len(p.Changes) != 1 || !strings.Contains(p.Changes[0].Diff, "+1") {
		t.Errorf("the plan is %+v", p.Changes)
	}
	u.want("a", "2\n")
	if _, err := f.Undo(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	u.want("a", "1\n")
	for e, err := range h.Events(id, 0) {
		u.must(err)
		if e.Kind == event.FilesUndone && slices.Equal(e.Files.Steps, []string{"c1"}) {
			return
		}
	}
	t.Error("the journal of the session does not have it")
}

// TestJobsBelongToTheirCall: what a job writes after its call has ended is part of the call.
func TestJobsBelongToTheirCall(t *testing.T) {
	u := newUndoing(t, "{}")
	u.call("c1", "bash", `{"command":"echo 1 > first; while [ ! -e go ]; do sleep 0.05; done; echo 2 > second","background":true}`)
	u.put("go", "")
	for !u.has("second") {
		time.Sleep(20 * time.Millisecond)
	}
	for len(u.s.Jobs().Running()) > 0 {
		time.Sleep(20 * time.Millisecond)
	}
	u.undo(undo.Selection{Filter: undo.Filter{Call: "c1"}}, nil)
	if u.has("first") || u.has("second") {
		t.Error("the job's files are still there")
	}
}

func (u *undoing) has(name string) bool {
	_, err := os.Stat(filepath.Join(u.dir, name))
	return err == nil
}

// TestWhatCannotBeUndoneAsks: where the files cannot be kept, a call that may change them needs a person; one that reads
// does not.
func TestWhatCannotBeUndoneAsks(t *testing.T) {
	u := newUndoing(t, "{}")
	u.put("a", "1\n")
	state := filepath.Join(u.h.dirs.State, "undo")
	u.must(os.MkdirAll(filepath.Dir(state), 0o700))
	u.must(os.RemoveAll(state))
	u.must(os.WriteFile(state, nil, 0o600)) // no directory can be made there
	if got := u.call("c1", "bash", `{"command":"echo 2 > a"}`); !got.Failed || !strings.Contains(got.Text, "cannot be kept for an undo") {
		t.Errorf("the first call: %+v", got)
	}
	u.want("a", "1\n")
	got := u.call("c2", "bash", `{"command":"echo 2 > a"}`)
	if !got.Failed || got.Kind != tool.Unapproved {
		t.Errorf("without anybody who answers: %+v", got)
	}
	u.want("a", "1\n")
	if got := u.call("c3", "read_file", `{"path":"a"}`); got.Failed {
		t.Errorf("a call that reads: %+v", got)
	}
}

// approving is a person who approves, and remembers why it was asked, and what the last call would do.
type approving struct{ why, effects []string }

func (a *approving) Ask(_ context.Context, r *Request) (guard.Answer, error) {
	a.why, a.effects = append(a.why, r.Verdict.Reason), r.Verdict.Effects
	return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
}

// TestAPersonMayLetItRun: the request says that the call cannot be undone; an allow rule does not answer it.
func TestAPersonMayLetItRun(t *testing.T) {
	person := &approving{}
	u := newUndoing(t, `{"undo":{"maxEntries":1}}`)
	u.o.Person = person
	u.open()
	u.put("a", "1\n")
	u.put("b", "1\n")
	u.call("c1", "bash", `{"command":"echo 2 > a"}`)
	if got := u.call("c2", "bash", `{"command":"echo 2 > a"}`); got.Failed || len(person.why) != 1 || !strings.Contains(person.why[0], "cannot be undone") {
		t.Errorf("%+v, asked %q", got, person.why)
	}
	u.want("a", "2\n")
	if got := u.call("c3", "bash", `{"command":"echo 3 > a"}`); got.Failed || len(person.why) != 1 {
		t.Errorf("asked again: %+v, %q", got, person.why)
	}
}

// TestTheTitleHidesSecrets: a command is listed without the secrets in it.
func TestTheTitleHidesSecrets(t *testing.T) {
	u := newUndoing(t, "{}")
	key := "sk-ant-api03-" + strings.Repeat("Ab3dEf9h", 12)
	u.call("c1", "bash", `{"command":"echo `+key+` > a"}`)
	f, err := u.s.FileHistory()
	u.must(err)
	steps, err := f.Steps(t.Context(), undo.Filter{})
	u.must(err)
	if len(steps) != 1 || steps[0].Call.Title == "" || strings.Contains(steps[0].Call.Title, key) {
		t.Errorf("%+v", steps)
	}
}

// TestUndoCanBeOff: then nothing is kept and nobody is asked.
func TestUndoCanBeOff(t *testing.T) {
	u := newUndoing(t, `{"undo":{"off":true}}`)
	if got := u.call("c1", "bash", `{"command":"echo 2 > a"}`); got.Failed {
		t.Error(got)
	}
	if _, err := u.s.FileHistory(); !errors.Is(err, errNoUndo) {
		t.Error(err)
	}
}

// TestUndoEditKnowsCommands: the model's own tool takes back what a command did to a file, and then what came before.
func TestUndoEditKnowsCommands(t *testing.T) {
	u := newUndoing(t, "{}")
	u.o.Allow = append(u.o.Allow, "undo_edit")
	u.open()
	u.put("a", "1\n")
	u.call("c1", "write_file", `{"path":"n","content":"x\n"}`)
	u.call("c2", "bash", `{"command":"sed -i s/1/2/ a"}`)
	u.call("c3", "bash", `{"command":"sed -i s/2/3/ a"}`)
	for _, want := range []string{"2\n", "1\n"} {
		if got := u.call("u"+want[:1], "undo_edit", `{"path":"a"}`); got.Failed {
			t.Fatal(got.Text)
		}
		u.want("a", want)
	}
	if got := u.call("u0", "undo_edit", `{"path":"a"}`); got.Kind != tool.NotFound {
		t.Error(got)
	}
}

// TestWhatCannotBeUndoneIsShownBefore: the approval request names what an undo could not restore of the call, and its result says so.
func TestWhatCannotBeUndoneIsShownBefore(t *testing.T) {
	u := newUndoing(t, `{"undo": {"maxFile": 1000}}`)
	outside := filepath.Join(t.TempDir(), "o")
	u.must(os.WriteFile(outside, nil, 0o644))
	u.must(os.Mkdir(filepath.Join(u.dir, "d"), 0o755))
	u.put("d/large", strings.Repeat("x", 2000))
	u.put("small", "x")
	u.must(u.h.Close(context.Background()))
	u.o.Mode, u.o.Allow = "supervised", nil
	person := &approving{}
	u.o.Person = person
	u.open()
	for i, row := range []struct {
		rule, command string
		want          []string
	}{
		{"what is kept", "rm small", nil},
		{"what is written outside", "echo more >> " + outside, []string{"no-undo " + outside + " (outside of the workspace)"}},
		{"a file outside", "rm " + outside, []string{"no-undo " + outside + " (outside of the workspace)"}},
		{"what is not there", "rm -f nothing; echo x > new", nil},
		{"a large file in a directory", "rm -r d", []string{"no-undo d/large (larger than the limit)"}},
	} {
		person.effects = nil
		result := u.call(fmt.Sprint("c", i), "bash", fmt.Sprintf(`{"command":%q}`, row.command))
		if noted := strings.Contains(fmt.Sprint(result), "cannot be restored"); noted != (row.want != nil) {
			t.Errorf("%s: the result is %v", row.rule, result)
		}
		got := slices.DeleteFunc(person.effects, func(e string) bool { return !strings.HasPrefix(e, "no-undo ") })
		if person.effects == nil || !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.rule, got, row.want)
		}
	}
}

// TestAFileToolIsUndoneWhereAnIgnoreFileLeavesOut: what it names is kept, so nothing warns of it.
func TestAFileToolIsUndoneWhereAnIgnoreFileLeavesOut(t *testing.T) {
	u := newUndoing(t, `{"undo": {"maxIgnored": 10}}`)
	u.put(".gitignore", "build/\n*.log\n")
	u.must(os.Mkdir(filepath.Join(u.dir, "build"), 0o755))
	old := strings.Repeat("old\n", 10)
	u.put("build/out", old)
	u.put("a.log", old)
	u.must(u.h.Close(context.Background()))
	u.o.Mode, u.o.Allow = "supervised", nil
	person := &approving{}
	u.o.Person = person
	u.open()
	for i, path := range []string{"build/out", "a.log"} {
		u.call(fmt.Sprint("r", i), "read_file", fmt.Sprintf(`{"path":%q}`, path))
		got := u.call(fmt.Sprint("c", i), "write_file", fmt.Sprintf(`{"path":%q,"content":"new"}`, path))
		if warned := fmt.Sprint(person.effects, got); got.Failed || strings.Contains(warned, "no-undo") || strings.Contains(warned, "cannot be restored") {
			t.Errorf("%s: %s", path, warned)
		}
		u.want(path, "new")
		u.undo(undo.Selection{Last: 1}, nil)
		u.want(path, old)
	}
}

// TestAMovedWorkspace: nothing runs in what took its place, nothing is read or changed where it is now, and nobody is asked.
func TestAMovedWorkspace(t *testing.T) {
	for how, next := range map[string]func(u *undoing){
		"moved":    func(*undoing) {},
		"replaced": func(u *undoing) { u.must(os.Mkdir(u.dir, 0o700)); u.put("a", "2\n") },
	} {
		t.Run(how, func(t *testing.T) {
			person := &approving{}
			u := newUndoing(t, "{}")
			u.o.Person = person
			u.open()
			u.put("a", "1\n")
			u.call("c0", "read_file", `{"path":"a"}`)
			kept := u.dir + ".bak"
			u.must(os.Rename(u.dir, kept))
			next(u)
			for name, args := range map[string]string{"bash": `{"command":"echo 3 > a"}`, "write_file": `{"path":"a","content":"3\n"}`, "edit_file": `{"path":"a","edits":[{"old":"1","new":"3"}]}`, "read_file": `{"path":"a"}`} {
				if got := u.call("c-"+name, name, args); !got.Failed || !strings.Contains(got.Text, "was deleted or moved") || strings.Contains(got.Text, "user is then asked") {
					t.Errorf("%s: %+v", name, got)
				}
			}
			if text, err := os.ReadFile(filepath.Join(kept, "a")); string(text) != "1\n" {
				t.Errorf("the copy holds %q, %v", text, err)
			}
			if len(person.why) > 0 {
				t.Errorf("asked %q", person.why)
			}
		})
	}
}

// TestWhatChangesWhileACallWaitsForAPersonIsNotItsWork: a tool server asks the user, who works on in the meantime.
func TestWhatChangesWhileACallWaitsForAPersonIsNotItsWork(t *testing.T) {
	u := newUndoing(t, "{}")
	asks := tool.New("mcp__desk__book", "Asks.", tool.Runs|tool.Writes, func(ctx context.Context, _ struct{}, _ *tool.Reply) error {
		u.put("before", "its\n")
		goOn := u.s.keeper.Waits(ctx)
		u.put("hand", "mine\n")
		goOn()
		u.put("after", "its\n")
		return nil
	})
	u.o.Tools, u.o.Allow = []*tool.Tool{asks}, append(u.o.Allow, "mcp__desk__book")
	u.open()
	if got := u.call("c1", "mcp__desk__book", `{}`); got.Failed {
		t.Fatalf("%+v", got)
	}
	u.undo(undo.Selection{Filter: undo.Filter{Call: "c1"}}, nil)
	u.want("before", "")
	u.want("hand", "mine\n")
	u.want("after", "")
}
