package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"rein/guard"
)

func TestALongLineIsFoldedWithItsMarks(t *testing.T) {
	lines := []string{"bash", "  aaaa bbbb cccc dddd eeee", "            ^^^^       ^^^", "  because  a line without marks that is long"}
	want := []string{"bash", "  aaaa bbbb ", "  ↪ cccc dddd ", "    ^^^^", "  ↪ eeee", "     ^^^", "  because  a line without marks that is long"}
	if got := folded(lines, 16); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, width := range []int{0, 5, 1000} {
		if got := folded(lines, width); !slices.Equal(got, lines) {
			t.Errorf("at %d columns: %q", width, got)
		}
	}
}

// FuzzFolded: nothing is lost, nothing is wider than the screen, and each mark stays under its character.
func FuzzFolded(f *testing.F) {
	f.Add("ls && rm -rf build && echo done", 6, 18, 20)
	f.Add(strings.Repeat("x", 300)+" && rm -rf y", 304, 312, 40)
	f.Add("echo hi\n   ^^^^\nrm x", 16, 20, 12)
	f.Fuzz(func(t *testing.T, command string, start, end, width int) {
		if width < 2*len(folds) || width > 300 || start < 0 || start > end || end > len(command) {
			return
		}
		lines := guard.Request{Tool: "bash", Command: command, Marks: []guard.Span{{Start: start, End: end}}}.Lines()
		if strings.Contains(command, "^") || strings.Contains(command, "↪") {
			return // the test could not distinguish the marks
		}
		got := folded(lines, width)
		if a, b := unfolded(got), unfolded(lines); a != b {
			t.Errorf("%q has become %q", b, a)
		}
		for i, line := range got {
			if isMarks(line) && (utf8.RuneCountInString(line) > utf8.RuneCountInString(got[i-1]) || utf8.RuneCountInString(line) > width) {
				t.Errorf("the marks %q are wider than %q or the line", line, got[i-1])
			}
		}
	})
}

// unfolded are the characters of lines, each marked one after a '^'.
func unfolded(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		if isMarks(line) {
			continue
		}
		var under []rune
		if i+1 < len(lines) && isMarks(lines[i+1]) {
			under = []rune(lines[i+1])
		}
		for k, c := range []rune(line) {
			if k < len(under) && under[k] == '^' {
				b.WriteByte('^')
			}
			if c != ' ' && c != '↪' {
				b.WriteRune(c)
			}
		}
	}
	return b.String()
}
