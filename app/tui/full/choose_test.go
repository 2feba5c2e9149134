package full

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"rein/app/tui/text"
)

func pressed(c *chooser, all ...tea.Key) (over bool) {
	for _, k := range all {
		c.held = text.Held{} // no key came just before
		_, cmd := c.Update(tea.KeyPressMsg(k))
		if k.Code == tea.KeyEnter {
			_, cmd = c.Update(c.held.Settled(tea.KeyPressMsg(k)))
		}
		over = cmd != nil
	}
	return over
}

func TestChooser(t *testing.T) {
	enter, down, escape := tea.Key{Code: tea.KeyEnter}, tea.Key{Code: tea.KeyDown}, tea.Key{Code: tea.KeyEscape}
	letter := func(r rune) tea.Key { return tea.Key{Code: r, Text: string(r)} }
	for name, c := range map[string]struct {
		keys []tea.Key
		want string // "": nothing
	}{
		"the first":        {[]tea.Key{enter}, "fix the parser"},
		"the second":       {[]tea.Key{down, enter}, "write a test"},
		"by a filter":      {[]tea.Key{letter('t'), letter('e'), letter('s'), letter('t'), enter}, "write a test"},
		"nothing fits":     {[]tea.Key{letter('z'), letter('z'), letter('q'), enter, escape}, ""},
		"Esc":              {[]tea.Key{escape}, ""},
		"Ctrl+C":           {[]tea.Key{down, {Code: 'c', Mod: tea.ModCtrl}}, ""},
		"a letter is text": {[]tea.Key{letter('w'), letter('r'), letter('i'), tea.Key{Code: tea.KeyBackspace}, enter}, "write a test"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &chooser{Picker: NewPicker("Which?", []Entry{{Name: "fix the parser"}, {Name: "write a test"}}), keys: text.DefaultKeys(), theme: text.DarkTheme(text.NoColour), width: 40, height: 8}
			if v := s.View(); !v.AltScreen || v.Cursor == nil {
				t.Error("it does not take the screen")
			}
			if !pressed(s, c.keys...) {
				t.Fatal("it goes on")
			}
			e, _ := s.Chosen()
			if got := e.Name; s.chose != (c.want != "") || s.chose && got != c.want {
				t.Errorf("chose %t %q", s.chose, got)
			}
		})
	}
}
