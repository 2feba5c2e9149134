package extend

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	for _, row := range []struct {
		name, text, key, want, body string
		lenient                     bool
	}{
		{"plain", "---\nname: a\n---\n\nbody\n", "name", "a", "body\n", false},
		{"no head", "# x\n---\nname: a\n---\n", "name", "", "# x\n---\nname: a\n---\n", false},
		{"no end", "---\nname: a\n", "name", "", "---\nname: a\n", false},
		{"windows", "\ufeff---\r\nname: a\r\n---\r\nbody", "name", "a", "body", false},
		{"a colon without quotes", "---\ndescription: use: when asked\nname: a\n---\nb", "description", "use: when asked", "b", true},
		{"a glob without quotes", "---\nglobs: **/*.js\n---\nb", "globs", "**/*.js", "b", true},
		{"folded", "---\ndescription: >\n  one\n  two\n---\n", "description", "one two", "", false},
		{"a number", "---\nmax: 3\n---\n", "max", "3", "", false},
		{"empty head", "---\n---\nb", "x", "", "b", false},
		{"a list is no text", "---\nx: [a]\n---\n", "x", "", "", false},
	} {
		f, body, lenient := ParseFrontmatter(row.text)
		if f.Text(row.key) != row.want || body != row.body || lenient != row.lenient {
			t.Errorf("%s: %q, %q, %v", row.name, f.Text(row.key), body, lenient)
		}
	}
}

func TestLists(t *testing.T) {
	for text, want := range map[string][]string{
		"x: Bash(git:*) Bash(npm run test:*), Read": {"Bash(git:*)", "Bash(npm run test:*)", "Read"},
		"x: [a, 'b c']":      {"a", "b c"},
		"x:\n- a\n- b":       {"a", "b"},
		"y: 1":               nil,
		"x: one":             {"one"},
		"z: a: b\nx: [a, b]": {"a", "b"},
	} {
		f, _, _ := ParseFrontmatter("---\n" + text + "\n---\n")
		if got := f.List("x"); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestBools(t *testing.T) {
	f, _, _ := ParseFrontmatter("---\na: yes\nb: off\nc: true\nd: maybe\n---\n")
	if !f.Bool("a", false) || f.Bool("b", true) || !f.Bool("c", false) || !f.Bool("d", true) || f.Bool("e", false) {
		t.Error("wrong")
	}
}
