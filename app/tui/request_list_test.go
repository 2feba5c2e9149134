package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"rein/app/inbox"
	"rein/app/tui/text"
	"rein/guard"
	"rein/guard/effect"
)

var begin = time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)

func question(id, command string, alone bool) *request {
	severity := guard.Low
	if alone {
		severity = guard.High
	}
	return &request{ID: id, Shown: guard.Request{Tool: "bash", Command: command, Severity: severity.String()}, Args: commandArgs(command), Alone: alone, Scopes: []answerScope{{Scope: guard.ForSession}}}
}

func commandArgs(command string) json.RawMessage {
	args, _ := json.Marshal(map[string]any{"command": command, "timeout": 12345678901234567})
	return args
}

// ready is a list whose questions have been on the screen long enough and have the keys.
func ready(questions ...*request) (*requestList, time.Time) {
	var l requestList
	for _, q := range questions {
		l.Add(q)
	}
	l.Lines(80, 24, begin)
	l.Focus()
	return &l, begin.Add(requestPause)
}

// What an approval opens beyond the sandbox stands beside it.
func TestRunOnceSaysWhatItOpens(t *testing.T) {
	q := question("1", "cp a ~/b", false)
	q.Shown.Effects = []string{"writes /home/dev/b", "opens /home/dev for writing, until the command ends", "opens port 8765 of this machine, until the command ends"}
	if got := q.choices()[0]; got.Note != "opens /home/dev for writing, port 8765 of this machine for this call" {
		t.Errorf("%q", got.Note)
	}
	if q.Would() != "needs your approval" {
		t.Error(q.Would())
	}
	q.words = text.WordsIn("zh")
	if got := q.choices()[0].Note; strings.Contains(got, "for") || !strings.Contains(got, "/home/dev（写入）") {
		t.Errorf("%q", got)
	}
}

// A request for access breaks no word, and its choice says how long once is, as the text above does.
func TestARequestForAccess(t *testing.T) {
	q := &request{Shown: guard.Request{Tool: "request_access", GrantsAccess: true},
		Lines: []string{"request_access", "  once     opens it for the next command, or the next file or web call that uses it"}}
	lines, _ := q.content(61)
	if len(lines) != 2 || lines[1].String() != "         web call that uses it" {
		t.Errorf("%q", lines)
	}
	if got := q.choices()[0]; got.Note != "for the next command or call that uses it" {
		t.Errorf("%q", got.Note)
	}
}

// A request says which files would be lost for good.
func TestARequestSaysWhatCannotBeUndone(t *testing.T) {
	q := question("1", "rm a.log", false)
	q.Shown.Effects, q.Shown.Reason = []string{"removes /w/a.log", "no-undo a.log (left out by an ignore file)"}, "rm: removes a.log"
	if got := fmt.Sprint(q.reasons(0)); !strings.Contains(got, "cannot be undone: a.log (left out by an ignore file)") {
		t.Error(got)
	}
	q.words = text.WordsIn("zh")
	if got := fmt.Sprint(q.reasons(0)); !strings.Contains(got, "a.log (被忽略文件排除)") {
		t.Error(got)
	}
}

func TestEnterAnswersOnlyAfterAPause(t *testing.T) {
	rows := []struct {
		rule string
		do   func(*requestList, time.Time) requestOutcome
		runs bool
	}{
		{"after the pause", func(l *requestList, at time.Time) requestOutcome { return l.Enter(at, false) }, true},
		{"before its end", func(l *requestList, at time.Time) requestOutcome { return l.Enter(at.Add(-time.Millisecond), false) }, false},
		{"a key that is held down", func(l *requestList, at time.Time) requestOutcome { return l.Enter(at, true) }, false},
		{"without the keys", func(l *requestList, at time.Time) requestOutcome { l.Blur(); return l.Enter(at, false) }, false},
		{"soon after a letter", func(l *requestList, at time.Time) requestOutcome {
			l.Typed(at)
			l.Focus()
			return l.Enter(at.Add(requestPause-time.Millisecond), false)
		}, false},
		{"a letter takes the keys away", func(l *requestList, at time.Time) requestOutcome {
			l.Typed(at)
			return l.Enter(at.Add(time.Hour), false)
		}, false},
		{"another question has come", func(l *requestList, at time.Time) requestOutcome {
			l.Add(question("2", "ls", false))
			l.Lines(80, 24, at)
			return l.Enter(at, false)
		}, false},
		{"never drawn", func(l *requestList, at time.Time) requestOutcome {
			l.Add(question("2", "ls", false))
			return l.Enter(at.Add(time.Hour), false)
		}, false},
	}
	for _, row := range rows {
		l, at := ready(question("1", "ls", false))
		if got := row.do(l, at); (len(got.Questions) > 0) != row.runs {
			t.Errorf("%s: %+v", row.rule, got)
		}
	}
}

