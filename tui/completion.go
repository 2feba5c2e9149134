package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/tui/complete"
	"rein/tui/keys"
	"rein/tui/text"
)

// mostFiles is how many files are read for completion, and mostOffers how many are shown.
const (
	mostFiles  = 200_000
	mostOffers = 8
)

// filesRead brings the files of the workspace, and the kinds of sub-agents that can be used.
type filesRead struct {
	list   *complete.List
	agents []complete.Offer
}

// readFiles reads the files of the workspace in the background.
func (u *ui) readFiles() tea.Cmd {
	ctx, s, h := u.ctx, u.session, u.o.Harness // no harness: the kinds are those of a server
	return func() tea.Msg {
		names, err := s.Files(ctx, mostFiles)
		if err != nil {
			names = nil
		}
		read := filesRead{list: complete.NewList(names)}
		if h == nil {
			return read
		}
		kinds, err := h.Agents()
		for _, a := range kinds { // a message that names one asks the model to give it work
			if err == nil && a.Problem == "" && a.HiddenBy == "" && !a.Untrusted {
				read.agents = append(read.agents, complete.Offer{Insert: "@" + a.Name + " ", Shown: "@" + text.OneLine(a.Name), About: "sub-agent: " + text.OneLine(a.Description)})
			}
		}
		return read
	}
}

// readCommands looks for the slash commands of files and skills, for completion.
func (u *ui) readCommands() tea.Cmd {
	s := u.session
	return later(func() func(*ui) tea.Cmd {
		var rows []complete.Offer
		for _, c := range s.SlashCommands() {
			o := complete.Offer{Insert: "/" + c.Name, Shown: "/" + text.OneLine(c.Name), About: text.OneLine(c.About)}
			if c.Hint != "" {
				o.Insert += " "
				o.Shown += " " + text.OneLine(c.Hint)
			}
			rows = append(rows, o)
		}
		return func(u *ui) tea.Cmd { u.custom = rows; return nil }
	})
}

// complete finds what completes the word at the cursor: a command at the start of the line, or a sub-agent or a file after
// an @.
func (u *ui) complete() {
	popup, word, start := u.popup.At(u.editor.Before())
	switch {
	case strings.HasPrefix(word, "/") && start == 0 && !strings.Contains(word[1:], "/"):
		popup.Rows = append(complete.Fitting(commandOffers(), word), complete.Fitting(u.custom, word)...)
	case strings.HasPrefix(word, "@") && u.files != nil:
		popup.Rows = complete.Fitting(u.agents, word)
		for _, m := range u.files.Find(word[1:], mostOffers) {
			popup.Rows = append(popup.Rows, complete.Offer{Insert: "@" + complete.Quoted(m.Name) + " ", Shown: m.Name})
		}
	}
	u.popup = popup
}

// popupKey takes a key while the popup is open.
func (u *ui) popupKey(a keys.Action) (tea.Cmd, bool) {
	switch a {
	case keys.Up:
		u.popup.Move(-1)
	case keys.Down:
		u.popup.Move(1)
	case keys.Complete:
		u.insertOffer()
	case keys.Send:
		o, _ := u.popup.Chosen()
		if strings.TrimSpace(o.Insert) == strings.TrimSpace(u.popup.Written(u.editor.Before())) { // it is complete: send it
			u.popup = complete.Popup{}
			return nil, false
		}
		u.insertOffer()
		if strings.HasPrefix(o.Insert, "/") && !strings.HasSuffix(o.Insert, " ") { // a command without arguments
			return u.enter(), true
		}
	case keys.Close:
		u.popup = complete.Shut(u.popup.Written(u.editor.Before()))
	default:
		return nil, false
	}
	return nil, true
}

// insertOffer replaces the word by the chosen row.
func (u *ui) insertOffer() {
	o, replaces := u.popup.Chosen()
	for range replaces {
		u.editor.Backspace()
	}
	u.editor.Insert(o.Insert)
	u.popup = complete.Popup{}
	u.complete()
}

func (u *ui) popupLines(most int) []text.Line {
	if u.questions.Focused() {
		return nil
	}
	return u.popup.Lines(most, min(u.width-1, 100))
}
