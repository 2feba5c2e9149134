package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func join(rows []Line) string {
	var all []string
	for _, r := range rows {
		all = append(all, r.String())
	}
	return strings.Join(all, "|")
}

func TestWrap(t *testing.T) {
	hang := Of(Dim, "  ")
	rows := []struct {
		rule  string
		line  Line
		width int
		want  string
	}{
		{"a short line stays", Of(Plain, "one two"), 7, "one two"},
		{"breaks at blanks", Of(Plain, "one two three"), 8, "one two|  three"},
		{"a word over two spans is one word", Line{In(Plain, "one tw"), In(Accent, "othree")}, 10, "one|  twothree"},
		{"a long word is broken", Of(Plain, "abcdefghij"), 4, "abcd|  ef|  gh|  ij"},
		{"wide characters are two cells", Of(Plain, "漢字漢字"), 4, "漢字|  漢|  字"},
		{"blanks at the start go where a wide character needs their place", Of(Plain, " 漢a"), 2, "漢|a"},
		{"a joined emoji is one", Of(Plain, "👩‍👩‍👧 ab"), 3, "👩‍👩‍👧|ab"},
	}
	for _, row := range rows {
		h := hang
		if row.width < 4 {
			h = nil
		}
		if got := join(row.line.Wrap(row.width, h)); got != row.want {
			t.Errorf("%s: %q, want %q", row.rule, got, row.want)
		}
	}
}

// No row is wider than the screen, and no letter is lost.
func TestWrapKeepsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.SampledFrom([]rune("ab é漢👩 \u0301")), 0, 60, -1).Draw(t, "s")
		width := rapid.IntRange(2, 20).Draw(t, "width")
		var got strings.Builder
		for _, r := range (Line{In(Plain, s[:len(s)/2]), In(Accent, s[len(s)/2:])}).Wrap(width, nil) {
			if r.Width() > width {
				t.Fatalf("%q is wider than %d", r, width)
			}
			got.WriteString(r.String())
		}
		if a, b := strings.ReplaceAll(got.String(), " ", ""), strings.ReplaceAll(s, " ", ""); a != b {
			t.Fatalf("%q became %q", b, a)
		}
	})
}

func TestCut(t *testing.T) {
	l := Line{In(Plain, "one "), In(Accent, "漢字漢字")}
	for width, want := range map[int]string{20: "one 漢字漢字", 10: "one 漢...", 9: "one 漢...", 3: "one", 0: ""} {
		if got := l.Cut(width); got.String() != want || got.Width() > width {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}

func TestSafe(t *testing.T) {
	rows := map[string]string{
		"plain":                 "plain",
		"a\tb":                  "a   b",
		"a\x1b[31mb":            "a<U+001B>[31mb",
		"a\u200bb":              "a<U+200B>b",
		"a\u202eb":              "a<U+202E>b",
		"bad\xff":               "bad<0xFF>",
		"👩‍👩‍👧 שלום":            "👩‍👩‍👧 שלום",
		"\U000E0041":            "<U+E0041>",
		"\u00adsoft":            "<U+00AD>soft",
		"two\nlines":            "two<U+000A>lines",
		"delete\x7f":            "delete<U+007F>",
		"csi in one char\u009b": "csi in one char<U+009B>",
	}
	for in, want := range rows {
		if got := Shown(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Lines("10 %\r50 %\r100 %\r\ndone\n"); strings.Join(got, "|") != "100 %|done" {
		t.Errorf("%q", got)
	}
}

func FuzzSafe(f *testing.F) {
	f.Add("a\x1b]0;title\a")
	f.Fuzz(func(t *testing.T, s string) {
		if got := Shown(s); strings.ContainsFunc(got, isHidden) {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func TestCount(t *testing.T) {
	for want, got := range map[string]string{"0 lines": Count(0, "line"), "1 line": Count(1, "line"), "4 lines": Count(int64(4), "line"), "2 entries": Count(2, "entry")} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
