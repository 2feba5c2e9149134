package block

import (
	"strings"
	"testing"

	"rein/app/tui/text"
)

const unified = "@@ -3,4 +3,5 @@ func A\n \tfor _, p := range parts {\n-\t\tout = append(out, p)\n+\t\tif p != \"\" {\n+\t\t\tout = append(out, p)\n \t}\n@@ -40,1 +41,1 @@\n-\treturn 1\n+\treturn 1 + 2\n"

func diffShown(lines []text.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

func TestLines(t *testing.T) {
	got, left := Lines(Parse(unified), "a.go", 60, 0)
	want := ` 3        for _, p := range parts {
 4  -         out = append(out, p)
 4  +         if p != "" {
 5  +             out = append(out, p)
 6        }
    ...
40  -     return 1
41  +     return 1 + 2
`
	if diffShown(got) != want || left != 0 {
		t.Errorf("%s", diffShown(got))
	}
	for _, l := range got {
		if l.Width() > 60 {
			t.Errorf("%q is too wide", l)
		}
	}
	if got, left := Lines(Parse(unified), "a.go", 60, 3); len(got) != 3 || left != 5 {
		t.Error(len(got), left)
	}
}

func TestSideBySide(t *testing.T) {
	got, _ := Lines(Parse(unified), "a.go", 110, 0)
	want := ` 3        for _, p := range parts {                      3        for _, p := range parts {
 4  -         out = append(out, p)                       4  +         if p != "" {
                                                         5  +             out = append(out, p)
 5        }                                              6        }
    ...
40  -     return 1                                      41  +     return 1 + 2
`
	if diffShown(got) != want {
		t.Errorf("\n%s", diffShown(got))
	}
}

// Only the words that changed are marked, and nothing where two lines have little in common.
func TestWords(t *testing.T) {
	rows := []struct{ old, now, want string }{
		{"return 1", "return 1 + 2", " + 2"},
		{"name := get()", "name := fetch()", "fetch"},
		{"abcdef", "uvwxyz", ""},
		{"same(ä)", "same(ö)", "ö"},
	}
	for _, row := range rows {
		parsed := Parse("@@ -1 +1 @@\n-" + row.old + "\n+" + row.now + "\n")
		lines, _ := Lines(parsed, "x", 40, 0)
		var marked string
		for _, s := range lines[1] {
			if s.Ground == text.AddedWord {
				marked += s.Text
			}
		}
		if marked != row.want {
			t.Errorf("%s: %q is marked, want %q", row.now, marked, row.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(unified)
	f.Fuzz(func(t *testing.T, s string) {
		for _, width := range []int{30, 120} {
			for _, l := range must(Lines(Parse(s), "a.go", width, 50)) {
				if l.Width() > width {
					t.Errorf("%q is wider than %d", l, width)
				}
			}
		}
	})
}

func must(lines []text.Line, _ int) []text.Line { return lines }
