package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rein/app/harness"
	"rein/app/inbox"
	"rein/guard"
)

// typist is a person who presses keys, each after a pause, and \x00 is a second more; at the end of the keys the terminal
// is closed.
type typist struct {
	keys  string
	pause time.Duration
}

func (p *typist) Key(ctx context.Context) (byte, error) {
	if p.keys == "" {
		return 0, io.ErrUnexpectedEOF
	}
	wait := p.pause
	if p.keys[0] == 0 {
		wait += time.Second
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	key := p.keys[0]
	p.keys = p.keys[1:]
	if key == 0 {
		return p.Key(ctx)
	}
	return key, nil
}

func (p *typist) Close() error { return nil }

func TestAnswersAtTheTerminal(t *testing.T) {
	rows := []struct {
		rule   string
		keys   string
		pause  time.Duration
		always bool
		want   guard.Choice
		words  string
		kept   bool
		fails  bool
	}{
		{"y and Enter approve", "y\r", time.Second, false, guard.Approved, "", false, false},
		{"yes in full approves", "YES\r", time.Second, false, guard.Approved, "", false, false},
		{"keys 450 ms apart are typed on", "y\r\x00n\r", 450 * time.Millisecond, false, guard.Denied, "", false, false},
		{"a key after 550 ms without keys counts", "y\r\x00n\r", 550 * time.Millisecond, false, guard.Approved, "", false, false},
		{"y without Enter is no answer", "y", time.Second, false, guard.Denied, "", false, true},
		{"a word that begins with y is no answer", "you see\rn\r", time.Second, false, guard.Denied, "", false, false},
		{"Enter alone is no answer", "\r\rn\r", time.Second, false, guard.Denied, "", false, false},
		{"an answer can be corrected", "y\x7fn\r", time.Second, false, guard.Denied, "", false, false},
		{"a paste is no answer", "\x1b[200~y\n\x1b[201~\x15n\r", time.Second, false, guard.Denied, "", false, false},
		{"n and Enter deny", "n\r", time.Second, false, guard.Denied, "", false, false},
		{"Ctrl-D is no", "\x04y", time.Second, false, guard.Denied, "", false, false},
		{"other keys are no answer", "x\rq\ry\r", time.Second, false, guard.Approved, "", false, false},
		{"what is typed while the request appears is no answer", "y\r y\r y\r\x00n\r", 120 * time.Millisecond, false, guard.Denied, "", false, false},
		{"a asks for how long, and keeps it", "a\rs\r", time.Second, true, guard.Approved, "", true, false},
		{"a and then another key is no", "a\rx\r", time.Second, true, guard.Denied, "", false, false},
		{"a is nothing where nothing can be kept", "a\rn\r", time.Second, false, guard.Denied, "", false, false},
		{"t denies and gives the model the reason", "t\ruse makk\x7fe\r", time.Second, false, guard.Denied, "use make", false, false},
		{"t with the words on the same line", "t use make\r", time.Second, false, guard.Denied, "use make", false, false},
		{"words that are erased whole", "t\rab\x7f\x7f\x7f\r", time.Second, false, guard.Denied, "", false, false},
		{"the end of input is no", "", time.Second, false, guard.Denied, "", false, true},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				term := &approvalTerminal{out: &out, keys: func() (keySource, error) { return &typist{row.keys, row.pause}, nil }}
				r := &terminalRequest{Lines: []string{"the call"}}
				if row.always {
					r.Scopes = []terminalScope{{Scope: guard.ForSession, Text: "for the session"}}
				}
				got, err := term.Ask(t.Context(), r)
				kept := got.Scope == guard.ForSession
				if got.Choice != row.want || got.Words != row.words || kept != row.kept || (err != nil) != row.fails {
					t.Errorf("got %+v, kept %v, %v", got, kept, err)
				}
				if !strings.Contains(out.String(), "the call") || strings.Contains(out.String(), "[a]lways") != row.always {
					t.Errorf("shown: %q", out.String())
				}
			})
		})
	}
}

func TestACancelledQuestionIsNoLongerAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	term := &approvalTerminal{out: io.Discard, keys: func() (keySource, error) { t.Fatal("asked"); return nil, nil }}
	if got, err := term.Ask(ctx, &terminalRequest{}); got.Choice != guard.Denied || err == nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain ünï 日本 👩‍💻\tx\n": "plain ünï 日本 👩‍💻\tx\n",
		"\x1b]0;title\x07":      `\x1b]0;title\x07`,
		"a\rb":                  `a\x0db`,
		"\x9b2J \ufffd":         "\\x9b2J \ufffd",
		"a\u0085b":              `a\x85b`,
		"\u202eabc\u2066":       `\u202eabc\u2066`,
		"zero\u200bwidth\ufeff": `zero\u200bwidth\ufeff`,
	} {
		if got := printable(text); got != want {
			t.Errorf("Printable(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestBriefArgs(t *testing.T) {
	for args, want := range map[string]string{
		`{"path":"a.go","n":3,"l":[1,2]}`:    "a.go  n=3  l=[1,2]",
		`{"description":"d","command":"ls"}`: "ls  description=d",
		`{"content":"x","path":"a"}`:         "a  content=x",
		`{"text":"one\ntwo"}`:                "text=one two",
		`{}`:                                 "",
		`broken \u0000`:                      `broken \u0000`,
		`{"a":1,`:                            "a=1",
	} {
		if got := briefArgs([]byte(args)); got != want {
			t.Errorf("briefArgs(%s) = %q, want %q", args, got, want)
		}
	}
}

// A request of a sub-agent says which one asks.
func TestARequestNamesItsSubAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := person{&approvalTerminal{out: &out, keys: func() (keySource, error) { return &typist{"n\r", time.Second}, nil }}}
		r := &harness.Request{Request: inbox.Request{Shown: guard.Request{Tool: "bash", Command: "ls", Depth: 1}}, Case: guard.Case{SubAgent: "20261130-a", Agent: "review", Depth: 1}}
		r.Lines = r.Shown.Lines()
		if _, err := p.Ask(t.Context(), r); err != nil || !strings.Contains(out.String(), "agent    review 20261130-a") {
			t.Errorf("%s, %v", out.String(), err)
		}
	})
}
