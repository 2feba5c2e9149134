package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rein/app/catalogue"
	"rein/app/harness"
	"rein/app/tui/block"
	"rein/app/tui/full"
	"rein/guard"
)

func TestAChordAnswers(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	answers := s.question("1", "", guard.Request{Tool: "bash", Command: "ls"}, guard.Low)
	s.layout()
	s.press("ctrl+x", "y")
	if s.questions.Len() != 1 || !s.line.Empty() {
		t.Fatal("a chord answered at once, or wrote into the line")
	}
	s.clock = s.clock.Add(time.Second)
	s.press("ctrl+x")
	s.clock = s.clock.Add(2 * chordTime)
	s.press("y")
	if s.questions.Len() != 1 || s.line.Text() != "y" {
		t.Fatalf("%q is written after a chord that was not finished", s.line.Text())
	}
	s.press("backspace")
	s.clock = s.clock.Add(time.Second)
	s.press("ctrl+x", "q")
	if s.hint != "Ctrl+X Q does nothing" || !s.line.Empty() {
		t.Errorf("%q, %q", s.hint, s.line.Text())
	}
	s.press("ctrl+x", "y")
	if a := s.answered(answers); a.Choice != guard.Approved || a.Scope != guard.Once {
		t.Errorf("%+v", a)
	}
}

func TestAnImageOfTheClipboardGoesWithTheMessage(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a shell script")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "xclip"), []byte("#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\n'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	t.Setenv("PATH", bin)
	t.Setenv("DISPLAY", ":0")
	t.Setenv("WAYLAND_DISPLAY", "")
	s.press("a")
	s.runs(s.key(keyPress("ctrl+v")))
	s.until("the image", func() bool { return strings.HasPrefix(s.line.Text(), "a[image 1]") })
	s.runs(s.pasted("")) // a terminal that pastes nothing where the clipboard has an image
	s.until("the second", func() bool { return s.line.Text() == "a[image 1] [image 2] " })
	s.line.Set("only [image 2]")
	s.press("enter")
	s.until("the end", func() bool { return s.turn == nil })
	images := 0
	for _, p := range s.own.Messages()[0].Parts {
		if p.Kind == "image" {
			images++
		}
	}
	if images != 1 {
		t.Errorf("%d images went with the message", images)
	}
}

func TestASubAgentIsCompleted(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	dir := filepath.Join(os.Getenv("REIN_HOME"), "config", "agents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "checker.md"), []byte("---\nname: checker\ndescription: reads the tests\n---\nRead the tests.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.runs(readFiles(s.ui))
	s.until("the files", func() bool { return s.line.files != nil })
	s.press("@", "c", "h", "e")
	if len(s.line.popup.Rows) != 1 || s.line.popup.Rows[0].About != "sub-agent: reads the tests" {
		t.Fatalf("%+v", s.line.popup.Rows)
	}
	s.press("tab")
	if s.line.Text() != "@checker " {
		t.Errorf("%q", s.line.Text())
	}
}

func TestTheOutputOfAJobIsFollowed(t *testing.T) {
	out, ended := "", false
	p := full.Following("1 dev server", func(int64) ([]byte, int64) { return []byte(out), 0 }, func() bool { return ended }, block.Bytes)
	screen := func() string {
		lines, _ := p.Lines(40, 6)
		var all []string
		for _, l := range lines[1:5] {
			all = append(all, l.String())
		}
		return strings.TrimSpace(strings.Join(all, "\n"))
	}
	if got := screen(); got != "it has written nothing yet" {
		t.Errorf("%q", got)
	}
	out = "a\nb\nc\nd\ne\nsecret\n"
	if got := screen(); got != "c\nd\ne\nsecret" {
		t.Errorf("the end is not shown: %q", got)
	}
	if p.Key("up", "up", ""); screen() != "b\nc\nd\ne" {
		t.Errorf("up does not go up: %q", screen())
	}
	ended = true
	if got := screen(); got != "b\nc\nd\ne" {
		t.Errorf("the view jumps while one reads: %q", got)
	}
	for range 9 {
		p.Key("down", "down", "")
	}
	if got := screen(); got != "d\ne\nsecret\n- it has ended" {
		t.Errorf("%q", got)
	}
}

// The rule that is kept can be changed first. One that cannot be read keeps nothing and answers nothing.
func TestTheRuleThatIsKeptIsEdited(t *testing.T) {
	t.Run("in this project", func(t *testing.T) { keepsRule(t, 0, "in this project   Tab: everywhere") })
	t.Run("everywhere", func(t *testing.T) { keepsRule(t, 1, "everywhere   Tab: in this project") })
}

// keepsRule edits a rule and keeps it in the file to which Tab was pressed where times.
func keepsRule(t *testing.T, where int, hint string) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	answers := s.question("1", "", guard.Request{Tool: "bash", Command: "go test ./guard"}, guard.Low, lasting...)
	s.layout()
	s.clock = s.clock.Add(time.Second)
	s.press("tab")
	for s.questions.Enter(s.clock, false).Kind != writeRules {
		s.press("down")
	}
	s.press("enter")
	if s.line.Text() != strings.Join(s.questions.telling.Rules(), "\n") || s.line.Empty() {
		t.Fatalf("%q is edited", s.line.Text())
	}
	rules := func() string {
		b, _ := os.ReadFile(s.o.Place.RuleFiles()[where])
		return string(b)
	}
	s.line.Set("bash(go test:*)\nbash(")
	for range where {
		s.press("tab")
	}
	if got := s.hintLine(); !strings.Contains(got, hint) || !strings.HasSuffix(got, ".json") {
		t.Errorf("%q", got)
	}
	if shown, _ := s.layout(); !strings.Contains(strings.ReplaceAll(fmt.Sprint(shown), "] [  ", ""), filepath.Base(s.o.Place.RuleFiles()[where])) {
		t.Errorf("the file is not shown: %s", shown)
	}
	s.runs(s.key(keyPress("enter")))
	if s.questions.telling == nil || strings.Contains(rules(), "go test") {
		t.Fatal("an Enter that is held down kept the rule")
	}
	s.clock = s.clock.Add(time.Second)
	s.runs(s.key(keyPress("enter")))
	if strings.Contains(rules(), "go test") || s.questions.telling == nil || len(answers) > 0 || !strings.HasPrefix(s.line.Text(), "bash(go test:*)") {
		t.Fatalf("a rule that cannot be read: %s %q", rules(), s.hint)
	}
	s.requests.waiting[s.questions.Open().ID].Covered = func(context.Context) (guard.Answer, error) { return guard.Answer{}, nil }
	s.o.Catalogue = catalogue.Local{Options: harness.Options{Dir: s.dir}}
	s.line.Set("bash(go test:*)\nbash(*)")
	s.clock = s.clock.Add(time.Second)
	s.runs(s.key(keyPress("enter")))
	if got := s.printed(); strings.Count(got, "! bash allows every call of the tool") != 1 || strings.Contains(got, "warnings:") {
		t.Errorf("nothing is said of a rule that allows all: %s", got)
	}
	if !strings.Contains(s.printed(), "what you wrote does not cover it") {
		t.Errorf("nothing is said of rules that do not cover the call: %s", s.printed())
	}
	if !strings.Contains(rules(), "bash(go test:*)") || s.questions.telling != nil {
		t.Fatalf("%s %q", rules(), s.hint)
	}
	if a := s.answered(answers); a.Choice != guard.Approved || a.Scope != guard.Once || a.Args != "" {
		t.Errorf("%+v", a)
	}
}

