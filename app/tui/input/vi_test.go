package input

import (
	"testing"

	"pgregory.net/rapid"
)

// Each row types a text, leaves insert mode, and types commands; the cursor is at the bar.
func TestVi(t *testing.T) {
	for _, row := range []struct{ text, keys, want string }{
		{"one two three", "0", "|one two three"}, {"one two three", "b", "one two |three"}, {"one two", "0w", "one |two"}, {"one two", "0e", "on|e two"},
		{"one two three", "0dw", "|two three"}, {"one two three", "02dw", "|three"}, {"one two three", "0d2w", "|three"}, {"one two", "0D", "|"},
		{"one two", "0x", "|ne two"}, {"one two", "03x", "| two"}, {"one two", "dd", "|"}, {"one\ntwo\nthree", "ggdd", "|two\nthree"},
		{"one\ntwo\nthree", "dd", "one\n|two"}, {"one\ntwo", "ggyyp", "one\n|one\ntwo"}, {"one\ntwo", "ggddp", "two\n|one"},
		{"one two", "0cwx", "x| two"}, {"one two", "0ciwx", "x| two"}, {"call(a, b)", "hci(x", "call(x|)"}, {"say \"hi you\" now", "0fhdi\"", "say \"|\" now"},
		{"call(a, b)", "hda(", "cal|l"}, {"a.b.c", "0f.r-", "a|-b.c"}, {"a.b.c", "0f.;x", "a.b|c"}, {"a.b.c", "0dt.", "|.b.c"}, {"a.b.c", "F.x", "a.b|c"},
		{"one", "0~~", "ON|e"}, {"one\ntwo", "ggJ", "one| two"}, {"one two", "0dwu", "|one two"}, {"one two three four", "0dw.", "|three four"},
		{"one", "Ax", "onex|"}, {"one", "Ix", "x|one"}, {"one", "ox", "one\nx|"}, {"one", "Ox", "x|\none"}, {"one", "0ax", "ox|ne"},
		{"  one", "^", "  |one"}, {"one two", "0yiwP", "on|eone two"}, {"one", "0d", "|one"}, {"one", "0qZ", "|one"}, {"", "xdwdd0$p", "|"}, {"", "dabdi(", "|"},
		{"漢字 two", "0dw", "|two"}, {"one", "0$", "on|e"}, {"one two", "0dfo", "|"},
	} {
		var e Editor
		var v Vi
		e.Insert(row.text)
		e.Rest()
		normal := true
		for _, r := range row.keys {
			if normal {
				normal = v.Key(&e, r) != ViInserts
			} else {
				e.Insert(string(r))
			}
		}
		if got := e.Before() + "|" + e.After(); got != row.want {
			t.Errorf("%q %s: %q, want %q", row.text, row.keys, got, row.want)
		}
	}
}

// No command panics or leaves the cursor outside of the text.
func TestViAnyKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e Editor
		var v Vi
		e.Insert(rapid.StringOf(rapid.SampledFrom([]rune("ab (\"')\n.漢"))).Draw(t, "text"))
		for _, r := range rapid.StringOf(rapid.SampledFrom([]rune("hlwbeWBE0^$ggGfFtT;,dcyxXDCSsYpPuriaIAoO~J.123ab(\"'jk"))).Draw(t, "keys") {
			v.Key(&e, r)
			if e.at < 0 || e.at > len(e.runes) {
				t.Fatalf("the cursor is at %d of %d", e.at, len(e.runes))
			}
			e.Rows(10)
		}
	})
}
