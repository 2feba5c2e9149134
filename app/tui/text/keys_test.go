package text

import (
	"strings"
	"testing"
)

func TestChords(t *testing.T) {
	k := DefaultKeys()
	if k.Of("ctrl+x y") != Approve || !k.Begins("ctrl+x") || k.Begins("ctrl+o") || k.Of("ctrl+x") != "" {
		t.Error("the chords are not there")
	}
	own, err := k.With(map[string]string{"open": "Ctrl+K  Ctrl+O, f2"})
	if err != nil || own.Of("ctrl+k ctrl+o") != Open || own.Of("f2") != Open || own.Of("ctrl+k") != "" || own.Shown(Open) != "Ctrl+K Ctrl+O" {
		t.Errorf("%v: a chord takes its first key: %q", err, own.Of("ctrl+k"))
	}
	own, err = k.With(map[string]string{"redraw": "ctrl+x"})
	if err != nil || own.Of("ctrl+x") != Redraw || own.Begins("ctrl+x") || own.Of("ctrl+b") != Background {
		t.Errorf("%v: a key takes the chords that begin with it", err)
	}
	if _, err := k.With(map[string]string{"open": "ctrl+x a b"}); err == nil {
		t.Error("a chord of three keys is taken")
	}
}

// All that cannot be bound is named at once, and the rest holds. A key that stops or leaves is not lost without a word.
func TestKeysThatCannotBeBound(t *testing.T) {
	own, err := DefaultKeys().With(map[string]string{"foo": "a", "bar": "b", "open": "f2", "todos": "ctrl+x a b", "send": "ctrl+c"})
	if err == nil || own.Of("f2") != Open || own.Of("ctrl+c") != Clear || own.Of("enter") != Send {
		t.Fatalf("%v: %v", err, own.Bindings)
	}
	for _, want := range []string{`"foo"`, `"bar"`, `"ctrl+x a b"`, `"send" cannot have the key "ctrl+c": it is the one of "clear"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s is missing: %v", want, err)
		}
	}
	if own, err := DefaultKeys().With(map[string]string{"send": "ctrl+c", "clear": "f3"}); err != nil || own.Of("ctrl+c") != Send || own.Of("f3") != Clear {
		t.Error(err)
	}
}

func TestPressSaysWhatAKeyDoes(t *testing.T) {
	p := &presses{keys: DefaultKeys()}
	for _, row := range [][3]string{{"ctrl+o", "", "ctrl+o                   open"}, {"a", "a", "a                        types \"a\""}, {"f9", "", "f9                       nothing"},
		{"ctrl+x", "", "ctrl+x                   begins a chord"}, {"y", "y", "ctrl+x y                 approve"}, {"ctrl+x", "", "ctrl+x                   begins a chord"}, {"q", "q", "ctrl+x q                 nothing"}} {
		if got := p.line(row[0], row[1]); got != row[2] {
			t.Errorf("%q, want %q", got, row[2])
		}
	}
}