// Files come and go while the chat is open. The row that was chosen stays so, and a name does nothing to the screen.
func TestAFileThatWasMadeLaterIsCompleted(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	shown := func() (names []string) {
		for _, o := range s.line.popup.Rows {
			if !strings.HasPrefix(o.About, "sub-agent") {
				names = append(names, o.Shown)
			}
		}
		return names
	}
	makes := func(name string) {
		if err := os.WriteFile(filepath.Join(s.dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	makes("b1.txt")
	makes("b2.txt")
	s.runs(readFiles(s.ui))
	makes("b3.txt")
	read := s.key(keyPress("@")) // reads the files, which takes its time
	s.press("b", "down")
	chosen, _ := s.line.popup.Chosen()
	s.runs(read)
	if now, _ := s.line.popup.Chosen(); len(shown()) != 3 || now != chosen {
		t.Errorf("%q, %q is chosen and was %q", shown(), now.Insert, chosen.Insert)
	}
	s.line.Clear()
	makes("c\x1b[31m\n\u202ed.txt")
	s.runs(s.key(keyPress("@")))
	if s.press("c"); len(shown()) != 1 || strings.ContainsAny(shown()[0], "\x1b\n\u202e") {
		t.Errorf("%q", shown())
	}
	if s.line.Clear(); s.key(keyPress("b")) != nil {
		t.Error("a letter reads the files")
	}
}

// A message that a hook stops, or that cannot be recorded, comes back into the line, with what goes with it.
func TestAMessageThatDidNotGoComesBack(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello, repeat: 9}]", `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"grep -q secret && exit 2 || exit 0"}]}]}}`)
	s.offered = []string{"\nthe output of a command"}
	s.runs(sendWritten(s.ui, "the secret words"))
	s.until("the end", func() bool { return s.turn == nil })
	if s.line.Text() != "the secret words" || len(s.offered) != 1 {
		t.Errorf("line %q, %q: %s", s.line.Text(), s.offered, s.printed())
	}
	s.line.Clear()
	s.runs(sendWritten(s.ui, "other words"))
	s.until("the end", func() bool { return s.turn == nil })
	if s.line.Text() != "" || len(s.offered) != 0 || !strings.Contains(s.printed(), "hello") {
		t.Errorf("line %q, %q: %s", s.line.Text(), s.offered, s.printed())
	}
}

// The directory of a file of settings that is not there yet is made for the editor, which cannot save it else.
func TestConfigMakesTheDirectoryOfAFile(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	file := filepath.Join(s.dir, ".rein", "settings.json")
	editFile(s.ui, file)
	if info, err := os.Stat(filepath.Dir(file)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "plain"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if cmd := editFile(s.ui, filepath.Join(s.dir, "plain", "settings.json")); cmd != nil || !strings.Contains(s.hint, "the editor cannot be opened") {
		t.Errorf("%q", s.hint)
	}
}
