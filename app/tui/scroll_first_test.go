package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/gdamore/tcell/v3/vt"
)

// The first frame is drawn before there is a session, and the program draws over it, also at the bottom of the screen and when
// keys were typed into it meanwhile.
func TestTheFirstFrameComesBeforeTheSession(t *testing.T) {
	s := newStage(t, 80, 10, "turns: [{text: hello}]")
	s.session = nil
	screen := &Screen{u: s.ui, drawn: true}
	for _, before := range []int{0, 30} {
		term := vt.NewMockTerm(vt.MockOptSize{X: 80, Y: 10}, vt.MockOptColors(1<<24))
		if err := term.Start(); err != nil {
			t.Fatal(err)
		}
		write := func(text string) (rows []string) {
			if _, err := term.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			if err := term.Drain(); err != nil {
				t.Fatal(err)
			}
			for y := range 10 {
				r, _ := row(term, y, 80)
				rows = append(rows, r)
			}
			return rows
		}
		first := write(strings.Repeat("before\r\n", before) + screen.first())
		at := term.Pos()
		top := int(at.Y) - 2
		if at.X != 2 || !strings.HasPrefix(first[top], "rein 1.0  ~/src/rein") || !strings.HasPrefix(first[at.Y], "› Ask") || !strings.HasPrefix(first[at.Y+1], "  ask when needed") {
			t.Fatalf("the cursor is at %v in\n%s", at, strings.Join(first, "\n"))
		}
		for y, r := range write("abc\r\n" + ansi.RestoreCursor + screen.headerRows()) {
			if r != first[y] && y != int(at.Y) {
				t.Errorf("row %d is %q, and was %q", y, r, first[y])
			}
		}
		if got := term.Pos(); int(got.Y) != top+1 || got.X != 0 {
			t.Errorf("the program would draw from %v on", got)
		}
		_ = term.Stop()
	}
}

// The live part is erased before a frame of the new size is drawn: it is written at once, and not by a command, which a frame may overtake.
func TestANewWidthErasesTheLivePartAtOnce(t *testing.T) {
	s := newStage(t, 80, 24, "turns: [{text: hello}]")
	out, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s.o.Output = out
	s.scroll.Began = true
	s.View()
	for _, width := range []int{60, 50} {
		s.take(tea.WindowSizeMsg{Width: width, Height: 20})
	}
	if written, err := os.ReadFile(out.Name()); err != nil || strings.Count(string(written), ansi.EraseScreenBelow) != 1 || !s.resize.active {
		t.Errorf("%q, %v", written, err)
	}
}
