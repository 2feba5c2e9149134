package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/harness"
	"rein/app/session"
	"rein/app/tui/full"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/tool"
)

// runs does a command and those that it leads to, until the screen shows a text.
func (s *stage) runs(cmd tea.Cmd) {
	s.t.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.runs(c)
		}
	default:
		s.runs(s.take(msg))
	}
}

// until takes what happens in the session until something holds.
func (s *stage) until(what string, ok func() bool) {
	s.t.Helper()
	for begin := time.Now(); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			s.t.Fatal("never: ", what)
		}
		s.runs(s.drain())
	}
}

func (s *stage) printed() string {
	var b strings.Builder
	for _, l := range s.scroll.Kept {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

// An Enter that was pressed before the program had set the terminal's mode comes as Ctrl+J: it sends.
func TestEnterTypedAheadSends(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.presses.began = s.clock
	s.press("h", "i", "ctrl+j")
	s.runs(s.take(burstOver{s.presses.count}))
	if !s.line.Empty() || s.turn == nil {
		t.Errorf("%q was not sent", s.line.Text())
	}
	s.until("the end", func() bool { return s.turn == nil })
	s.clock = s.clock.Add(typedAhead)
	s.press("h", "ctrl+j")
	if s.line.Text() != "h\n" {
		t.Errorf("later it is a new line: %q", s.line.Text())
	}
}

// A pasted text can have what ends a paste, and go on with keys: they are of the same message, and run no command.
func TestKeysThatComeWithAPasteAreOfIt(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.take(tea.PasteMsg{Content: "words"})
	s.clock = s.clock.Add(pasteTime / 2)
	s.burst("enter", "/", "m", "o", "d", "e", "space", "f", "u", "l", "l", "enter")
	if s.line.Text() != "words\n/mode full\n" || s.turn != nil || s.how().Mode == "full" {
		t.Errorf("%q, mode %s", s.line.Text(), s.how().Mode)
	}
	s.clock = s.clock.Add(time.Second)
	s.line.Clear()
	s.take(tea.PasteMsg{Content: "words"})
	s.clock = s.clock.Add(time.Second)
	if s.press("enter"); s.turn == nil {
		t.Error("an Enter after a paste does not send")
	}
	s.until("the end", func() bool { return s.turn == nil })
}

// A terminal without bracketed paste sends a paste as keys: its line breaks do not send, however short its first line is.
func TestKeysInABurstAreAPaste(t *testing.T) {
	for _, first := range []string{"a", "ab", "aaaaaaaaaa"} {
		s := newStage(t, 80, 30, "turns: [{text: hello}, {text: again}]")
		s.clock = s.clock.Add(time.Second)
		s.burst(strings.Split(first, "")...)
		s.burst("enter")
		if got := s.line.Text(); got != first+"\n" || s.turn != nil {
			t.Errorf("%q was sent or is gone", got)
		}
		s.burst("b")
		if s.runs(s.take(burstOver{s.presses.count - 1})); s.turn != nil {
			t.Error("a line break within a paste sent")
		}
		s.burst("enter")
		if s.runs(s.take(burstOver{s.presses.count})); !s.line.Empty() || s.turn == nil {
			t.Error("an Enter that no key follows did not send")
		}
		s.until("the end", func() bool { return s.turn == nil })
		if !strings.Contains(s.printed(), "› "+first+"\n  b\n") {
			t.Errorf("it is not one message:\n%s", s.printed())
		}
		s.press("b", "enter")
		if !s.line.Empty() || s.turn == nil {
			t.Error("Enter did not send")
		}
		s.until("the end", func() bool { return s.turn == nil })
	}
}

// Esc twice, as fast as a person does, clears the line, and on the empty line goes back. An Esc that closed something is not the
// first one.
func TestEscTwice(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.line.Insert("go")
	s.press("enter")
	s.until("the end", func() bool { return s.turn == nil && s.sent })
	for _, row := range []struct {
		apart  time.Duration
		clears bool
	}{{80 * time.Millisecond, true}, {escapeTime, true}, {escapeTime + 20*time.Millisecond, false}} {
		s.clock = s.clock.Add(time.Second)
		s.line.Set("words")
		s.press("esc")
		s.clock = s.clock.Add(row.apart - 20*time.Millisecond)
		if s.press("esc"); s.line.Empty() != row.clears {
			t.Errorf("after %v: %q", row.apart, s.line.Text())
		}
	}
	s.line.Clear()
	s.clock = s.clock.Add(time.Second)
	s.press("esc")
	s.runs(s.take(keyPress("esc")))
	s.until("the messages", func() bool { return s.screen != nil })
	s.press("esc")
	s.question("1", "", guard.Request{Tool: "bash", Command: "ls"}, guard.Low)
	s.layout()
	s.clock = s.clock.Add(time.Second)
	if s.press("tab", "esc", "esc"); s.screen != nil || s.questions.Focused() {
		t.Error("the Esc that left the request counts as the first of two")
	}
}

// A key that is held down answers nothing, in no dialog, also where the terminal does not say that it is held.
func TestAHeldKeyAnswersNothing(t *testing.T) {
	hold := func(s *stage) {
		var waits []tea.Msg
		for i := range 40 {
			s.clock = s.clock.Add(35 * time.Millisecond)
			if i == 1 {
				s.clock = s.clock.Add(900 * time.Millisecond) // until the terminal repeats it
			}
			s.Update(keyPress("enter"))
			if waits = append(waits, s.presses.held.Settled(keyPress("enter"))); i == 0 {
				s.Update(waits[0]) // it was pressed: nothing followed for long
			}
			s.layout()
		}
		for _, w := range waits { // nothing follows the last one: the key was let go
			s.Update(w)
		}
	}
	for name, to := range map[string]string{"allow for this session": "down", "edit the rule": "down down", "edit the rule and keep it": "down down down"} {
		s := newStage(t, 80, 30, "turns: [{text: hello}]")
		answers := s.question("1", "", guard.Request{Tool: "bash", Command: "go test ./guard"}, guard.Low, lasting...)
		s.question("2", "", guard.Request{Tool: "bash", Command: "go vet ./guard"}, guard.Low, lasting...)
		s.layout()
		s.clock = s.clock.Add(time.Second)
		s.press("tab", "enter")
		s.layout()
		s.clock = s.clock.Add(time.Second)
		s.press(strings.Fields(to)...)
		before := s.questions.Len()
		hold(s)
		if s.questions.Len() < before-1 {
			t.Errorf("%s: the key answered more than what it was pressed for", name)
		}
		if rules, _ := os.ReadFile(s.o.Place.RuleFiles()[0]); s.questions.telling != nil && (len(rules) > 0 || len(answers) > 0) {
			t.Errorf("%s: a rule was kept: %s", name, rules)
		}
	}
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	chosen := 0
	pick := newPicker("files", []full.Entry{{Name: "a"}}, nil)
	pick.choose = func(u *ui, _ full.Entry) tea.Cmd { chosen++; u.open(pick); return nil }
	s.open(pick)
	if hold(s); chosen != 1 {
		t.Errorf("a held key chose %d times", chosen)
	}
}

// Letters that are typed while the question has the keys go to the line, and take the keys away.
func TestLettersGoToTheLine(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.question("1", "", guard.Request{Tool: "bash", Command: "ls"}, guard.Low)
	s.layout()
	s.clock = s.clock.Add(time.Second)
	s.press("tab", "y", "enter")
	if s.questions.Len() != 1 || s.turn == nil {
		t.Errorf("%d questions wait, turn %v", s.questions.Len(), s.turn)
	}
	s.until("the end", func() bool { return s.turn == nil })
}

// What the user begins to write while a question of the model waits answers it. What was begun before, a command and an answer that
// does not fit do not.
func TestALineAnswersAQuestion(t *testing.T) {
	asks := func(free bool) *tool.Questions {
		return &tool.Questions{Wait: 60, List: []tool.Question{{Text: "# Which one?\n\n- the **first**\n- the second", Choices: []tool.Choice{{Label: "red"}, {Label: "blue"}}, Free: free}}}
	}
	for _, row := range []struct {
		name, begun, typed string // "=" before typed: it is pasted
		free               bool
		want               string // "": nothing is answered
	}{
		{"a label", "", "blue", false, "blue"},
		{"a number", "", "1", false, "red"},
		{"own words", "", "green", true, "green"},
		{"words that do not fit", "", "green", false, ""},
		{"pasted words", "", "=/usr/bin", true, "/usr/bin"},
		{"begun before", "b", "lue", false, ""},
		{"begun before, then pasted", "b", "=lue", false, ""},
		{"a command", "", "/help", false, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newStage(t, 80, 30, "turns: [{text: hello}]")
			s.press(strings.Split(row.begun, "")...)
			answers := s.question("1", "", guard.Request{Tool: "ask_user", Questions: asks(row.free)}, guard.Low)
			shown, _ := s.layout()
			if !strings.Contains(fmt.Sprint(shown), "without an answer within 60 s the call fails") {
				t.Errorf("it does not say how long it waits: %s", shown)
			}
			s.clock = s.clock.Add(time.Second)
			if pasted, ok := strings.CutPrefix(row.typed, "="); ok {
				s.runs(s.pasted(pasted))
			} else {
				s.press(strings.Split(row.typed, "")...)
			}
			s.clock = s.clock.Add(time.Second)
			if hint := s.hintLine(); strings.Contains(hint, "Write the answer") != (s.questions.telling != nil) || strings.Contains(hint, "Enter sends your answer") {
				t.Errorf("the hint is %q", hint)
			}
			s.press("enter")
			if row.want == "" {
				if s.questions.Len() != 1 {
					t.Fatal("it is answered")
				}
				if row.name == "words that do not fit" && (s.line.Text() != row.typed || !strings.Contains(s.hint, "only a choice")) {
					t.Errorf("line %q, hint %q", s.line.Text(), s.hint)
				}
				return
			}
			if a := s.answered(answers); a.Choice != guard.Approved || a.Chosen == nil || a.Chosen.Answers[0].String() != row.want {
				t.Errorf("%+v", a)
			}
			if text := fmt.Sprint(shown); strings.Contains(text, `\n`) || strings.Contains(text, "**") {
				t.Errorf("shown as it was written: %s", text)
			}
		})
	}
}

// After an error the screen says what continues: a message, or the session opened again where nothing can be recorded.
func TestAnErrorSaysWhatContinues(t *testing.T) {
	for want, err := range map[string]error{"send a message to continue": errors.New("529 overloaded"), "continue with rein -c": fmt.Errorf("it could not be recorded (%w)", journal.ErrFailed)} {
		s := newStage(t, 80, 30, "turns: [{text: hello}]")
		s.talk.failed(err, func() (recorded, unsent bool) { return true, false })
		if text := s.printed(); !strings.Contains(text, want) {
			t.Errorf("after %v: %s", err, text)
		}
	}
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.talk.failed(journal.ErrFailed, func() (recorded, unsent bool) { return true, true })
	if text := strings.Join(strings.Fields(s.printed()), " "); !strings.Contains(text, "it sends the message that is in the line") {
		t.Error(text)
	}
	s = newStage(t, 80, 30, "turns: [{text: hello}]") // the first message
	s.ended(turnOver{fmt.Errorf("it could not be recorded (%w)", journal.ErrFailed)})
	if text := s.printed(); !strings.Contains(text, "start again: nothing is recorded") {
		t.Error(text)
	}
}

// Nothing of a command that was denied goes with the next message.
func TestADeniedCommandHasNoOutput(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	for command, hint := range map[string]string{"echo a": "the output goes with your next message", "cat /etc/shadow": ""} {
		s.offered, s.hint = nil, ""
		s.runs(shell(s.ui, command))
		if s.hint != hint || len(s.offered) > 0 != (hint != "") {
			t.Errorf("after %s: %q, hint %q", command, s.offered, s.hint)
		}
	}
}

// A command of the user that failed is no failure of the turn: there is nothing to continue.
func TestAWrongCommandEndsNoTurn(t *testing.T) {
	for _, command := range []string{"/undo zzz", "/redo zzz", "/model zzz"} {
		s := newStage(t, 80, 30, "turns: [{text: hello}]")
		s.runs(s.command(command))
		if text := s.printed(); !strings.Contains(text, "✗") || strings.Contains(text, "what came is kept") {
			t.Errorf("after %s: %s", command, text)
		}
	}
}

// An export that failed is not said to be in its file.
func TestAnExportSaysWhatIsSo(t *testing.T) {
	for program, want := range map[string]string{"exit 0": "this session is in out.md", "echo rein: the disk is full; exit 1": "the disk is full"} {
		s := newStage(t, 80, 30, "turns: [{text: hello}]")
		s.o.Program = filepath.Join(t.TempDir(), "rein")
		if err := os.WriteFile(s.o.Program, []byte("#!/bin/sh\n"+program+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		s.runs(s.command("/export out.md"))
		shown := s.hint + s.printed()
		if !strings.Contains(shown, want) || strings.Contains(shown, "this session is in") != (program == "exit 0") {
			t.Errorf("%s: %s", program, shown)
		}
	}
}

// An export replaces a file only where --force says so.
func TestAnExportIsForced(t *testing.T) {
	for line, want := range map[string]string{"/export out.md": "out.md --force=false", "/export a b.md --force": "a b.md --force=true", "/export --force": ".md --force=true"} {
		s := newStage(t, 80, 30, "turns: [{text: hello}]")
		s.o.Program = filepath.Join(t.TempDir(), "rein")
		if err := os.WriteFile(s.o.Program, []byte("#!/bin/sh\necho rein: \"$@\"; exit 1\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		s.runs(s.command(line))
		if got := strings.Join(strings.Fields(s.printed()), " "); !strings.HasPrefix(got, "✗ sessions export ") || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// Several questions are answered one after the other: each Enter but the last goes to the next question.
func TestLinesAnswerQuestions(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	answers := s.question("1", "", guard.Request{Tool: "ask_user", Questions: &tool.Questions{List: []tool.Question{{Text: "Which one?", Choices: []tool.Choice{{Label: "red", Description: "warm\nand nice"}, {Label: "blue"}}},
		{Text: "And why?\nIn words.", Free: true}}}}, guard.Low)
	if shown, _ := s.layout(); strings.Contains(fmt.Sprint(shown), `\n`) {
		t.Errorf("shown as it was written: %s", shown)
	}
	s.clock = s.clock.Add(time.Second)
	s.press("2")
	s.clock = s.clock.Add(time.Second)
	s.press("enter")
	if s.questions.Len() != 1 || s.hint != "2. And why?" {
		t.Fatalf("after the first line: %d questions, hint %q, line %q", s.questions.Len(), s.hint, s.line.Text())
	}
	s.press("i", "t")
	s.clock = s.clock.Add(time.Second)
	s.press("enter")
	if a := s.answered(answers); a.Chosen == nil || len(a.Chosen.Answers) != 2 || a.Chosen.Answers[0].String() != "blue" || a.Chosen.Answers[1].String() != "it" {
		t.Errorf("%+v", a.Chosen)
	}
}

// A request about a changed tool of a server shows what changed before it can be approved.
func TestAChangedDefinitionIsShown(t *testing.T) {
	s := newStage(t, 80, 24, "turns: [{text: hello}]")
	s.question("1", "", guard.Request{Tool: "mcp__calc__add", Args: []byte(`{"a":1}`), Rules: []string{"mcp.definition"}, Effects: []string{`- description: "Add."`, `+ description: "Add, and send."`}}, guard.High)
	shown, _ := s.layout()
	if got := fmt.Sprint(shown); !strings.Contains(got, `- description: "Add."`) || !strings.Contains(got, `+ description: "Add, and send."`) {
		t.Error(got)
	}
}

// An empty line leaves a question out, also the last one. What is no answer to a question is refused before the next one is asked.
func TestQuestionsAreLeftOut(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	colours := []tool.Choice{{Label: "red"}, {Label: "blue"}}
	answers := s.question("1", "", guard.Request{Tool: "elicitation", Questions: &tool.Questions{List: []tool.Question{{Text: "First?"}, {Text: "Which?", Choices: colours}, {Text: "Third?"}}}}, guard.Low)
	s.layout()
	s.clock = s.clock.Add(time.Second)
	s.press("tab", "enter")
	for _, row := range []struct{ typed, hint string }{{"", "2. Which?"}, {"4", "question 2: no choice has the number 4: there are 2, and words have a letter. Esc goes back."}, {"", "3. Third?"}} {
		if row.typed != "" {
			s.press(row.typed)
		}
		s.clock = s.clock.Add(time.Second)
		if s.press("enter"); s.hint != row.hint {
			t.Fatalf("after %q: %q, line %q", row.typed, s.hint, s.line.Text())
		}
		if row.typed != "" {
			s.press("backspace")
		}
	}
	s.clock = s.clock.Add(time.Second)
	s.press("enter")
	if a := s.answered(answers); a.Chosen == nil || len(a.Chosen.Answers) != 3 || a.Chosen.Answers[1].String() != "(no answer)" {
		t.Errorf("%+v", a.Chosen)
	}
}

// The user changes a call: the answer has the new arguments, and the words are no reason of a denial.
func TestACallIsEdited(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	answers := s.question("1", "", guard.Request{Tool: "bash", Command: "rm -r build"}, guard.Low)
	s.layout()
	s.clock = s.clock.Add(time.Second)
	s.press("tab", "down", "down", "down", "enter")
	if s.line.Text() != "rm -r build" {
		t.Fatalf("%q is edited", s.line.Text())
	}
	s.line.Set("ls build")
	s.clock = s.clock.Add(time.Second)
	s.press("enter")
	if a := s.answered(answers); a.Choice != guard.Approved || a.Args != `{"command":"ls build"}` || a.Words != "" {
		t.Errorf("%+v", a)
	}
}

func TestAMessageSteersOrWaits(t *testing.T) {
	s := newStage(t, 80, 30, "turns:\n  - {text: one, delay: 300ms}\n  - text: two\n  - text: three\n")
	s.line.Insert("go")
	s.press("enter")
	s.until("the request", func() bool { return strings.Contains(s.printed(), "› go") })
	s.clock = s.clock.Add(time.Second)
	s.line.Insert("later")
	s.press("alt+enter")
	s.line.Insert("now")
	s.clock = s.clock.Add(time.Second)
	s.press("enter")
	if lines := s.queuedLines(); len(lines) != 2 {
		t.Errorf("%d messages wait", len(lines))
	}
	s.until("the end", func() bool { return s.turn == nil })
	got := s.printed()
	order := []string{"› go", "one", "› now", "two", "› later", "three"}
	for i, at := 0, 0; i < len(order); i++ {
		n := strings.Index(got[at:], order[i])
		if n < 0 {
			t.Fatalf("no %s in its place in\n%s", order[i], got)
		}
		at += n
	}
}

// An interrupt keeps what came, and messages that the model has not got come back into the line.
func TestAnInterruptGivesMessagesBack(t *testing.T) {
	s := newStage(t, 80, 30, "pace: 20ms\ndelta: 4\nturns:\n  - text: a long answer that goes on and on for a while and longer\n")
	s.line.Insert("go")
	s.press("enter")
	s.until("a piece", func() bool { return s.talk.stream != nil })
	s.clock = s.clock.Add(time.Second)
	s.line.Insert("more")
	s.press("alt+enter")
	s.wait("after", nil) // as one that came at the turn's very end
	s.press("esc")
	s.until("the end", func() bool { return s.turn == nil })
	if s.line.Text() != "more\nafter" || !strings.Contains(s.printed(), "interrupted") || !strings.Contains(s.printed(), "a lo") {
		t.Errorf("the line is %q, printed\n%s", s.line.Text(), s.printed())
	}
}

// Messages that come back have their images, under names that differ.
func TestAnInterruptGivesImagesBack(t *testing.T) {
	s := newStage(t, 80, 30, "pace: 20ms\ndelta: 4\nturns:\n  - text: a long answer that goes on and on for a while and longer\n  - text: seen\n")
	s.line.Insert("go")
	s.press("enter")
	s.until("a piece", func() bool { return s.talk.stream != nil })
	for _, words := range []string{"first ", "second "} {
		s.clock = s.clock.Add(time.Second)
		s.line.Insert(words)
		s.line.clip(tool.Part{Kind: tool.ImagePart, MediaType: "image/png", Data: []byte(words)})
		s.press("alt+enter")
	}
	s.press("esc")
	s.until("the end", func() bool { return s.turn == nil })
	if s.line.Text() != "first [image 1] \nsecond [image 2] " && s.line.Text() != "first [image 1]\nsecond [image 2]" {
		t.Errorf("%q", s.line.Text())
	}
	var images []string
	for _, p := range s.line.clipped(s.line.Text()) {
		images = append(images, string(p.Data))
	}
	if !slices.Equal(images, []string{"first ", "second "}) {
		t.Errorf("%q", images)
	}
}

// A command of the user goes through the checks, and its output goes with the next message.
func TestACommandOfTheUser(t *testing.T) {
	s := newStage(t, 80, 30, "turns:\n  - expect: {contains: seen by the model}\n    text: I saw it.\n")
	if err := s.session.SetMode("full"); err != nil {
		t.Fatal(err)
	}
	s.runs(shell(s.ui, "echo seen by the model"))
	if !strings.Contains(s.printed(), "✓ bash echo seen") {
		t.Fatal(s.printed())
	}
	s.clock = s.clock.Add(time.Second)
	s.line.Insert("look")
	s.press("enter")
	s.until("the end", func() bool { return s.turn == nil })
	if !strings.Contains(s.printed(), "I saw it.") {
		t.Error(s.printed())
	}
}

// A request that was answered elsewhere disappears, and a line says who answered.
func TestARequestAnsweredElsewhere(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.question("1", "", guard.Request{Tool: "bash", Command: "ls"}, guard.Low)
	s.gone(pendingGone{ID: s.session.ID() + " 1", By: "approved by user (page)"})
	if s.questions.Len() != 0 || !strings.Contains(s.printed(), "bash: approved by user (page)") {
		t.Error(s.printed())
	}
}

// Events that come while nobody takes them are joined.
func TestTheMailboxStaysSmall(t *testing.T) {
	m := newMailbox()
	for range 10_000 {
		m.Put(event.Event{Kind: event.Delta, Text: "x", Session: "s"})
	}
	m.Put(event.Event{Kind: event.Responded, Session: "s"})
	items := m.Take()
	if len(items) != 2 || len(items[0].(event.Event).Text) != 10_000 {
		t.Errorf("%d items", len(items))
	}
}

// A rule that cannot be read is not kept. One that can be removed is removed.
func TestRulesAreAddedAndRemoved(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	rules := func() (all []string) {
		list, _, err := harness.LoadRules(s.harness.Dirs(), s.harness.Root())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			all = append(all, r.Decision.String()+" "+r.String())
		}
		return all
	}
	if s.runs(s.command("/permissions explain ")); !strings.HasPrefix(s.hint, "/permissions explain CALL shows") {
		t.Errorf("without a call: %q", s.hint)
	}
	s.runs(s.command("/permissions allow bash("))
	if got := rules(); len(got) != 0 || !strings.Contains(s.printed(), "not closed") {
		t.Errorf("%v\n%s", got, s.printed())
	}
	s.runs(s.command("/permissions allow bash(go test:*)"))
	s.runs(s.command("/permissions deny --everywhere bash(shutdown)"))
	if got := rules(); !slices.Equal(got, []string{"deny bash(shutdown)", "allow bash(go test:*)"}) {
		t.Errorf("%q", got)
	}
	s.runs(s.command("/permissions remove bash(shutdown)"))
	if got := rules(); !slices.Equal(got, []string{"allow bash(go test:*)"}) {
		t.Errorf("%q", got)
	}
	s.runs(s.command("/permissions deny bash(go test:*)"))
	s.runs(s.command("/permissions"))
	s.press("delete")
	if s.screen != nil || !strings.Contains(s.hint, "that is no rule") {
		t.Errorf("what no rule covers can be removed: %q", s.hint)
	}
	s.runs(s.command("/permissions"))
	s.press("down", "down", "delete", "down")
	if lines, _ := s.screen.Lines(80, 24); !strings.Contains(lines[0].String(), "remove the rule deny bash(go test:*)") {
		t.Errorf("the rule is not named: %s", lines[0])
	}
	s.clock = s.clock.Add(time.Second)
	s.runs(s.screenKey(keyPress("enter")))
	if got := rules(); !slices.Equal(got, []string{"allow bash(go test:*)"}) {
		t.Errorf("after the list: %q", got)
	}
}

// A command that has the terminal writes where the live part was, and the live part is drawn again below what it wrote.
func TestACommandOnTheTerminalKeepsItsRows(t *testing.T) {
	for rows, want := range map[int]string{4: "\r\x1b[3A\x1b[J\nhello\n\n\n\n", 1: "\r\x1b[J\nhello\n"} {
		var out bytes.Buffer
		c := &inRows{exec.Command("echo", "hello"), func() int { return rows }}
		c.SetStdout(&out)
		if err := c.Run(); err != nil || out.String() != want {
			t.Errorf("%d rows: %q, %v", rows, out.String(), err)
		}
	}
}

// What the same key does once more is shown only while it may hold.
func TestWhatASecondPressDoesIsShownForAMoment(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	for key, hint := range map[string]string{"esc": "again goes back", "ctrl+c": "again within a second"} {
		s.clock = s.clock.Add(time.Minute)
		cmd := s.key(keyPress(key))
		if !strings.Contains(s.hintLine(), hint) {
			t.Errorf("%s: %q", key, s.hintLine())
		}
		if s.runs(cmd); s.hint != "" {
			t.Errorf("%s: %q stays", key, s.hint)
		}
	}
}

// The output of a command goes with the next message of its session, and of a copy of that one: a new session has nothing of it.
func TestOutputsStayInTheirSession(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.offered = []string{"an output"}
	if s.runs(s.command("/fork")); len(s.offered) != 1 {
		t.Error("a copy of the session lost the output")
	}
	var out strings.Builder
	before := s.session.ID()
	if (&Screen{u: s.ui}).farewell(&out); !strings.Contains(out.String(), before) {
		t.Error("who leaves a copy does not read how it continues")
	}
	if s.runs(s.command("/clear")); s.session.ID() == before || len(s.offered) > 0 {
		t.Errorf("%s after %s has %q", s.session.ID(), before, s.offered)
	}
	if got := s.printed(); !strings.Contains(got, "a new session begins (before: "+before+")") {
		t.Error(got)
	}
}

// A question mark on the empty line shows the keys, also while the model works; in an answer it is a letter.
func TestAQuestionMarkShowsTheKeys(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.working()
	if s.press("?"); s.screen == nil || !s.line.Empty() {
		t.Errorf("the line has %q", s.line.Text())
	}
	s.screen = nil
	s.question("1", "", guard.Request{Tool: "bash", Command: "ls"}, guard.Low)
	s.questions.tell(s.questions.Open())
	if s.press("?"); s.screen != nil || s.line.Text() != "?" {
		t.Errorf("the line has %q", s.line.Text())
	}
	s.gone(pendingGone{ID: s.session.ID() + " 1", By: "approved by user (page)"})
}

// Only what is kept is named: a session without a message is not.
func TestASessionThatIsNotKeptIsNotNamed(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.o.Resumed = true
	first := s.session.ID()
	s.runs(s.command("/clear"))
	second := s.session.ID()
	s.runs(s.command("/clear"))
	if got := s.printed(); !strings.Contains(got, first) || strings.Contains(got, second) {
		t.Error(got)
	}
	var out strings.Builder
	if (&Screen{u: s.ui}).farewell(&out); out.Len() > 0 {
		t.Error(out.String())
	}
}

// A text after # goes where the user chooses.
func TestRemember(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.line.Insert("# tests run with go test")
	s.press("enter")
	s.runs(s.screenKey(keyPress("enter")))
	if !strings.Contains(s.printed(), "remembered: memory add -- tests run with go test") {
		t.Error(s.printed())
	}
	s.line.Insert("#one more")
	if s.press("enter", "esc"); s.line.Text() != "#one more" || s.screen != nil {
		t.Errorf("after Esc the line has %q", s.line.Text())
	}
	s.press("enter", "down", "down", "enter")
	if b, err := os.ReadFile(filepath.Join(s.dir, "AGENTS.md")); err != nil || string(b) != "- one more\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// Every slash command of the help can be opened on an idle session without a mistake.
func TestEverySlashCommandDoesSomething(t *testing.T) {
	for _, c := range commands() {
		if slices.Contains([]string{"quit", "exit", "suspend", "import", "trust"}, c.name) { // they leave the screen
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, 80, 30, "turns: [{text: hello}]")
			before, mode := len(s.scroll.Kept), s.session.How().Mode
			cmd := s.command("/" + c.name)
			if cmd == nil && s.screen == nil && s.hint == "" && len(s.scroll.Kept) == before && s.session.How().Mode == mode && s.turn == nil {
				t.Error("nothing happened")
			}
		})
	}
}

// What follows a command that takes nothing is an error that says so, and nothing is done.
func TestACommandThatTakesNothing(t *testing.T) {
	for _, name := range []string{"clear", "status", "vim", "copy", "fork", "plan"} {
		s := newStage(t, 80, 30, "turns: [{text: hello}]")
		before, mode := s.session.ID(), s.session.How().Mode
		s.runs(s.command("/" + name + " more"))
		if s.hint != "/"+name+" takes nothing after it" || s.line.Text() != "/"+name+" more" || s.session.ID() != before || s.session.How().Mode != mode || s.printed() != "" {
			t.Errorf("/%s: hint %q, line %q\n%s", name, s.hint, s.line.Text(), s.printed())
		}
	}
}

// A command that is written whole is the one that Enter runs, also where a longer one begins so.
func TestAWholeCommandIsTaken(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	for _, c := range commands() {
		s.line.Set("/" + c.name)
		s.line.complete()
		if o, _ := s.line.popup.Chosen(); strings.TrimSpace(o.Insert) != "/"+c.name {
			t.Errorf("Enter after /%s takes %q", c.name, o.Insert)
		}
	}
}

// A message of a command is read whole, also where it is wider than the terminal.
func TestAHintIsWrapped(t *testing.T) {
	s := newStage(t, 60, 30, "turns: [{text: hello}]")
	s.runs(s.command("/etc/passwd is what"))
	var shown []string
	for _, l := range s.statusLines() {
		if shown = append(shown, strings.TrimSpace(l.String())); l.Width() > 59 {
			t.Errorf("%d columns: %s", l.Width(), l)
		}
	}
	if got := strings.Join(shown, " "); !strings.Contains(got, "write // to send a message that begins with a slash") {
		t.Error(got)
	}
	if s.height = lowestScreen; len(s.statusLines()) != 2 {
		t.Errorf("%d rows on a low screen", len(s.statusLines()))
	}
}

// What an undo leaves as it is comes first, then all its files, then the diffs.
func TestAnUndoNamesAllFirst(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	plan := harness.ShownUndo{Stays: []string{"big.bin stays"}, Changes: []tool.Change{
		{Path: "a.go", Added: 1, Diff: "@@ -0,0 +1,1 @@\n+one\n"}, {Path: "b.go", Removed: 1, Diff: "@@ -1,1 +0,0 @@\n-two\n"},
	}}
	var got []string
	for _, l := range planLines(s.marks, nil, plan, 60)[:4] {
		got = append(got, strings.TrimSpace(l.String()))
	}
	if !slices.Equal(got, []string{"big.bin stays", "a.go  +1 -0", "b.go  +0 -1", ""}) {
		t.Errorf("%q", got)
	}
}

func TestAFileNeedsItsPath(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.runs(s.command("/file"))
	if s.hint != "/file and the path of an image or a PDF file" {
		t.Error(s.hint)
	}
}

// A compaction says what it freed.
func TestACompactionSaysWhatItFreed(t *testing.T) {
	s := newStage(t, 80, 30, "turns:\n  - text: hello "+strings.Repeat("word ", 3000)+"\n  - text: We said hello.\n")
	s.line.Insert("go")
	s.press("enter")
	s.until("the end", func() bool { return s.turn == nil })
	s.runs(s.command("/compact"))
	s.until("the end", func() bool { return s.turn == nil })
	if got := s.printed(); !strings.Contains(got, "the conversation was compacted: ") {
		t.Error(got)
	}
}

// A compaction that changed nothing says why, and is no failure of a turn.
func TestACompactionSaysWhyNot(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.runs(s.command("/compact"))
	s.until("the end", func() bool { return s.turn == nil })
	s.runs(s.drain())
	if got := s.printed(); !strings.Contains(got, "not compacted: there is nothing to compact") || strings.Contains(got, "send a message to continue") {
		t.Error(got)
	}
	var why []string
	for range saysCompacted(func(func(event.Event, error) bool) {}, func(err error) { why = append(why, err.Error()) }) {
	}
	stopped := func(yield func(event.Event, error) bool) {
		yield(event.Event{Kind: event.Stopped, Stop: event.Cancelled}, nil)
	}
	for range saysCompacted(stopped, func(err error) { why = append(why, "interrupted: "+err.Error()) }) {
	}
	if !slices.Equal(why, []string{"the conversation is short"}) {
		t.Errorf("%q", why)
	}
}

// A long name of a tool does not touch what the tool does.
func TestToolsAreInColumns(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.runs(s.command("/tools"))
	for line := range strings.Lines(s.printed()) {
		if name := strings.TrimSpace(line); name != "" && !strings.Contains(name, "  ") {
			t.Errorf("%q has no gap", line)
		}
	}
}

// With vi's keys Esc ends writing, letters are commands, and the next Esc interrupts as always.
func TestViKeys(t *testing.T) {
	s := newStage(t, 80, 30, "pace: 20ms\ndelta: 4\nturns:\n  - text: a long answer that goes on and on for a while and longer\n")
	s.command("/vim")
	if s.line.vi != true {
		t.Fatal("vi is off")
	}
	s.press("g", "o", "esc", "0", "i", "n", "o", "space", "esc", "d", "b", "A", "!")
	if got := s.line.Text(); got != " go!" {
		t.Errorf("%q", got)
	}
	s.clock = s.clock.Add(time.Second)
	s.press("esc", "enter")
	s.until("a piece", func() bool { return s.talk.stream != nil })
	if s.line.normal || s.turn == nil {
		t.Error("normal mode stays after Enter")
	}
	s.press("esc")
	if !s.line.normal || s.turn.stops {
		t.Error("the first Esc interrupts")
	}
	s.press("esc")
	if !s.turn.stops {
		t.Error("the second Esc does not interrupt")
	}
	s.until("the end", func() bool { return s.turn == nil })
}

// An image goes into the scrollback as one piece that has its rows, and waits until there is room for it.
func TestAnImageIsDrawn(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.images = imagesKitty
	s.talk.drawImages([]tool.Part{{Kind: tool.ImagePart, Data: onePixel, Name: "chart.png"}, {Kind: tool.DocumentPart, Data: []byte("x")}})
	last := s.scroll.Queue[len(s.scroll.Queue)-1]
	if !strings.Contains(last, "\x1b_G") || !strings.Contains(s.printed(), "chart.png 30 by 20 png") {
		t.Errorf("%q\n%s", last, s.printed())
	}
	s.scroll.Queue = []string{"a", strings.Repeat(" \n", 9) + "x", "b"}
	for range 3 {
		if s.scroll.Busy = false; s.scroll.Flush(10, s.now()) == nil {
			t.Error("nothing is written")
		}
	}
	if len(s.scroll.Queue) != 0 {
		t.Errorf("%q waits", s.scroll.Queue)
	}
}

// The user's own command is in the status line; the mode stays before it. One that fails is reported once.
func TestOwnStatusLine(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]", `{"statusLine": {"type": "command", "command": "read -r state; [[ $state == *'\"hook_event_name\":\"Status\"'* ]] && printf '\\e[32mmy\\e[0m line\\nsecond'"}}`)
	s.runs(s.runOwnStatus())
	if got := s.statusLines(); len(got) != 1 || !strings.HasPrefix(got[0].String(), "  ask when needed    my line") {
		t.Errorf("%q\n%s", got, s.printed())
	}
	if s.runOwnStatus() != nil {
		t.Error("it runs again though nothing has changed")
	}
	s = newStage(t, 80, 30, "turns: [{text: hello}]", `{"statusLine": {"command": "sleep 60", "timeout": "200ms"}}`)
	s.runs(s.runOwnStatus())
	s.clock = s.clock.Add(time.Minute)
	s.bar.branch = "another"
	s.runs(s.runOwnStatus())
	if n := strings.Count(s.printed(), "! the command of the status line"); n != 1 || !strings.Contains(s.statusLines()[0].String(), "another") {
		t.Errorf("%d warnings\n%s", n, s.printed())
	}
}

// Esc closes the nearest open thing. Only on the bare line it interrupts.
func TestEscClosesTheNearestThing(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.working()
	s.question("1", "", guard.Request{Tool: "bash", Command: "ls"}, guard.Low)
	s.layout()
	s.press("tab", "esc")
	if s.questions.Focused() || s.turn.stops {
		t.Error("Esc on the question does not go back to the line")
	}
	s.press("/", "m", "o", "esc")
	if s.line.popup.Open() || s.turn.stops {
		t.Error("Esc does not close the completion")
	}
	s.line.Clear()
	s.open(full.NewPager("x", nil))
	s.press("esc")
	if s.screen != nil || s.turn.stops {
		t.Error("Esc does not close the full screen")
	}
	s.press("esc")
	if !s.turn.stops {
		t.Error("Esc on the bare line does not interrupt")
	}
}

// Each way to a new line works without the one before it.
func TestNewLines(t *testing.T) {
	for _, keys := range [][]string{{"shift+enter"}, {"ctrl+j"}, {"alt+enter"}, {"\\", "enter"}} {
		s := newStage(t, 80, 30, "turns: [{text: hello}]")
		s.press("a")
		s.press(keys...)
		s.press("b")
		if s.line.Text() != "a\nb" || s.turn != nil {
			t.Errorf("%v: %q", keys, s.line.Text())
		}
	}
}

// A request calls the user once, only while the user looks elsewhere, and the title shows that it waits. So does the end of a turn.
func TestARequestRings(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.caller.Way = osc777
	s.Update(tea.FocusMsg{})
	s.question("1", "", guard.Request{Tool: "bash", Command: "ls", Programs: []string{"ls"}}, guard.Low)
	if got := s.caller.Take(s.clock); got != "" || !strings.HasPrefix(s.title(), "? ") {
		t.Errorf("%q, title %q", got, s.title())
	}
	s.Update(tea.BlurMsg{})
	s.callUser("")
	if got := s.caller.Take(s.clock); !strings.Contains(got, ";rein rein;") {
		t.Errorf("%q", got)
	}
	s.clock = s.clock.Add(time.Minute)
	s.question("2", "", guard.Request{Tool: "bash", Command: "ls"}, guard.Low)
	if got := s.caller.Take(s.clock); !strings.HasSuffix(got, ";2 requests wait for you\a") {
		t.Errorf("%q", got)
	}
	for _, id := range []string{"1", "2"} {
		s.gone(pendingGone{ID: s.session.ID() + " " + id, By: "approved by user (page)"})
	}
	s.clock = s.clock.Add(time.Minute)
	s.happened(event.Event{Kind: event.Stopped, Stop: event.Done})
	if got := s.caller.Take(s.clock); !strings.HasSuffix(got, ";the answer is there\a") {
		t.Errorf("%q", got)
	}
}

// What the user writes about one of several requests has that request above it, also when another one comes or goes; a question that is open
// is answered by what is typed.
func TestWhatIsWrittenAboutOneOfSeveralShowsIt(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	one := s.question("1", "", guard.Request{Tool: "bash", Command: "git push"}, guard.Low)
	asked := s.question("2", "", guard.Request{Tool: "ask_user", Questions: &tool.Questions{List: []tool.Question{{Text: "Which colour?", Choices: []tool.Choice{{Label: "red"}, {Label: "blue"}}, Free: true}}}}, guard.Low)
	shown := func(want string) {
		t.Helper()
		if rows, _ := s.layout(); !strings.Contains(fmt.Sprint(rows), want) {
			t.Errorf("no %q in %s", want, rows)
		}
		s.clock = s.clock.Add(time.Second)
	}
	shown("2 wait")
	s.press("tab", "down", "enter")
	shown("2 of 2")
	s.press("down", "down", "enter") // write the answer
	shown("Which colour?")
	third := s.question("3", "", guard.Request{Tool: "bash", Command: "ls"}, guard.Low)
	shown("Which colour?")
	s.gone(pendingGone{ID: s.session.ID() + " 1", By: "approved by user (page)"})
	shown("Which colour?")
	s.press("esc")
	shown("Which colour?")
	s.press("b", "l", "u", "e")
	shown("Which colour?")
	s.press("enter")
	if a := s.answered(asked); a.Chosen == nil || a.Chosen.Answers[0].String() != "blue" {
		t.Errorf("%+v", a)
	}
	s.gone(pendingGone{ID: s.session.ID() + " 3", By: "approved by user (page)"})
	_, _ = one, third
}

// A form that is asked again has what the user wrote before in the line.
func TestAFormThatIsAskedAgainIsFilledIn(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	asked := s.question("1", "", guard.Request{Tool: "book", Questions: &tool.Questions{From: "the tool server desk", List: []tool.Question{
		{Text: "Which days?", Choices: []tool.Choice{{Label: "Mon"}, {Label: "Tue"}, {Label: "Wed"}}, Several: true, Given: &tool.Answer{Choices: []string{"Mon", "Wed"}}},
		{Text: "That does not fit: people: must be at most 9.\npeople", Given: &tool.Answer{Text: "12"}}, {Text: "note", Given: &tool.Answer{}}}}}, guard.Low)
	s.layout()
	s.clock = s.clock.Add(time.Second)
	s.press("tab", "enter") // write the answer
	if got := s.line.Text(); got != "1,3\n12\n" {
		t.Fatalf("%q", got)
	}
	s.line.Set("1,3\n2\n")
	s.clock = s.clock.Add(time.Second)
	s.press("enter")
	if a := s.answered(asked); a.Chosen == nil || a.Chosen.Answers[0].String() != "Mon, Wed" || a.Chosen.Answers[1].Text != "2" {
		t.Errorf("%+v", a)
	}
}

// A chat keeps its tool servers, and says so when they are changed.
func TestAChangeOfToolServersSaysWhenItHolds(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.o.Catalogue = askedCatalogue{make(chan string, 10)}
	s.runs(s.command("/mcp get x"))
	if got := s.printed(); strings.Contains(got, "rein -c") {
		t.Error(got)
	}
	s.runs(s.command("/mcp remove x"))
	if got := s.printed(); !strings.Contains(got, "this chat keeps the tool servers") {
		t.Error(got)
	}
}

// While the user writes about a request, the chords that answer it do nothing: the line has another call than the one that is shown. Where it is
// answered by its choices all the same, the line is for messages again.
func TestAnAnswerWhileOneIsWritten(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	answers := s.question("1", "", guard.Request{Tool: "bash", Command: "git push"}, guard.Low)
	s.layout()
	s.questions.tell(s.questions.Open())
	s.questions.changing = true
	s.line.Set("git push --dry-run")
	s.clock = s.clock.Add(time.Second)
	s.press("ctrl+x", "y")
	if s.questions.Len() != 1 || s.questions.telling == nil {
		t.Fatal("the call that is shown is approved while the line has another one")
	}
	s.press("tab")
	s.clock = s.clock.Add(time.Second)
	s.press("enter")
	if a := s.answered(answers); a.Choice != guard.Approved || a.Args != "" || s.questions.telling != nil {
		t.Errorf("%+v, telling %v", a, s.questions.telling)
	}
}

// A chord approves nothing that was not read to its end: it says so, and the cursor stays at "no".
func TestAChordApprovesOnlyWhatWasRead(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.question("1", "", guard.Request{Tool: "bash", Command: strings.Repeat("echo\n", 100), Removes: []string{"x"}}, guard.High)
	s.layout()
	no := s.questions.choice
	s.clock = s.clock.Add(time.Second)
	s.press("ctrl+x", "y")
	if s.questions.Len() != 1 || no == 0 || s.questions.choice != no || s.questions.Focused() || !strings.Contains(s.hint, "read the rest first") {
		t.Errorf("choice %d, before %d, hint %q", s.questions.choice, no, s.hint)
	}
}

// What is said when a limit is reached holds for each kind of limit.
func TestAReachedLimitIsSaidAsItIs(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.happened(event.Event{Kind: event.Stopped, Stop: event.Budget})
	if got := s.printed(); strings.Contains(got, "tokens") || !strings.Contains(got, "the budget is used up") || !strings.Contains(got, "settings") {
		t.Error(got)
	}
}

// A request whose rules or files changed says so and why, before it is shown again.
func TestAVoidRequestSaysWhy(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.happened(event.Event{Kind: event.ApprovalVoid, Text: "The rules changed.", Call: &tool.Call{ID: "1", Name: "bash"}})
	if !strings.Contains(s.printed(), "the approval request is void: The rules changed.") {
		t.Error(s.printed())
	}
	s = newStage(t, 80, 30, "turns: [{text: hello}]")
	s.happened(event.Event{Kind: event.ApprovalVoid, Reason: event.WasEdited, Text: "The user changed the call.", Call: &tool.Call{ID: "1", Name: "bash"}})
	if got := s.printed(); !strings.Contains(got, "The user changed the call.") || strings.Contains(got, "void") {
		t.Errorf("a change reads as a fault: %s", got)
	}
}

// Where several questions do not fit, the one that is answered next is shown, with its choices.
func TestTheQuestionThatIsAnsweredIsShown(t *testing.T) {
	s := newStage(t, 80, 24, "turns: [{text: hello}]")
	asks := &tool.Questions{}
	for _, name := range []string{"first", "second", "third", "fourth"} {
		asks.List = append(asks.List, tool.Question{Text: "the " + name, Free: true, Choices: []tool.Choice{{Label: name + " a"}, {Label: name + " b"}, {Label: name + " c"}}})
	}
	r := guard.Request{Tool: "ask_user", Questions: asks}
	s.question("1", "", r, guard.Low)
	s.questions.Open().Lines = r.Lines()
	for _, want := range []string{"second b", "third b", "fourth b"} {
		s.layout()
		s.clock = s.clock.Add(time.Second)
		s.press("1", "enter")
		s.clock = s.clock.Add(time.Second)
		if live, _ := s.layout(); !strings.Contains(fmt.Sprint(live), want) {
			t.Errorf("%q is not shown: %s", want, live)
		}
	}
	s.gone(pendingGone{ID: s.session.ID() + " 1"})
}

// What is in the line when the user begins to write about a request is set aside, and comes back: it is neither the reason nor lost.
func TestADraftIsSetAsideForARequest(t *testing.T) {
	for what, kind := range map[string]answerKind{"a reason": denyWithWords, "another call": editCall, "a rule": writeRules} {
		s := newStage(t, 80, 30, "turns: [{text: hello}]")
		s.question("1", "", guard.Request{Tool: "bash", Command: "git push"}, guard.Low)
		s.layout()
		s.line.Set("a long draft")
		s.answer(requestOutcome{Kind: kind, Questions: []*request{s.questions.Open()}})
		if strings.Contains(s.line.Text(), "draft") {
			t.Errorf("%s: the line has %q", what, s.line.Text())
		}
		if s.escape(); s.line.Text() != "a long draft" {
			t.Errorf("%s: after Esc the line has %q", what, s.line.Text())
		}
		s.gone(pendingGone{ID: s.session.ID() + " 1"})
	}
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	answers := s.question("1", "", guard.Request{Tool: "bash", Command: "git push"}, guard.Low)
	s.layout()
	s.line.Set("a long draft")
	s.answer(requestOutcome{Kind: denyWithWords, Questions: []*request{s.questions.Open()}})
	s.line.Insert("use the package")
	s.clock = s.clock.Add(time.Minute)
	s.enter()
	if a := s.answered(answers); a.Words != "use the package" || s.line.Text() != "a long draft" {
		t.Errorf("%+v, the line has %q", a, s.line.Text())
	}
}

// TestSlashCommandsAreDocumented compares the commands of the chat with docs/terminal.md.
func TestSlashCommandsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/terminal.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"name": true, "review": true, "commit": true, "init": true} // of files, and built in: see package slash
	for _, c := range commands() {
		known[c.name] = true
		if c.name != "cost" && c.name != "exit" && !regexp.MustCompile("`/"+c.name+"[` ]").Match(page) {
			t.Errorf("docs/terminal.md does not name /%s", c.name)
		}
	}
	for _, m := range regexp.MustCompile("`/([a-z]+)[` ]").FindAllSubmatch(page, -1) {
		if !known[string(m[1])] {
			t.Errorf("docs/terminal.md names /%s, which the chat does not have", m[1])
		}
	}
}

// What was restored is not said to be undone.
func TestRedoSaysThatItRestored(t *testing.T) {
	s := newStage(t, 80, 30, "turns:\n  - calls: [{name: write_file, args: {path: a.txt, content: x}}]\n  - text: Done.\n")
	s.runs(sendWritten(s.ui, "go"))
	s.until("the end", func() bool { return s.turn == nil })
	for _, command := range []string{"undo", "redo"} {
		s.runs(s.command("/" + command))
		if s.screen == nil {
			t.Fatalf("%s shows no plan: %s", command, s.hint)
		}
		s.runs(s.pressed(keyPress("enter")))
	}
	s.runs(apply(s.ui, &session.Undo{Do: func(context.Context, ...string) (harness.ShownUndo, error) {
		return harness.ShownUndo{Stays: []string{"a.txt stays"}}, nil
	}}, false))
	if got := s.printed(); strings.Contains(got, "0 changes") || !strings.Contains(got, "! a.txt stays") {
		t.Errorf("where all stays as it is: %s", got)
	}
	if got := s.printed(); strings.Count(got, "- undone: 1 change") != 1 || strings.Count(got, "- redone: 1 change") != 1 {
		t.Error(got)
	}
}

// shownScreen is what the full screen shows.
func (s *stage) shownScreen() string {
	if s.screen == nil {
		return "no screen"
	}
	lines, _ := s.screen.Lines(s.width, s.height)
	return fmt.Sprint(lines)
}

// Where an undo would change nothing, there is nothing to do; the preview says why.
func TestAnUndoThatChangesNothingIsNotOffered(t *testing.T) {
	s := newStage(t, 80, 30, "turns:\n  - calls: [{name: write_file, args: {path: a.txt, content: x}}]\n  - text: Done.\n")
	s.runs(sendWritten(s.ui, "go"))
	s.until("the end", func() bool { return s.turn == nil })
	if err := os.WriteFile(filepath.Join(s.dir, "a.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.runs(s.command("/undo"))
	if got := s.shownScreen(); strings.Contains(got, "do it") || !strings.Contains(got, "leave all as it is") || !strings.Contains(got, "a.txt") {
		t.Error(got)
	}
}

// A conflict can be restored all the same. What is no change of lines is named.
func TestAConflictOfAnUndoCanBeRestored(t *testing.T) {
	s := newStage(t, 80, 30, "turns:\n  - calls: [{name: bash, args: {command: 'echo x > a.txt; mkdir d; chmod +x b.sh'}}]\n  - text: Done.\n", `{"mode": "full"}`)
	for name, mode := range map[string]os.FileMode{"a.txt": 0o644, "b.sh": 0o644} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte("old"), mode); err != nil {
			t.Fatal(err)
		}
	}
	s.runs(sendWritten(s.ui, "go"))
	s.until("the end", func() bool { return s.turn == nil })
	if err := os.WriteFile(filepath.Join(s.dir, "a.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.runs(s.command("/undo"))
	if got := s.shownScreen(); !strings.Contains(got, "a.txt stays as it is") || !strings.Contains(got, "d  deleted") || !strings.Contains(got, "b.sh  file mode") {
		t.Error(got)
	}
	s.press("down", "down")
	s.runs(s.key(keyPress("enter")))
	if got := s.printed(); !strings.Contains(got, "undone: 3 changes") {
		t.Error(got)
	}
	if text, err := os.ReadFile(filepath.Join(s.dir, "a.txt")); string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
}

// Sub-agents that work in the background are among the jobs.
func TestJobsHaveSubAgents(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	c := s.call("1", "agent", `{"task": "look"}`)
	s.give(event.Event{Kind: event.SubAgentStarted, Call: &c, Child: "child", SubAgent: &event.SubAgent{Agent: "explore", Task: "look"}})
	s.runs(s.command("/jobs"))
	if s.screen != nil {
		t.Error("the session waits for this one")
	}
	s.reply("1", "agent", `{"task": "look"}`, "started", nil, false)
	s.runs(s.command("/jobs"))
	if got := s.shownScreen(); !strings.Contains(got, "sub-agent explore: look") {
		t.Error(got)
	}
	if s.give(event.Event{Kind: event.SubAgentStopped, Call: &c, Child: "child", Stop: event.Done}); !strings.Contains(s.printed(), "✓ agent explore: look") {
		t.Error(s.printed())
	}
}

// Requests of sub-agents of one kind name the task, also where the request is there before its call; a chord says that one of several is to be opened.
func TestRequestsOfSubAgentsAreToldApart(t *testing.T) {
	s := newStage(t, 120, 30, "turns: [{text: hello}]")
	c := s.call("1", "agent", `{"task": "look"}`)
	for _, child := range []string{"a", "b"} {
		s.give(event.Event{Kind: event.SubAgentStarted, Call: &c, Child: child, SubAgent: &event.SubAgent{Agent: "explore", Task: "look at the files of this directory"}})
		s.question("of "+child, "", guard.Request{Tool: "bash", Command: "curl x", Reads: []string{filepath.Join(s.dir, "in"), "/elsewhere/out"}}, guard.Low)
		s.happened(event.Event{Kind: event.Called, Session: child, Parent: s.session.ID(), Call: &tool.Call{ID: "of " + child, Name: "bash"}})
	}
	_, live, _ := s.rows()
	got := fmt.Sprint(live)
	for _, want := range []string{"explore: look at the files of ...      bash", "explore: look at the files of ... (2)  bash", "read /elsewhere/out"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if s.press("ctrl+x", "n"); !strings.Contains(s.hint, "open the one") {
		t.Errorf("hint %q", s.hint)
	}
	typed := request{Shown: guard.Request{Tool: "job_input", Command: "ls"}, Args: json.RawMessage(`{"job":"job2","text":"ls"}`)}
	if got := typed.headline().String(); !strings.Contains(got, "job_input job2") {
		t.Error(got)
	}
	s.gone(pendingGone{ID: s.session.ID() + " of a"})
	s.gone(pendingGone{ID: s.session.ID() + " of b"})
}

// After a compaction the status shows how full the window is now, not before.
func TestACompactionFreesTheWindow(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.give(event.Event{Kind: event.Responded, Text: "hello", Usage: &event.Usage{Input: 9000, Output: 100}})
	s.give(event.Event{Kind: event.Compacted, Text: "the conversation was compacted", Compaction: &event.Compaction{Before: 9100, After: 3000}})
	if s.talk.context != 3000 {
		t.Errorf("%d tokens", s.talk.context)
	}
}

// While a hook runs nobody waits for the model: neither before its request is sent nor when its answer is there.
func TestTheModelIsWaitedForOnlyAfterARequest(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	does := func(e event.Event) string {
		s.talk.happened(e)
		return fmt.Sprint(s.talk.running("", &turn{began: s.clock}, s.clock))
	}
	rows := []struct {
		e    event.Event
		want string
	}{
		{event.Event{Kind: event.Prompted, Text: "go"}, "works"},
		{event.Event{Kind: event.Requested}, "waits for the model"},
		{event.Event{Kind: event.Preparing, Call: &tool.Call{Name: "bash"}}, "writes a call of bash"},
		{event.Event{Kind: event.Responded}, "works"},
	}
	for _, row := range rows {
		if got := does(row.e); !strings.Contains(got, row.want) {
			t.Errorf("after %s: %q has no %q", row.e.Kind, got, row.want)
		}
	}
	s.talk.happened(event.Event{Kind: event.ApprovalVoid, Reason: event.WasCancelled, Text: "The turn was cancelled before the request was answered."})
	if got := s.printed(); strings.Contains(got, "void") { // its call says that it was cancelled
		t.Error(got)
	}
}