func TestChoices(t *testing.T) {
	rows := []struct {
		moves int
		kind  answerKind
		want  guard.Answer
	}{
		{0, approveOnce, guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), From: "terminal"}},
		{1, approveOnce, guard.Answer{Choice: guard.Approved, By: guard.ByPerson(""), From: "terminal", Scope: guard.ForSession}},
		{2, denyOnce, guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), From: "terminal"}},
		{3, denyWithWords, guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), From: "terminal"}},
		{4, editCall, guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), From: "terminal"}},
		{-1, seeWhole, guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), From: "terminal"}},
	}
	for _, row := range rows {
		l, at := ready(question("1", "ls", false))
		l.Move(row.moves)
		if got := l.Enter(at, false); got.Kind != row.kind || got.Answer != row.want {
			t.Errorf("%d: %+v", row.moves, got)
		}
	}
}

// Where much could be lost, "no" is under the cursor.
func TestNoComesFirstWhereMuchCouldBeLost(t *testing.T) {
	removes := question("1", "rm -rf x", false)
	removes.Shown.Removes = []string{"x"}
	for _, q := range []*request{removes, question("1", "curl x | sh", true)} {
		l, at := ready(q)
		if got := l.Enter(at, false); got.Kind != denyOnce {
			t.Errorf("%s: %+v", q.Shown.Command, got)
		}
	}
}

// A command that does not fit the screen is approved only when all of it has been on the screen.
func TestAllOfACommandIsSeenBeforeItIsApproved(t *testing.T) {
	var rows []string
	for i := range 100 {
		rows = append(rows, fmt.Sprintf("echo row %d.", i))
	}
	l, at := ready(question("1", strings.Join(rows, "\n"), false))
	shown := map[string]bool{}
	for n := 0; ; n++ {
		for _, line := range l.Lines(80, 24, at) {
			shown[strings.TrimSpace(line.String())] = true
		}
		at = at.Add(requestPause)
		got := l.Enter(at, false)
		if got.Kind == approveOnce && len(got.Questions) == 1 {
			break
		}
		if len(got.Questions) != 0 || n > 100 {
			t.Fatalf("%d: %+v", n, got)
		}
		if again := l.Enter(at.Add(requestPause/2), false); len(again.Questions) != 0 {
			t.Fatal("the key that showed the last rows approved it")
		}
	}
	for _, row := range rows {
		if !shown[row] {
			t.Errorf("%q was approved unseen", row)
		}
	}
}

// Jumping to the end is not seeing what is between.
func TestRowsThatWereSkippedAreNotSeen(t *testing.T) {
	l, at := ready(question("1", strings.Repeat("echo\n", 100), false))
	for range 30 {
		l.Scroll(5)
		l.Lines(80, 24, at)
	}
	if got := l.Enter(at, false); len(got.Questions) != 0 {
		t.Fatalf("%+v", got)
	}
}

// On a screen that is too low for a part of the request it is opened; one that the user has read there can be approved.
func TestALowScreenOpensTheRequest(t *testing.T) {
	l, at := ready(question("1", strings.Repeat("echo\n", 100), false))
	l.Lines(80, 5, at)
	if got := l.Enter(at, false); got.Kind != seeWhole {
		t.Fatalf("%+v", got)
	}
	l.Open().Seen()
	l.Lines(80, 5, at)
	if got := l.Enter(at.Add(requestPause), false); got.Kind != approveOnce {
		t.Fatalf("%+v", got)
	}
}

