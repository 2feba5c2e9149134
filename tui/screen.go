package tui

import (
	tea "charm.land/bubbletea/v2"

	"rein/tui/full"
	"rein/tui/keys"
	"rein/tui/scroll"
	"rein/tui/text"
)

// screen is a full-screen view. It takes all keys until it is closed.
type screen interface {
	Lines(width, height int) ([]text.Line, *full.Caret)
	Key(a keys.Action, key, typed string) (closed bool)
	Paste(s string)
}

func (u *ui) open(s screen) {
	u.screen = s
	u.scroll.Held = true
	u.hint = ""
}

// shut closes the full-screen view. The scrollback gets what waits for it a moment later.
func (u *ui) shut() {
	u.screen = nil
	u.scroll.Held = u.resize.active
	u.scroll.After = u.now().Add(scroll.Settle)
}

func (u *ui) screenKey(k tea.KeyPressMsg) tea.Cmd {
	s, act, key := u.screen, u.keys.Of(k.Keystroke()), k.Keystroke()
	if p, ok := s.(*picker); ok {
		if e, ok := p.Chosen(); ok && (act == keys.Send || p.other[key] != nil) {
			do := p.choose
			if act != keys.Send {
				do = p.other[key]
			}
			u.shut()
			return do(u, e)
		}
	}
	if s.Key(act, key, k.Text) && u.screen == s {
		u.shut()
	}
	return nil
}

// picker is a picker with what is done with the chosen entry. The view is closed first.
type picker struct {
	*full.Picker
	choose func(*ui, full.Entry) tea.Cmd
	other  map[string]func(*ui, full.Entry) tea.Cmd // of further keys
}

func newPicker(title string, entries []full.Entry, choose func(*ui, full.Entry) tea.Cmd) *picker {
	return &picker{Picker: full.NewPicker(title, entries), choose: choose}
}
