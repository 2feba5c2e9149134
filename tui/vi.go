package tui

import (
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"rein/harness/settings"
	"rein/tui/input"
)

// viKey takes a key of vi's normal mode, and reports whether it was one. Keys without a letter do what they always do.
func (u *ui) viKey(k tea.KeyPressMsg) bool {
	r := []rune(k.Text)
	switch key := k.Keystroke(); {
	case key == "ctrl+r":
		u.editor.Redo()
		return true
	case key == "backspace":
		u.editor.Left()
		return true
	case len(r) != 1 || k.Mod&(tea.ModCtrl|tea.ModAlt) != 0:
		u.commands.Reset()
		return false
	case u.editor.Empty() && u.commands.Pending() == "" && (r[0] == '/' || r[0] == '?' || r[0] == '!' || r[0] == '#' || r[0] == '@'):
		u.normal = false
		return false
	}
	u.questions.Typed(u.now())
	switch u.commands.Key(&u.editor, r[0]) {
	case input.ViInserts:
		u.normal = false
	case input.ViUp:
		u.up()
	case input.ViDown:
		u.down()
	}
	return true
}

// vim switches vi's keys on or off, and keeps that.
func (u *ui) vim(string) tea.Cmd {
	u.vi, u.normal = !u.vi, false
	u.hint = onOff("vi", u.vi)
	file := filepath.Join(u.o.Dirs.Config, "settings.json")
	if _, err := settings.Put(file, u.vi, "terminal", "vi"); err != nil {
		u.hint += ", for this session: " + err.Error()
	}
	return nil
}
