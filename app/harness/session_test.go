package harness

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/kit/script"
	"rein/model"
	"rein/tool"
)

// openWith opens a harness over new directories, with these settings of the user.
func openWith(t *testing.T, text string) (*Harness, error) {
	t.Helper()
	t.Setenv("REIN_HOME", t.TempDir())
	d := settings.DefaultDirs()
	if err := os.MkdirAll(d.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.Config, "settings.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Open(t.Context(), Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off"}})
}

// callText runs one call and returns the text of its result.
func callText(t *testing.T, s *Session, id, name, args string) string {
	t.Helper()
	results, err := s.Call(t.Context(), []tool.Call{{ID: id, Name: name, Args: []byte(args)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return results[0].Text
}

func scripted(t testing.TB, text string) model.Model {
	t.Helper()
	s, err := script.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &script.Model{Script: s, Name: "test"}
}

// say sends a message and returns the last event.
func say(t *testing.T, s *Session, text string) (last event.Event) {
	t.Helper()
	for e, err := range s.Send(t.Context(), model.Text(text)) {
		if err != nil {
			t.Fatal(err)
		}
		last = e
	}
	return last
}

const hello = "turns: [{text: Hello.}, {text: Hello again.}]"

// TestAResumedSessionKeepsHowItRan: what is not named stays as it was recorded, whatever the settings say by then.
func TestAResumedSessionKeepsHowItRan(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir, more := t.TempDir(), t.TempDir()
	first, err := Open(t.Context(), Options{Dir: dir,
		Terms: event.Terms{AddDirs: []string{more}, Mode: "read-only", Deny: []string{"bash"}, Ask: []string{"read_file(./secret)"}, Sandbox: "off", MaxTurns: 7, Budget: 12345, Effort: "low"}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := first.Start(t.Context(), NewSession{Model: scripted(t, hello)})
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "hi")
	want, id := s.Terms(), s.ID()
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	d := settings.DefaultDirs()
	if err := settings.AddAllow(filepath.Join(d.Config, "settings.json"), "bash(ls:*)"); err != nil {
		t.Fatal(err)
	}
	text := `{"mode":"full","budget":99,"maxTurns":99,"effort":"high","sandbox":"auto"}`
	if err := os.WriteFile(filepath.Join(d.Config, "settings.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		rule   string
		o      Options
		change func(*event.Terms)
	}{
		{"nothing is named", Options{}, func(*event.Terms) {}},
		{"the mode is named", Options{Terms: event.Terms{Mode: "full"}}, func(h *event.Terms) { h.Mode, h.Kept = "full", "read-only" }},
		{"rules are named", Options{Terms: event.Terms{Deny: []string{"grep"}}}, func(h *event.Terms) { h.Deny = []string{"grep"} }},
		{"the budget is named", Options{Terms: event.Terms{Budget: 5}}, func(h *event.Terms) { h.Budget = 5 }},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			row.o.Dir = dir
			h, err := Open(t.Context(), row.o)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close(context.Background())
			s, err := h.Fork(t.Context(), id, 0, NewSession{Model: scripted(t, hello)})
			if err != nil {
				t.Fatal(err)
			}
			expect := want
			expect.Model = "script/test" // was recorded
			row.change(&expect)
			if got := s.Terms(); !reflect.DeepEqual(got, expect) {
				t.Errorf("got  %+v\nwant %+v", got, expect)
			}
			if s.terms.mode().String() != expect.Mode || len(s.Messages()) != 2 {
				t.Errorf("mode %v, %d messages", s.terms.mode(), len(s.Messages()))
			}
		})
	}
}

func TestASessionOfAnotherDirectoryIsNotResumedHere(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	s := startCalls(t, Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off"}})
	h, err := Open(t.Context(), Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off"}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	s.Close(t.Context())
	if _, err := h.Resume(t.Context(), s.ID(), NewSession{NoModel: true}); err == nil || !strings.Contains(err.Error(), "belongs to the directory "+s.h.root) {
		t.Errorf("got %v", err)
	}
}

func TestAForkHasThePastUpToAnEvent(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	h, err := Open(t.Context(), Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off"}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, hello)})
	if err != nil {
		t.Fatal(err)
	}
	at := say(t, s, "one").Seq
	say(t, s, "two")
	fork, err := h.Fork(t.Context(), s.ID(), at, NewSession{Model: scripted(t, hello)})
	if err != nil {
		t.Fatal(err)
	}
	if fork.ID() == s.ID() || len(fork.Messages()) != 2 || len(s.Messages()) != 4 {
		t.Errorf("the fork has %d messages, the session %d", len(fork.Messages()), len(s.Messages()))
	}
	if _, err := h.Fork(t.Context(), s.ID(), 10_000, NewSession{NoModel: true}); err == nil {
		t.Error("a fork at an event that there is not")
	}
}

// TestTwoSessionsShareNothing: what one of them is granted, refused or has read is not the other's.
func TestTwoSessionsShareNothing(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	person := &approveAll{scope: guard.ForSession}
	h, err := Open(t.Context(), Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off"}, Person: person})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	var both [2]*Session
	for i := range both {
		if both[i], err = h.Start(t.Context(), NewSession{NoModel: true}); err != nil {
			t.Fatal(err)
		}
		for n := range 2 {
			callText(t, both[i], string(rune('1'+n)), "bash", `{"command":"npm install no-such-thing --offline --dry-run"}`)
		}
	}
	if len(person.shown) != 2 {
		t.Errorf("asked %d times, want once for each session", len(person.shown))
	}
	rules := Allowed(both[0])
	if len(rules) != 1 || !Disallow(both[0], rules[0]) || Disallow(both[0], rules[0]) || len(Allowed(both[0])) != 0 || len(Allowed(both[1])) != 1 {
		t.Errorf("allowed by %q", rules)
	}
	if callText(t, both[0], "3", "bash", `{"command":"npm install no-such-thing --offline --dry-run"}`); len(person.shown) != 3 {
		t.Error("a rule that was taken away allows the call")
	}
	if both[0].Dir() == both[1].Dir() || both[0].record.journal == both[1].record.journal || both[0].guards == both[1].guards || both[0].box == both[1].box {
		t.Error("two sessions share a part")
	}
}

// TestARequestSurvivesARestart: the request is data in the inbox, another process answers it, and a third one runs the call.
func TestARequestSurvivesARestart(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := t.TempDir()
	const removes = `turns: [{calls: [{name: bash, args: {command: "rm -rf precious"}}]}, {text: Done.}]`
	open := func(o Options) *Harness {
		o.Dir, o.Sandbox, o.Unattended = dir, "off", Suspend
		h, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if err := os.Mkdir(filepath.Join(dir, "precious"), 0o700); err != nil {
		t.Fatal(err)
	}
	first := open(Options{})
	s, err := first.Start(t.Context(), NewSession{Model: scripted(t, removes)})
	if err != nil {
		t.Fatal(err)
	}
	if last := say(t, s, "go"); last.Stop != event.Waiting {
		t.Fatalf("stopped with %v", last.Stop)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	second := open(Options{})
	all, err := second.Inbox().Pending()
	if err != nil || len(all) != 1 || all[0].Intent.Command != "rm -rf precious" || all[0].Session != s.ID() || all[0].Dir != second.Root() {
		t.Fatalf("the inbox has %+v, %v", all, err)
	}
	if _, err := second.Inbox().Answer(all[0].Session, all[0].Call, all[0].Hash, guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), From: "test"}); err != nil {
		t.Fatal(err)
	}
	third := open(Options{})
	defer third.Close(context.Background())
	s, err = third.Resume(t.Context(), all[0].Session, NewSession{Model: scripted(t, removes)})
	if err != nil || !s.Waiting() {
		t.Fatalf("waiting %v, %v", s.Waiting(), err)
	}
	for e, err := range s.Resume(t.Context()) {
		if err != nil {
			t.Fatalf("%+v, %v", e, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "precious")); !os.IsNotExist(err) {
		t.Errorf("the approved call did not run: %v", err)
	}
	if all, _ := third.Inbox().Pending(); len(all) != 0 {
		t.Errorf("still pending: %+v", all)
	}
}

// TestAnApprovalUnderOtherRulesIsVoid: the journal records why, and the call is pending again.
func TestAnApprovalUnderOtherRulesIsVoid(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := t.TempDir()
	open := func(o Options) *Harness {
		o.Dir, o.Sandbox, o.Unattended = dir, "off", Suspend
		h, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close(context.Background()) })
		return h
	}
	first := open(Options{})
	s, err := first.Start(t.Context(), NewSession{Model: scripted(t, `turns: [{calls: [{name: bash, args: {command: "rm -rf precious"}}]}, {text: Done.}]`)})
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "go")
	all, err := first.Inbox().Pending()
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if _, err := first.Inbox().Answer(s.ID(), all[0].Call, all[0].Hash, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}); err != nil {
		t.Fatal(err)
	}
	first.Close(t.Context())
	second := open(Options{Terms: event.Terms{Ask: []string{"bash(rm:*)"}}})
	if s, err = second.Resume(t.Context(), s.ID(), NewSession{Model: scripted(t, "turns: [{text: Done.}]")}); err != nil {
		t.Fatal(err)
	}
	void, notice := "", ""
	var last event.Event
	for e := range s.Resume(t.Context()) {
		last = e
		if e.Kind == event.Notice {
			notice = e.Text
		}
	}
	for e, err := range journalOf(t, s) {
		if err == nil && e.Kind == event.ApprovalVoid {
			void = e.Text
		}
	}
	if !strings.Contains(void, "the rules") || last.Stop != event.Waiting {
		t.Errorf("void %q, stopped with %v", void, last.Stop)
	}
	if !strings.Contains(notice, "The answer to bash does not count: the rules") {
		t.Errorf("the user reads %q", notice)
	}
	if all, err := second.Inbox().Pending(); err != nil || len(all) != 1 || !strings.HasPrefix(all[0].Verdict.Reason, "an answer did not count, because the rules") {
		t.Errorf("pending again: %+v, %v", all, err)
	}
	second.Close(t.Context())
	third := open(Options{})
	if s, err = third.Resume(t.Context(), s.ID(), NewSession{Model: scripted(t, "turns: [{text: Done.}]")}); err != nil {
		t.Fatal(err)
	}
	if all := s.Pending(); len(all) != 1 { // the journal, too, says that the call waits
		t.Errorf("pending in a new process: %v", all)
	}
}

func journalOf(t *testing.T, s *Session) iter.Seq2[event.Event, error] {
	t.Helper()
	return journal.Read(filepath.Join(s.Dir(), journal.FileName))
}

func TestOwnDirectoriesInTheWorkspaceAreRefused(t *testing.T) {
	ws, other := t.TempDir(), t.TempDir()
	dirs := func(root string) settings.Dirs {
		return settings.Dirs{Config: filepath.Join(root, "config"), Sessions: filepath.Join(root, "sessions"), Output: filepath.Join(root, "output"),
			Private: filepath.Join(root, "private"), State: filepath.Join(root, "state")}
	}
	link := filepath.Join(other, "link")
	if err := os.Symlink(ws, link); err != nil {
		t.Fatal(err)
	}
	for root, want := range map[string]bool{filepath.Join(ws, "rein"): false, filepath.Join(link, "rein"): false, filepath.Join(other, "rein"): true} {
		if err := os.MkdirAll(filepath.Join(root, "config"), 0o700); err != nil {
			t.Fatal(err)
		}
		h, err := Open(t.Context(), Options{Dir: ws, Dirs: dirs(root)})
		if err == nil {
			err = h.Close(t.Context())
		}
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "REIN_HOME") {
			t.Errorf("%s: %v", root, err)
		}
	}
}

// TestWhoOnlyReadsPreparesNoSandbox: it costs processor time and memory, and nothing that a call reads is judged by it.
func TestWhoOnlyReadsPreparesNoSandbox(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	h, err := Open(t.Context(), Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off", Mode: "full"}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(t.Context())
	var prepared atomic.Int32
	s, err := h.Start(t.Context(), NewSession{
		Model: scripted(t, "turns: [{calls: [{name: list_dir, args: {path: .}}]}, {text: One.}, {calls: [{name: bash, args: {command: echo two}}]}, {text: Two.}]"),
		Recorded: func(e event.Event) {
			if e.Kind == event.Audit && strings.HasPrefix(e.Text, aboutBackend) {
				prepared.Add(1)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"read", "run"} {
		say(t, s, text)
		s.confined.running.Wait()
		if n := int(prepared.Load()); n != i {
			t.Errorf("after %q it was prepared %d times", text, n)
		}
	}
}

// A session in which the user only ran commands is one of its directory, and keeps its mode.
func TestCallsBeforeTheFirstMessageHaveAStart(t *testing.T) {
	h, err := openWith(t, "{}")
	if err != nil {
		t.Fatal(err)
	}
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, hello)})
	if err != nil {
		t.Fatal(err)
	}
	callText(t, s, "c1", "list_dir", "{}")
	callText(t, s, "c2", "list_dir", "{}")
	var kinds []event.Kind
	for e, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if kinds = append(kinds, e.Kind); e.Kind == event.Started && (e.Start.Dir != h.Root() || e.Start.Mode != "supervised") {
			t.Errorf("%+v", e.Start)
		}
	}
	if len(kinds) < 2 || kinds[0] != event.Started || slices.Contains(kinds[1:], event.Started) {
		t.Error(kinds)
	}
	say(t, s, "hi")
	id := s.ID()
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if known, err := h.Store().Get(id); err != nil || known.Dir != h.Root() || known.Calls != 2 {
		t.Errorf("%+v, %v", known, err)
	}
}

// Links to files of the workspace are among its files; those that lead elsewhere are not.
func TestFilesHaveLinks(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "d", "a.txt"), "a")
	for name, to := range map[string]string{"link.txt": "d/a.txt", "dir": "d", "out": "/etc/passwd", "gone": "nothing"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	h, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, "turns: [{text: hello}]")})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := s.Files(t.Context(), 10); err != nil || strings.Join(all, " ") != "d/a.txt link.txt" {
		t.Errorf("%q, %v", all, err)
	}
}

// TestNothingIsKeptOfAnEphemeralSession: not of one whose process was killed either, when the next one ends.
func TestNothingIsKeptOfAnEphemeralSession(t *testing.T) {
	h := openFresh(t, Options{Dir: t.TempDir()})
	killed, err := journal.Dir(h.Dirs().Sessions, "20260101-000000-aaaaa")
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := journal.Open(killed)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Append(event.Event{Kind: event.Prompted, Text: "secret"}), f.Close(), os.WriteFile(filepath.Join(killed, journal.EphemeralName), nil, 0o600),
		os.Chtimes(filepath.Join(killed, journal.FileName), time.Time{}, time.Now().Add(-2*time.Hour))); err != nil {
		t.Fatal(err)
	}
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, hello), Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "hi")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{killed, s.Dir()} {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", dir, err)
		}
	}
}
