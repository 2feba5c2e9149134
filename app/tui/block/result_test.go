package block

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"rein/app/tui/text"
	"rein/event"
	"rein/tool"
)

// numbered is lines with their numbers.
func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func shown(lines []text.Line) string {
	var all []string
	for _, l := range lines {
		all = append(all, strings.TrimSpace(l.String()))
	}
	return strings.Join(all, "|")
}

// Of a long output that part is shown which matters: of a command the end, of an error of a tool the beginning. What is left out is
// counted where it is.
func TestTheFoldedPart(t *testing.T) {
	worked, failed := tool.Detail{Command: &tool.CommandDetail{}}, tool.Detail{Command: &tool.CommandDetail{ExitCode: 2}}
	ended := "[exit code 0 after 3ms]"
	for _, row := range []struct {
		rule   string
		tool   string
		result tool.Result
		detail tool.Detail
		want   string // below the head
	}{
		{"all of a short output", "bash", tool.Result{Text: numbered(1, 4) + ended}, worked, "line 1|line 2|line 3|line 4"},
		{"the end of a long one", "bash", tool.Result{Text: numbered(1, 216) + ended}, worked, "… 212 earlier lines  Ctrl+O opens it|line 213|line 214|line 215|line 216"},
		{"more of one that failed", "bash", tool.Result{Text: numbered(1, 9) + ended}, failed, "… 1 earlier line  Ctrl+O opens it|line 2|line 3|line 4|line 5|line 6|line 7|line 8|line 9"},
		{"what ended with a command", "bash", tool.Result{Text: numbered(1, 2) + ended}, tool.Detail{Command: &tool.CommandDetail{Left: 1}}, "line 1|line 2|ended with it: 1 program that it left running"},
		{"what was left out for the model counts", "bash", tool.Result{Text: numbered(1, 10) + "[1,000 lines are left out]\n" + numbered(1011, 1020) + ended, Cut: &tool.Cut{Lines: 1000, Total: 9000}}, worked, "… 1016 earlier lines  Ctrl+O opens it|line 1017|line 1018|line 1019|line 1020"},
		{"the beginning of an error", "edit_file", tool.Result{Text: "Error: " + numbered(1, 6), Failed: true}, tool.Detail{}, "line 1|line 2|line 3|line 4|… 2 more lines  Ctrl+O opens it"},
		{"colours of a program are colours", "bash", tool.Result{Text: "\x1b[31mline 1|line 2\x1b[0m\x1b]0;title\x07\n" + ended}, failed, "line 1|line 2"},
		{"a denial without a reason", "bash", tool.Result{Kind: tool.Denied, Failed: true}, tool.Detail{}, ""},
		{"why a call that the user changed is denied, all of it", "bash", tool.Result{Kind: tool.Denied, Failed: true, Text: "Error: The arguments were changed to {\"command\":\"x\"}. Denied:\tline 1|line 2" + strings.Repeat(" and more", 9) + "\nline 1\nline 2"}, tool.Detail{}, "Denied: line 1|line 2 and more and more and more and more and more and|more and more and more and more"},
		{"what the user answered", "ask_user", tool.Result{Text: "line 1\nline 2"}, tool.Detail{Answers: &tool.AnswersDetail{Given: []tool.AnswerDetail{{Question: "Which one?", Choices: []string{"A", "B"}, Text: "or C"}, {Question: "Why?"}}}}, "Which one?  A B or C|Why?  no answer"},
		{"nothing of a file", "read_file", tool.Result{Text: numbered(1, 100)}, tool.Detail{Read: &tool.ReadDetail{Path: "a", First: 1, Last: 100, Total: 100}}, ""},
	} {
		t.Run(row.rule, func(t *testing.T) {
			row.result.Detail, _ = json.Marshal(row.detail) // it always has a form
			r := Result{Call: tool.Call{Name: row.tool}, Result: row.result, Open: "Ctrl+O"}
			if got := shown(r.Lines(Unicode(), 80)[1:]); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
			if whole := shown(r.Whole(Unicode(), 80)); row.result.Text != "" && !strings.Contains(whole, "line 1|line 2") {
				t.Errorf("opened: %s", whole)
			}
		})
	}
}

