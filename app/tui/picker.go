package tui

import (
	tea "charm.land/bubbletea/v2"

	"rein/app/tui/full"
	"rein/app/tui/text"
)

func (u *ui) screenKey(k tea.KeyPressMsg) tea.Cmd {
	s, act, key := u.screen, u.keys.Of(k.Keystroke()), k.Keystroke()
	if p, ok := s.(*picker); ok {
		if e, ok := p.Chosen(); ok && (act == text.Send || p.other[key] != nil) {
			do := p.choose
			if act != text.Send {
				do = p.other[key]
			}
			u.shut(u.now())
			return do(u, e)
		}
	}
	if s.Key(act, key, k.Text) && u.screen == s {
		u.shut(u.now())
		if p, ok := s.(*picker); ok && p.left != nil {
			p.left(u)
		}
	}
	return nil
}

// picker is a picker with what is done with the chosen entry. The view is closed first.
type picker struct {
	*full.Picker
	choose func(*ui, full.Entry) tea.Cmd
	other  map[string]func(*ui, full.Entry) tea.Cmd // of further keys
	left   func(*ui)                                // what is done where nothing is chosen; nil: nothing
}

func newPicker(title string, entries []full.Entry, choose func(*ui, full.Entry) tea.Cmd) *picker {
	return &picker{Picker: full.NewPicker(title, entries), choose: choose}
}
