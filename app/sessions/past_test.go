package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rein/event"
	"rein/journal"
	"rein/tool"
)

// story makes events of a word each: ">a" is a message of the user, "a" an answer, "+a" a call with its result, "<3" takes the
// conversation back to before event 3, and "." ends the turn.
func story(words string) (all []event.Event) {
	for w := range strings.FieldsSeq(words) {
		switch w[0] {
		case '>':
			all = append(all, message(event.Prompted, "user", w[1:]))
		case '+':
			call := &tool.Call{ID: w, Name: w[1:]}
			all = append(all, event.Event{Kind: event.Called, Call: call}, event.Event{Kind: event.Replied, Call: call, Result: &tool.Result{ID: w, Text: w}})
		case '<':
			at := int64(0)
			fmt.Sscan(w[1:], &at)
			all = append(all, event.Event{Kind: event.Rewound, At: at})
		case '.':
			all = append(all, event.Event{Kind: event.Stopped, Stop: event.Done})
		default:
			all = append(all, message(event.Responded, "assistant", w))
		}
	}
	for i := range all {
		all[i].Seq = int64(i + 1)
	}
	return all
}

// told is story's inverse, without results.
func told(all []event.Event) string {
	var words []string
	for _, e := range all {
		switch e.Kind {
		case event.Prompted:
			words = append(words, ">"+e.Text)
		case event.Responded:
			words = append(words, e.Text)
		case event.Called:
			words = append(words, "+"+e.Call.Name)
		case event.Stopped:
			words = append(words, ".")
		case event.Rewound:
			words = append(words, "<")
		}
	}
	return strings.Join(words, " ")
}

// The end of a conversation begins with a message of the user, and is the same from a journal and from events.
func TestTheEndOfAConversation(t *testing.T) {
	for _, row := range []struct {
		rule, story string
		most        Most
		want        string
		turns       int
		steps       int
	}{
		{"all of a short one", "+own >a b +c d . >e f .", Most{10, 100}, "+own >a b +c d . >e f .", 0, 0},
		{"the last messages with what follows them", ">a b . >c d . >e f .", Most{2, 100}, ">c d . >e f .", 1, 0},
		{"whole turns where they fit", ">a b . >c d . >e f .", Most{10, 2}, ">e f .", 2, 0},
		{"of a long turn its message and the last steps", ">a b . >c d +e f +g h .", Most{10, 3}, ">c f +g h .", 1, 2},
		{"a result is shown with its call", ">a b +c +d +e", Most{10, 2}, ">a b +c +d +e", 0, 0},
		{"what the user went back from is left out", ">a b . >c d . <4 >e f .", Most{10, 100}, ">a b . >e f .", 0, 0},
		{"and is not counted", ">a b . >c d . <4 >e f .", Most{2, 100}, ">a b . >e f .", 0, 0},
		{"back to the beginning", ">a b . <1 >e f .", Most{1, 100}, ">e f .", 0, 0},
		{"a session without a message", "+own", Most{10, 100}, "+own", 0, 0},
		{"an empty session", "", Most{10, 100}, "", 0, 0},
	} {
		t.Run(row.rule, func(t *testing.T) {
			events := story(row.story)
			root := t.TempDir()
			d := Dirs{Sessions: filepath.Join(root, "sessions"), Output: filepath.Join(root, "output")}
			s := New(d, nil)
			record(t, d, "one", append([]event.Event{}, events...)...)
			name := filepath.Join(d.Sessions, "one", journal.FileName)
			f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(f, `{"kind":"prompt","time":"2026-`) // a crash cut it off
			f.Close()
			p, err := s.Last("one", row.most)
			if err != nil || told(p.Events) != row.want || p.Turns != row.turns || p.Steps != row.steps || p.More {
				t.Errorf("from the journal %q, %d turns and %d steps before, %v", told(p.Events), p.Turns, p.Steps, err)
			}
			of := LastOf(events, true, row.most)
			if told(of.Events) != row.want || of.Turns != row.turns || of.Steps != row.steps || !of.More {
				t.Errorf("from events %q, %d turns and %d steps before", told(of.Events), of.Turns, of.Steps)
			}
		})
	}
	if p := LastOf(story("b +c d +e f +g h"), true, Most{10, 3}); told(p.Events) != "f +g h" {
		t.Errorf("without the message of the turn: %q", told(p.Events))
	}
}

// What a newer program wrote is not read, and what is damaged is left out.
func TestTheEndOfADamagedConversation(t *testing.T) {
	s, d := fixture(t)
	name := filepath.Join(d.Sessions, "one", journal.FileName)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	write := func(lines ...string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(slices.Concat(lines[:2], []string{"no event\n"}, lines[2:])...)
	if p, err := s.Last("one", Most{10, 100}); err != nil || told(p.Events) != ">first answer one >second answer two +bash ." {
		t.Errorf("%q %v", told(p.Events), err)
	}
	write(append(lines, `{"kind":"prompt","time":"2026-01-01T00:00:00Z","seq":99,"format":99}`+"\n")...)
	if _, err := s.Last("one", Most{10, 100}); err == nil {
		t.Error("a newer format was read")
	}
	if _, err := s.Last("none", Most{10, 100}); err == nil {
		t.Error("a session that there is not")
	}
}
