package full

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rein/app/tui/text"
)

func press(s *step, all ...tea.Key) (over bool) {
	for _, k := range all {
		s.held = text.Held{} // no key came just before
		_, cmd := s.Update(tea.KeyPressMsg(k))
		if k.Code == tea.KeyEnter {
			_, cmd = s.Update(s.held.Settled(tea.KeyPressMsg(k)))
		}
		over = cmd != nil
	}
	return over
}

func shown(s *step) string {
	lines, _ := s.lines()
	var all []string
	for _, l := range lines {
		all = append(all, l.String())
	}
	return strings.Join(all, "\n")
}

func TestAChoice(t *testing.T) {
	s := &step{theme: text.DarkTheme(text.NoColour), title: "Which model?", rows: []Row{{"one", "found"}, {"two", "a key"}}}
	if got := shown(s); !strings.Contains(got, "  › one    found") || !strings.Contains(got, "    two    a key") {
		t.Error(got)
	}
	if press(s, tea.Key{Code: tea.KeyDown}, tea.Key{Code: 'x', Text: "x"}) || !press(s, tea.Key{Code: tea.KeyEnter}) || s.row != 1 {
		t.Errorf("row %d", s.row)
	}
	if got := shown(s); got != "  Which model?  two\n" {
		t.Errorf("%q", got)
	}
	s = &step{rows: []Row{{"one", ""}}}
	if press(s, tea.Key{Code: tea.KeyEscape}); !errors.Is(s.err, ErrBack) {
		t.Error(s.err)
	}
	s = &step{rows: []Row{{"one", ""}}}
	if press(s, tea.Key{Code: 'c', Mod: tea.ModCtrl}); !errors.Is(s.err, ErrLeft) {
		t.Error(s.err)
	}
}

// A key is never on the screen, neither while it is written nor afterwards. An empty one does not continue.
func TestAKeyIsNotShown(t *testing.T) {
	s := &step{theme: text.DarkTheme(text.NoColour), title: "The key", hidden: true}
	if press(s, tea.Key{Code: tea.KeyEnter}) {
		t.Error("an empty key went on")
	}
	s.Update(tea.PasteMsg{Content: " sk-secret\n"})
	press(s, tea.Key{Code: '1', Text: "1"}, tea.Key{Code: '2', Text: "2"}, tea.Key{Code: tea.KeyBackspace})
	before := shown(s)
	if !press(s, tea.Key{Code: tea.KeyEnter}) || string(s.written) != "sk-secret1" {
		t.Errorf("%q", string(s.written))
	}
	if all := before + shown(s); strings.Contains(all, "secret") || !strings.Contains(all, "**********") {
		t.Error(all)
	}
}

// The cursor is behind what is written, and long lists scroll.
func TestLongSteps(t *testing.T) {
	s := &step{theme: text.DarkTheme(text.NoColour), title: "Its name"}
	press(s, tea.Key{Code: '漢', Text: "漢"})
	if _, at := s.lines(); at != 4+text.Width("漢") {
		t.Error(at)
	}
	s = &step{theme: text.DarkTheme(text.NoColour), rows: make([]Row, 40)}
	press(s, tea.Key{Code: tea.KeyUp})
	if lines, _ := s.lines(); s.row != 39 || len(lines) != mostRows+3 || !strings.Contains(shown(s), "40 of 40") {
		t.Errorf("%d rows, at %d", len(lines), s.row)
	}
}
