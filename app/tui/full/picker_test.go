package full

import (
	"strings"
	"testing"

	"rein/app/tui/text"
)

// TestAColumnBeginsAtOnePlace: what is said of entries ends at the right, or begins at one place.
func TestAColumnBeginsAtOnePlace(t *testing.T) {
	for column, same := range map[int]bool{0: false, 9: true} {
		p := NewPicker("x", []Entry{{Name: "a", About: "long text"}, {Name: "b", About: "short"}})
		p.Column = column
		lines, _ := p.Lines(60, 10)
		place := func(line int, word string) int {
			before, _, _ := strings.Cut(lines[line].String(), word)
			return text.Width(before)
		}
		if (place(2, "long") == place(3, "short")) != same {
			t.Errorf("with a column of %d:\n%s\n%s", column, lines[2], lines[3])
		}
	}
}
