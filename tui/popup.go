package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/tui/complete"
	"rein/tui/keys"
	"rein/tui/text"
)

// popup offers what completes the word at the cursor.
type popup struct {
	rows  []offer
	row   int
	start int // of the word, in runes
	end   int
	shut  string // the word for which the user has closed it
}

// offer is one row of a popup.
type offer struct {
	insert string
	shown  string
	about  string
}

func (p *popup) open() bool { return len(p.rows) > 0 }

// mostFiles is how many files are read for completion, and mostOffers how many are shown.
const (
	mostFiles  = 200_000
	mostOffers = 8
)

// filesRead brings the files of the workspace.
type filesRead struct{ list *complete.List }

// readFiles reads the files of the workspace in the background.
func (u *ui) readFiles() tea.Cmd {
	ctx, s := u.ctx, u.session
	return func() tea.Msg {
		names, err := s.Files(ctx, mostFiles)
		if err != nil {
			names = nil
		}
		return filesRead{complete.NewList(append(names, s.Resources()...))}
	}
}

// complete finds what completes the word at the cursor: a command at the start of the line, or a file after an @.
func (u *ui) complete() {
	shut := u.popup.shut
	before := []rune(u.editor.Before())
	start := len(before)
	for start > 0 && before[start-1] != ' ' && before[start-1] != '\n' {
		start--
	}
	word := string(before[start:])
	u.popup = popup{start: start, end: len(before)}
	switch {
	case word == "" || word == shut:
		u.popup.shut = shut
	case strings.HasPrefix(word, "/") && start == 0 && !strings.Contains(word[1:], "/"):
		u.popup.rows = append(commandOffers(word[1:]), u.customOffers(word[1:])...)
	case strings.HasPrefix(word, "@") && u.files != nil:
		for _, m := range u.files.Find(word[1:], mostOffers) {
			u.popup.rows = append(u.popup.rows, offer{insert: "@" + quotedName(m.Name) + " ", shown: m.Name})
		}
	}
}

// quotedName puts quotes around a name with blanks.
func quotedName(name string) string {
	if strings.ContainsAny(name, " \t") {
		return `"` + name + `"`
	}
	return name
}

// popupKey takes a key while the popup is open.
func (u *ui) popupKey(a keys.Action) (tea.Cmd, bool) {
	n := len(u.popup.rows)
	switch a {
	case keys.Up:
		u.popup.row = (u.popup.row - 1 + n) % n
	case keys.Down:
		u.popup.row = (u.popup.row + 1) % n
	case keys.Complete:
		u.insertOffer()
	case keys.Send:
		o := u.popup.rows[u.popup.row]
		written := strings.TrimSpace(string([]rune(u.editor.Before())[u.popup.start:]))
		if strings.TrimSpace(o.insert) == written { // it is complete: send it
			u.popup = popup{}
			return nil, false
		}
		u.insertOffer()
		if strings.HasPrefix(o.insert, "/") && !strings.HasSuffix(o.insert, " ") { // a command without arguments
			return u.enter(), true
		}
	case keys.Close:
		u.popup = popup{shut: string([]rune(u.editor.Before())[u.popup.start:])}
	default:
		return nil, false
	}
	return nil, true
}

// insertOffer replaces the word by the chosen row.
func (u *ui) insertOffer() {
	o := u.popup.rows[u.popup.row]
	for range u.popup.end - u.popup.start {
		u.editor.Backspace()
	}
	u.editor.Insert(o.insert)
	u.popup = popup{}
	u.complete()
}

func (u *ui) popupLines(most int) (lines []text.Line) {
	p := &u.popup
	if !p.open() || u.questions.Focused() {
		return nil
	}
	name := 0
	for _, o := range p.rows {
		name = max(name, text.Width(o.shown))
	}
	first := max(p.row-most+1, 0)
	for i := first; i < len(p.rows) && i < first+most; i++ {
		o := p.rows[i]
		mark := "    "
		if i == p.row {
			mark = "  › "
		}
		l := text.Line{text.In(text.Accent, mark), text.In(text.Plain, o.shown)}
		if o.about != "" {
			l = append(l.Pad(name+6, text.Style{}), text.In(text.Dim, o.about))
		}
		if l = l.Cut(min(u.width-1, 100)); i == p.row {
			l = l.Pad(min(u.width-1, 100), text.Style{}).On(text.Chosen)
		}
		lines = append(lines, l)
	}
	return lines
}

// background work of a command: do runs in a goroutine of its own, and what it gives changes the screen.
func later(do func() func(*ui) tea.Cmd) tea.Cmd {
	return func() tea.Msg { return done{do()} }
}