// While one command runs its last lines are shown; of several it is one line each.
func TestTheEndOfWhatRuns(t *testing.T) {
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	e := func(kind event.Kind, id, text string) event.Event {
		return event.Event{Kind: kind, Session: "s", Time: now, Text: text, Call: &tool.Call{ID: id, Name: "bash", Args: []byte(`{"command":"make"}`)}}
	}
	var l Live
	lines := func() string { return shown(l.Lines("s", ASCII(), 60, now)) }
	for _, e := range []event.Event{e(event.Called, "1", ""), e(event.Output, "1", numbered(1, 30)+"li"), e(event.Output, "1", "ne 31\n10%\r20%")} {
		l.Take(e)
	}
	if got := lines(); got != "* bash make|line 28|line 29|line 30|line 31|20%" {
		t.Error(got)
	}
	l.Take(e(event.Output, "1", "\r100%\n"+strings.Repeat("x", 3*keptOutput)+"\nend\n"))
	if got := lines(); !strings.HasSuffix(got, "|end") || len(l.calls[0].output) > keptOutput {
		t.Error(got)
	}
	l.Take(e(event.Called, "2", ""))
	l.Take(e(event.Output, "2", "one\ntwo\n"))
	if got := lines(); got != "* bash make|end|* bash make|two" {
		t.Error(got)
	}
}

// A call that ran when rein was killed is not said to be cancelled.
func TestAnOutcomeThatIsUnknown(t *testing.T) {
	for said, want := range map[string]string{
		"The program ended while this call was running, so its outcome is unknown. Check what it did before you repeat it.": "outcome unknown",
		"The user interrupted the call.": "cancelled",
	} {
		r := Result{Call: tool.Call{Name: "bash"}, Result: tool.Result{Kind: tool.Cancelled, Failed: true, Text: said}}
		if got := fmt.Sprint(r.Lines(Unicode(), 80)); !strings.Contains(got, want) {
			t.Errorf("%q: %s", said, got)
		}
	}
}

// Of a command of the user whose output goes with a message only the command is shown: the output was.
func TestAMessageWithAnOutput(t *testing.T) {
	lines := Message("look at this"+OwnCommand+"ls -l\na\nb\n```"+OwnCommand+"make\nfailed\n```", ASCII(), 80)
	if got := shown(lines); got != "> look at this|with the output of: ls -l|with the output of: make" {
		t.Error(got)
	}
	long := strings.Repeat("x", 300*74)
	for _, rows := range [][]text.Line{Message(long, ASCII(), 76), Result{All: true, Open: "Ctrl+O", Result: tool.Result{Text: long, Detail: []byte(`{"command":{}}`)}, Call: tool.Call{Name: "bash"}}.Lines(ASCII(), 80)} {
		if got := shown(rows); len(rows) > longLine+5 || !strings.Contains(got, "… 250 more rows") {
			t.Errorf("of one long line: %d rows, %s", len(rows), got)
		}
	}
	if got := shown(Message(numbered(1, 42), ASCII(), 80)); !strings.HasSuffix(got, "|line 40|… 2 more lines") {
		t.Error(got)
	}
}

// That a command printed nothing is not shown as if it had printed that, also where a note is above.
func TestNothingIsNotPrinted(t *testing.T) {
	for all, want := range map[string]string{
		"(no output)\n[exit code 0 in 1 s]":            "",
		"[note: x]\n(no output)\n[exit code 0 in 1 s]": "[note: x]",
		"a\n[exit code 1 in 1 s]\nhint":                "a",
		"[exit code 0 in 1 s]":                         "",
		"(no output)":                                  "",
		"a (no output)\n[ended by signal killed]":      "a (no output)",
	} {
		if got := Printed(all); got != want {
			t.Errorf("%q: %q, want %q", all, got, want)
		}
	}
}

// What a call did stays on its line, however long the facts are.
func TestALongFactLeavesTheTitle(t *testing.T) {
	r := Result{Call: tool.Call{Name: "request_access", Args: []byte(`{"host":"example.org"}`)}, Result: tool.Result{Detail: []byte(`{"access":{"host":"example.org",
		"lasts":"for the next command, or the next file or web call that uses it. Make that call now."}}`)}}
	for _, width := range []int{60, 79, 120} {
		if got := r.Lines(Unicode(), width)[0].String(); !strings.Contains(got, "request access") || !strings.Contains(got, "for the next") || strings.Contains(got, "Make that") {
			t.Errorf("%d: %q", width, got)
		}
	}
}
