package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/tool"
)

// callOf is an event of a call; resultOf is one of its result.
func callOf(id, name, args string) event.Event {
	return event.Event{Kind: event.Called, Call: &tool.Call{ID: id, Name: name, Args: json.RawMessage(args)}}
}

func resultOf(id, name, text string, d tool.Detail) event.Event {
	raw, _ := json.Marshal(d) // it always has a form
	return event.Event{Kind: event.Replied, Call: &tool.Call{ID: id, Name: name},
		Result: &tool.Result{ID: id, Name: name, Text: text, Detail: raw, Duration: 1234 * time.Millisecond}}
}

func TestScreen(t *testing.T) {
	diff := "--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
	prompt := event.Event{Kind: event.Prompted, Text: "go", Time: time.Unix(100, 0)}
	for _, row := range []struct {
		rule   string
		events []event.Event
		want   string
	}{
		{"a command that works shows its exit code", []event.Event{
			callOf("1", "bash", `{"description":"say hi","command":"echo hi"}`),
			resultOf("1", "bash", "hi\n[exit code 0 after 3ms]", tool.Detail{Command: &tool.CommandDetail{}}),
		}, "● bash  echo hi  description=say hi\n  ✓ bash: exit code 0 · 1 line, 2 B · 1.2s\n    hi\n"},
		{"a command that fails has no check mark, and shows its last lines", []event.Event{
			callOf("1", "bash", `{"command":"make"}`),
			resultOf("1", "bash", "1\n2\n3\n4\n5\n6\n7\n8\n[exit code 2 after 3ms]", tool.Detail{Command: &tool.CommandDetail{ExitCode: 2}}),
		}, "● bash  make\n  ✗ bash: exit code 2 · 8 lines, 15 B · 1.2s\n    … 2 earlier lines\n    3\n    4\n    5\n    6\n    7\n    8\n"},
		{"one that works shows its last lines too", []event.Event{
			resultOf("1", "bash", "1\n2\n3\n4\n5\n6\n[exit code 0 after 3ms]", tool.Detail{Command: &tool.CommandDetail{}}),
		}, "  ✓ bash: exit code 0 · 6 lines, 11 B · 1.2s\n    … 2 earlier lines\n    3\n    4\n    5\n    6\n"},
		{"colours of a program are left out, other escapes are shown", []event.Event{
			resultOf("1", "bash", "\x1b[1;31mred\x1b[0m\x1b[2J\n[exit code 0 after 3ms]", tool.Detail{Command: &tool.CommandDetail{}}),
		}, "  ✓ bash: exit code 0 · 1 line, 18 B · 1.2s\n    red\\x1b[2J\n"},
		{"of a file the beginning is shown", []event.Event{
			resultOf("1", "read_file", "1\n2\n3\n4\n5\n6\n", tool.Detail{}),
		}, "  ✓ read_file: 6 lines, 12 B · 1.2s\n    1\n    2\n    3\n    4\n    … 2 more lines\n"},
		{"what ended a command is shown", []event.Event{
			resultOf("1", "bash", "", tool.Detail{Command: &tool.CommandDetail{ExitCode: -1, Signal: "killed"}}),
			resultOf("2", "bash", "", tool.Detail{Command: &tool.CommandDetail{TimedOut: true}}),
			resultOf("3", "bash", "", tool.Detail{Command: &tool.CommandDetail{ExitCode: 1, Blocked: []tool.Blocked{{Kind: "write", Target: "/etc/x", Certain: true}}}}),
		}, "  ✗ bash: ended by the signal killed · no output · 1.2s\n  ✗ bash: stopped at its time limit · no output · 1.2s\n" +
			"  ✗ bash: exit code 1 · no output · 1.2s\n    the sandbox stopped: write /etc/x\n"},
		{"what ended with a command is shown", []event.Event{
			resultOf("1", "bash", "started\n[exit code 0 after 3ms]", tool.Detail{Command: &tool.CommandDetail{Left: 2}}),
		}, "  ✓ bash: exit code 0 · 1 line, 7 B · 1.2s\n    started\n    ended with it: 2 programs that it left running\n"},
		{"a command in the background", []event.Event{
			resultOf("1", "bash", "Started.", tool.Detail{Command: &tool.CommandDetail{Job: "job1", Running: true}}),
		}, "  … bash: runs in the background as job1\n    Started.\n"},
		{"an edit shows its diff", []event.Event{
			callOf("1", "edit_file", `{"new_text":"2","old_text":"two","path":"a.go"}`),
			resultOf("1", "edit_file", "edited a.go", tool.Detail{Changes: []tool.Change{{Path: "a.go", Added: 1, Removed: 1, Diff: diff}}}),
		}, "● edit_file  a.go  old_text=two  new_text=2\n  ✓ edit_file: a.go +1 -1 · 1.2s\n    --- a/a.go\n    +++ b/a.go\n    @@ -1,2 +1,2 @@\n     one\n    -two\n    +2\n"},
		{"a long diff is cut", []event.Event{
			resultOf("1", "write_file", "", tool.Detail{Changes: []tool.Change{{Path: "a", Created: true, Added: 100, Diff: strings.Repeat("+x\n", 100)}}}),
		}, "  ✓ write_file: created a +100 -0 · 1.2s\n" + strings.Repeat("    +x\n", 40) + "    …\n"},
		{"results of calls that run at once say what they are about", []event.Event{
			callOf("1", "bash", `{"command":"make a"}`), callOf("2", "read_file", `{"path":"b"}`),
			resultOf("2", "read_file", "text", tool.Detail{}), resultOf("1", "bash", "", tool.Detail{Command: &tool.CommandDetail{}}),
		}, "● bash  make a\n● read_file  b\n  ✓ read_file (b): 1 line, 4 B · 1.2s\n    text\n  ✓ bash: exit code 0 · no output · 1.2s\n"},
		{"a very long line is cut", []event.Event{
			resultOf("1", "bash", strings.Repeat("x", 30000), tool.Detail{Command: &tool.CommandDetail{}}), resultOf("2", "web_fetch", strings.Repeat("x", 30000), tool.Detail{}),
		}, strings.ReplaceAll("  ✓ bash: exit code 0 · 1 line, 29.3 KiB · 1.2s\n    x… 27.3 KiB more\n  ✓ web_fetch: 1 line, 29.3 KiB · 1.2s\n    x… 27.3 KiB more\n", "x…", strings.Repeat("x", 2000)+"…")},
		{"a call that fails shows the tool and the reason", []event.Event{
			{Kind: event.Replied, Result: &tool.Result{Name: "read_file", Text: "no such file", Failed: true}},
		}, "  ✗ read_file: no such file\n"},
		{"a stop is named once", []event.Event{{Kind: event.Stopped, Stop: event.Cancelled, Text: "cancelled"}}, "■ cancelled\n"},
		{"a denial says why, and not what the model should do", []event.Event{
			{Kind: event.Replied, Result: &tool.Result{Name: "bash", Text: "The user denied this call.\nDo not try the same in another way.", Failed: true, Kind: tool.Denied}},
		}, "  ✗ bash: The user denied this call.\n"},
		{"the end shows the time and the tokens", []event.Event{
			prompt, {Kind: event.Stopped, Stop: event.Done, Time: time.Unix(175, 0), Usage: &event.Usage{Input: 1, Output: 2}},
		}, "> go\n■ done · 1m15s · 1 token in, 2 out\n"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			var out bytes.Buffer
			s := &plainScreen{Out: &out}
			for _, e := range row.events {
				if err := s.Show(e); err != nil {
					t.Fatal(err)
				}
			}
			if out.String() != row.want {
				t.Errorf("shown:\n%s\nwant:\n%s", out.String(), row.want)
			}
		})
	}
}