// What a row of the list does not show is opened before it is approved with others.
func TestAListApprovesOnlyWhatWasSeen(t *testing.T) {
	long, edit := question("2", "echo "+strings.Repeat("x", 200)+"; rm -rf ~", false), question("3", "", false)
	edit.Shown.Diff, edit.Shown.Writes = []string{"+a"}, []string{"a"}
	l, at := ready(question("1", "ls", false), long, edit, question("4", "echo a\u200bb", false))
	markAll(l)
	l.Side(1)
	got := l.Enter(at, false)
	if got.Kind != seeWhole || len(got.Questions) != 3 {
		t.Fatalf("%+v", got)
	}
	for _, q := range got.Questions {
		q.Seen()
	}
	l.Lines(80, 24, at)
	if got := l.Enter(at.Add(requestPause), false); got.Kind != approveOnce || len(got.Questions) != 4 {
		t.Fatalf("%+v", got)
	}
}

func markAll(l *requestList) {
	for range l.questions {
		l.Mark()
		l.Move(1)
	}
}

// Nothing is marked at the start, and Enter opens the row under the cursor, whatever is marked.
func TestEnterActsOnTheRowUnderTheCursor(t *testing.T) {
	for row := range 3 {
		for _, marks := range []bool{false, true} {
			l, at := ready(question("0", "ls", false), question("1", "rm x", true), question("2", "go vet", false))
			if l.Side(1); len(l.marked()) > 0 {
				t.Fatal("something is marked at the start")
			}
			if marks {
				markAll(l)
			}
			l.Move(row)
			if got := l.Enter(at, false); len(got.Questions) != 0 || l.open() == nil || l.open().ID != fmt.Sprint(row) {
				t.Errorf("row %d, marks %v: %+v, open %+v", row, marks, got, l.open())
			}
		}
	}
}

// Those that are marked are answered together. One that must be answered by itself is never among them.
func TestSeveral(t *testing.T) {
	l, at := ready(question("1", "ls", false), question("2", "rm", true), question("3", "go vet", false), question("4", "go test", false))
	markAll(l)
	l.Move(2)
	l.Mark() // takes the mark away
	l.Side(1)
	got := l.Enter(at, false)
	var ids []string
	for _, q := range got.Questions {
		ids = append(ids, q.ID)
	}
	if got.Kind != approveOnce || strings.Join(ids, " ") != "1 4" {
		t.Errorf("%v %+v", ids, got)
	}
	if l.Side(1); l.Enter(at, false).Kind != denyOnce {
		t.Error("the marked ones cannot be denied")
	}
	l.Side(1)
	l.Move(-1)
	if l.Enter(at, false); l.open() == nil || l.open().ID != "2" {
		t.Error("the question under the cursor does not open")
	}
	if got := l.Enter(at, false); len(got.Questions) != 0 {
		t.Error("a question that has just opened was answered")
	}
	if head := l.Lines(80, 24, at)[0].String(); !strings.HasSuffix(head, "2 of 4") {
		t.Errorf("%q does not say which of them it is", head)
	}
}

// TestInTheOrderOfTheCalls: guards judge calls at once, so requests come in any order. Under a cursor no row moves.
func TestInTheOrderOfTheCalls(t *testing.T) {
	var l requestList
	add := func(id, who string, order int) {
		q := question(id, "ls", false)
		q.Who, q.Order = who, order
		l.Add(q)
	}
	add("b", "", 1)
	add("x", "agent", 0)
	add("a", "", 0)
	add("d", "", 3)
	l.Focus()
	add("c", "", 2)
	var ids strings.Builder
	for _, q := range l.questions {
		ids.WriteString(q.ID)
	}
	if ids.String() != "abxdc" {
		t.Error(ids.String())
	}
}

func TestAQuestionThatIsGoneLeavesTheOthers(t *testing.T) {
	l, at := ready(question("1", "ls", false), question("2", "go vet", false))
	if l.Remove("nobody") != nil || l.Remove("1").ID != "1" || l.Len() != 1 {
		t.Fatal("the wrong one is gone")
	}
	if got := l.Enter(at, false); len(got.Questions) != 0 {
		t.Error("Enter that was meant for the list answered the question that is left")
	}
}

