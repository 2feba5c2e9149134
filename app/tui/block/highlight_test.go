package block

import (
	"strings"
	"testing"

	"rein/app/tui/text"
)

// marked writes the roles of a line as letters before each span.
func marked(l text.Line) string {
	letters := map[text.Role]string{text.Keyword: "k", text.String: "s", text.Comment: "c", text.Number: "n", text.Name: "f"}
	var b strings.Builder
	for _, s := range l {
		if letter := letters[s.Role]; letter != "" {
			b.WriteString(letter + "<" + s.Text + ">")
		} else {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

func TestLine(t *testing.T) {
	rows := []struct{ lang, in, want string }{
		{"go", "func main() { // x", "k<func> f<main>() { c<// x>"},
		{"x/y.go", `s := "a \" b" + 'c'`, `s := s<"a \" b"> + s<'c'>`},
		{"go", "/* a", "c</* a>"}, {"go", "x := `a", "x := s<`a>"},
		{"py", "x = 0x1f if None else 2.5", "x = n<0x1f> k<if> n<None> k<else> n<2.5>"},
		{"json", `{"a": "b", "n": 1}`, `{f<"a">: s<"b">, f<"n">: n<1>}`},
		{"rust", "fn f<'a>(x: &'a str) {}", "k<fn> f<'a>(x: &'a k<str>) {}"},
		{"sh", "echo a#b # c", "k<echo> a#b c<# c>"},
		{"sql", "SELECT 1", "k<SELECT> n<1>"},
		{"unknown", "func", "func"},
	}
	for _, row := range rows {
		if got := marked(newHighlighter(row.lang).Line(row.in)); got != row.want {
			t.Errorf("%s %q: %s, want %s", row.lang, row.in, got, row.want)
		}
	}
}

// A comment or a string that a line leaves open continues in the next lines.
func TestLinesGoOn(t *testing.T) {
	h := newHighlighter("go")
	got := []string{}
	for _, l := range []string{"a /* b", "c", "d */ func", "`x", "y` + 1"} {
		got = append(got, marked(h.Line(l)))
	}
	if want := "a c</* b>|c<c>|c<d */> k<func>|s<`x>|s<y`> + n<1>"; strings.Join(got, "|") != want {
		t.Errorf("%s, want %s", strings.Join(got, "|"), want)
	}
}

func FuzzLineKeepsTheText(f *testing.F) {
	f.Add("go", "func `x` /* \"")
	f.Fuzz(func(t *testing.T, lang, s string) {
		h := newHighlighter(lang)
		for _, l := range strings.Split(s, "\n") {
			if got := h.Line(l).String(); got != l {
				t.Errorf("%q became %q", l, got)
			}
		}
	})
}

func BenchmarkLine(b *testing.B) {
	line := `	if err := s.Send(ctx, "a message", 42); err != nil { return fmt.Errorf("send: %w", err) } // why`
	h := newHighlighter("go")
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		h.Line(line)
	}
}