// wrote is a piece of the output of a running call.
func wrote(id, text string) event.Event {
	return event.Event{Kind: event.Output, Call: &tool.Call{ID: id}, Text: text, Time: time.Unix(1, 0)}
}

func TestLiveOutput(t *testing.T) {
	done := tool.Detail{Command: &tool.CommandDetail{}}
	began := callOf("1", "bash", `{"command":"x"}`)
	soon := wrote("1", "one\n")
	soon.Time = time.Time{}.Add(time.Second / 2)
	for _, row := range []struct {
		rule   string
		events []event.Event
		want   string
	}{
		{"lines come as they are written, and once", []event.Event{
			callOf("1", "bash", `{"command":"make"}`), wrote("1", "  on"), wrote("1", "e\ntwo\nthr"), wrote("1", "ee"), wrote("1", "\n[exit code 0 after 3ms]"),
			resultOf("1", "bash", "  one\ntwo\nthree\n[exit code 0 after 3ms]", done),
		}, "● bash  make\n      one\n    two\n    three\n  ✓ bash: exit code 0 · 3 lines, 15 B · 1.2s\n"},
		{"a quick call shows its output at its end", []event.Event{began, soon, resultOf("1", "bash", "one\n[exit code 0 after 3ms]", done)},
			"● bash  x\n  ✓ bash: exit code 0 · 1 line, 3 B · 1.2s\n    one\n"},
		{"of several calls each has its name", []event.Event{
			callOf("1", "bash", `{"command":"a"}`), callOf("2", "bash", `{"command":"b"}`), wrote("1", "x\n"), wrote("1", "y\n"), wrote("2", "z\n"),
		}, "● bash  a\n● bash  b\n  … bash  a\n    x\n    y\n  … bash  b\n    z\n"},
		{"of a flood the last lines", []event.Event{began, wrote("1", strings.Repeat("x\n", 100)+"end\n")}, "● bash  x\n    …\n" + strings.Repeat("    x\n", 19) + "    end\n"},
		{"a line that is written over", []event.Event{began, wrote("1", "10%\r20%\r100%\r\n")}, "● bash  x\n    100%\n"},
		{"control sequences are no control", []event.Event{began, wrote("1", "\x1b]0;title\x07a\n")}, "● bash  x\n    " + printable("\x1b]0;title\x07a") + "\n"},
		{"a line without an end", []event.Event{began, wrote("1", strings.Repeat("é", 1500)), wrote("1", "x")}, "● bash  x\n    " + strings.Repeat("é", 1000) + "… 1000 B more\n"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			var out bytes.Buffer
			s := &plainScreen{Out: &out, Live: true}
			for _, e := range row.events {
				if err := s.Show(e); err != nil {
					t.Fatal(err)
				}
			}
			if out.String() != row.want {
				t.Errorf("shown:\n%s\nwant:\n%s", out.String(), row.want)
			}
		})
	}
}