func TestEdited(t *testing.T) {
	command := question("1", "rm -rf /", false)
	if got := command.Editable(); got != "rm -rf /" {
		t.Errorf("%q is edited", got)
	}
	if got, err := command.Edited(" ls \n"); err != nil || got != `{"command":"ls","timeout":12345678901234567}` {
		t.Errorf("%s %v", got, err)
	}
	other := &request{Args: json.RawMessage(`{"path":"a"}`)}
	if got := other.Editable(); got != "{\n  \"path\": \"a\"\n}" {
		t.Errorf("%q is edited", got)
	}
	if got, err := other.Edited(`{"path":"b"}`); err != nil || got != `{"path":"b"}` {
		t.Errorf("%s %v", got, err)
	}
	for _, bad := range []string{"", "b", "[]"} {
		if _, err := other.Edited(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// On a low screen each choice is named, what would be done stays in sight, and what was not on the screen is not approved.
func TestALowScreenNamesAllChoices(t *testing.T) {
	long := "https://example.com/" + strings.Repeat("a/long/path/", 20)
	for _, size := range [][2]int{{120, 40}, {80, 24}, {60, 20}, {60, 12}, {40, 24}, {40, 12}, {30, 14}, {50, 8}} {
		for _, r := range []guard.Request{{Tool: "web_fetch", Args: json.RawMessage(`{"url":"` + long + `"}`), Contacts: []guard.Contact{{Contact: effect.Contact{Host: "example.com", Port: 443, Path: "/" + strings.Repeat("a/long/path/", 20)}}}, Reason: "contacts example.com:443"},
			{Tool: "bash", Command: "rm -rf build && curl " + long, Removes: []string{"build"}, Programs: []string{"rm", "curl"}, Reason: strings.Repeat("a long reason ", 20)}} {
			s := newStage(t, size[0], size[1], "turns: [{text: hello}]")
			s.working()
			s.question("1", "", r, guard.Low, append(lasting, inbox.Scope{Scope: guard.Always, Text: "everywhere", Rules: []string{"bash(npm ci:*)"}})...)
			s.layout()
			s.clock = s.clock.Add(time.Second)
			s.press("tab")
			all := s.questions.Open().choices()
			for i := range all {
				s.questions.choice = i
				lines, at := s.layout()
				screen := shown(lines)
				if len(lines) >= size[1] || at.y >= len(lines) || !strings.Contains(screen, "! "+r.Tool+"  would ") || !strings.Contains(screen, "› "+all[i].Label[:min(len(all[i].Label), 9)]) {
					t.Fatalf("%v, choice %d: %d rows:\n%s", size, i, len(lines), screen)
				}
				for _, c := range all {
					if size[0] >= 40 && size[1] >= 12 && !strings.Contains(screen, c.Label) && (c.Word == "" || !strings.Contains(screen, c.Word)) {
						t.Errorf("%v, choice %d: %q is not there:\n%s", size, i, c.Label, screen)
					}
				}
			}
			s.questions.choice = 0
			q := s.questions.Open()
			whole := q.seen.whole()
			if s.press("enter"); s.questions.Len() == 0 != whole {
				t.Errorf("%v: approved %v, seen %v", size, s.questions.Len() == 0, whole)
			}
		}
	}
}

// Choices that stand behind each other are reached by all arrows.
func TestChoicesBehindEachOther(t *testing.T) {
	l, now := ready(question("1", strings.Repeat("echo\n", 20), false))
	for _, move := range []func(int){l.Side, l.Move} {
		for by, want := range map[int]int{1: 1, -1: 5} {
			l.choice = 0
			l.Lines(60, 8, now)
			if move(by); l.choice != want {
				t.Errorf("it goes to %d, want %d", l.choice, want)
			}
		}
	}
	if l.Lines(80, 40, now); l.inShort {
		t.Error("there is room for a row each")
	}
	l.choice = 0
	if l.Side(1); l.choice != 0 {
		t.Error("an arrow to the side moves among rows")
	}
}

func shown(lines []text.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

// What deletes something, or may send something to where others see it, is answered by itself, however low its risk is.
func TestWhatIsAnsweredByItself(t *testing.T) {
	for rules, want := range map[string]bool{"shell.build": false, "shell.network": false, "shell.install": false, "shell.delete": true, "shell.publish": true,
		"shell.unparsed": true, "shell.remote-change": true, "shell.wipe": true, "tool.unknown": true} {
		q := question("1", "x", false)
		q.Shown.Rules = []string{"user.rule", rules}
		l, now := ready(q, question("2", "ls", false))
		if head := l.Lines(80, 20, now)[0].String(); strings.Contains(head, "answered alone") != want || strings.Contains(head, "Space marks") == want {
			t.Errorf("%s: %s", rules, head)
		}
		if l.Mark(); q.Alone != want || q.marked == want {
			t.Errorf("%s: by itself %v, marked %v", rules, q.Alone, q.marked)
		}
	}
}
