package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// TestAttacksAtTheTerminal are the attacks on approvals and by injection that need the terminal. No row is ever deleted.
func TestAttacksAtTheTerminal(t *testing.T) {
	for name, check := range map[string]func(*testing.T){
		"approval-04 a double click answers one request":            doubleClick,
		"approval-11 a terminal that fails means denied":            failingTerminal,
		"approval-14 fifty harmless ones and a bad one":             fiftyAndOne,
		"injection-05 nothing in a result reaches the terminal raw": rawTerminal,
	} {
		t.Run(name, check)
	}
}

func doubleClick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTable(nil, "!bash a", "!bash b")
		first := true
		b.keys = func() (keySource, error) {
			if first {
				first = false
				return &slowTypist{"y\r", time.Second}, nil
			}
			return &slowTypist{"y\r\x00n\r", 160 * time.Millisecond}, nil // the second answer comes just after the first
		}
		if got := b.ask(t.Context()); got != "yn" {
			t.Errorf("got %s", got)
		}
	})
}

func failingTerminal(t *testing.T) {
	for name, k := range map[string]func() (keySource, error){
		"the end of input":   func() (keySource, error) { return &typist{}, nil },
		"no terminal at all": func() (keySource, error) { return nil, io.ErrClosedPipe },
	} {
		term := &approvalTerminal{out: io.Discard, keys: k}
		r := &terminalRequest{Lines: []string{"the call"}}
		if a, err := term.Ask(t.Context(), r); a.Choice != guard.Denied || err == nil {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

func fiftyAndOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		for range 50 {
			calls = append(calls, "bash npm install x")
		}
		b := newTable(nil, append(calls, "!bash git push --force", "bash npm install y")...)
		b.screens("y\r", "n\r")
		if got, want := b.ask(t.Context()), strings.Repeat("y", 50)+"n"+"y"; got != want {
			t.Errorf("got %s", got)
		}
		if out := b.out.String(); !strings.Contains(out, "1 of 2 · the same 50 times") || strings.Count(out, "npm install x") != 1 || strings.Count(out, "push --force") != 1 {
			t.Errorf("shown:\n%s", out)
		}
	})
}

func rawTerminal(t *testing.T) {
	for _, bad := range []string{"\x1b[2J", "\x1b]0;t\x07", "\x1b]52;c;eA==\x07", "\x1b]8;;http://x\x07y\x1b]8;;\x07", "\x07", "\x1b[1A", "\r", "\x9b2J", "\u202e", "\x1bP+q\x1b\\", "\x1b[?1049h", "\b\b"} {
		var out strings.Builder
		s := &plainScreen{Out: &out, Times: false}
		call := &tool.Call{ID: "1", Name: "bash", Args: json.RawMessage(`{"command":` + string(quotedLines(bad)) + `}`)}
		for _, e := range []event.Event{
			{Kind: event.Called, Call: call}, {Kind: event.Replied, Call: call, Result: &tool.Result{Text: bad + "x"}}, {Kind: event.Replied, Call: call, Result: &tool.Result{Text: bad, Failed: true}},
			{Kind: event.Delta, Text: bad}, {Kind: event.Notice, Text: bad}, {Kind: event.Prompted, Text: bad},
		} {
			if err := s.Show(e); err != nil {
				t.Fatal(err)
			}
		}
		if strings.ContainsAny(out.String(), "\x1b\x07\r\b\u202e\u009b") || strings.Contains(out.String(), "\x9b2J") {
			t.Errorf("%q is shown raw: %q", bad, out.String())
		}
	}
}
