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

// TestALongAboutLeavesTheNameItsRoom: what is said of an entry is cut before its name is.
func TestALongAboutLeavesTheNameItsRoom(t *testing.T) {
	p := NewPicker("x", []Entry{{Name: "/review [what]", About: strings.Repeat("look for faults ", 6)}, {Name: strings.Repeat("title ", 20), About: "2 min"}})
	lines, _ := p.Lines(80, 10)
	if one, two := lines[2].String(), lines[3].String(); !strings.Contains(one, "/review [what]  look for faults") || !strings.Contains(two, "title title") || !strings.HasSuffix(two, "2 min") {
		t.Errorf("%s\n%s", one, two)
	}
}

// TestAPreviewHasTheRoomThatIsLeft: a short list leaves the screen to what is said of the chosen entry; a long one leaves it a third.
func TestAPreviewHasTheRoomThatIsLeft(t *testing.T) {
	for entries, want := range map[int]int{2: 17, 18: 6} {
		p := NewPicker("x", make([]Entry, entries))
		for i := range p.entries {
			p.entries[i].Name = "entry"
		}
		p.Preview = func(Entry, int) (lines []text.Line) {
			for range 40 {
				lines = append(lines, text.Of(text.Plain, "of it"))
			}
			return lines
		}
		lines, _ := p.Lines(80, 24)
		got, all := 0, 0
		for _, l := range lines {
			got += strings.Count(l.String(), "of it")
			all += strings.Count(l.String(), "entry")
		}
		if got != want || len(lines) != 24 || entries == 2 && all != 2 {
			t.Errorf("%d entries: %d rows of the preview, %d entries, %d rows in all", entries, got, all, len(lines))
		}
	}
}
