package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/app/session"
	"rein/app/tui/input"
	"rein/app/tui/text"
	"rein/tool"
)

// line is the line in which the user writes: its text, vi's keys for it, what was written before, what completes the word at the
// cursor, and the images and files that it names.
type line struct {
	input.Editor
	history *input.History
	words   text.Words

	vi       bool     // Esc begins normal mode
	normal   bool     // letters are commands of vi
	commands input.Vi // what is typed of one

	popup  input.Popup
	custom []input.Offer // slash commands of files and skills
	agents []input.Offer // the kinds of sub-agents that can be used
	files  *input.List   // of the workspace; nil: not read yet
	reads  bool          // the files are being read

	clips []tool.Part            // images of the clipboard and other files that the line names
	sent  map[string][]tool.Part // those of messages that may come back, by message
	aside *input.Editor          // what was written before the line was for a request; nil: nothing
}

// lend empties the line for what is written about a request.
func (l *line) lend() {
	if l.aside == nil && !l.Empty() {
		aside := l.Editor
		l.aside = &aside
	}
	l.next()
}

// restore puts what was written before a request into the line again, below what is there.
func (l *line) restore() {
	switch {
	case l.aside == nil:
	case l.Empty():
		l.Editor = *l.aside
	default:
		l.add(l.aside.Text())
	}
	l.aside = nil
}

// next empties the line.
func (l *line) next() {
	l.Editor, l.normal, l.popup = l.Editor.Next(), false, input.Popup{}
}

// remember puts a message into the history, and returns why it cannot.
func (l *line) remember(message string) (problem string) {
	if err := l.history.Add(message); err != nil {
		return l.words.Of("the history cannot be written: %v", err)
	}
	return ""
}

// Up moves up in the line; in its first row it goes back in the history.
func (l *line) Up(width int) {
	if l.Editor.Up(width) {
		return
	}
	if s, ok := l.history.Older(l.Text()); ok {
		l.Set(s)
	}
}

// Down moves down in the line; in its last row it goes forth in the history.
func (l *line) Down(width int) {
	if l.Editor.Down(width) {
		return
	}
	if s, ok := l.history.Newer(l.Text()); ok {
		l.Set(s)
	}
}

// add puts a text below what is written. A message that comes back has its files again.
func (l *line) add(s string) {
	s = l.clipAgain(s)
	if !l.Empty() {
		l.End()
		l.Insert("\n")
	}
	l.Insert(s)
}

// backslashed makes a new line of an Enter behind a backslash.
func (l *line) backslashed() bool {
	if !strings.HasSuffix(l.Before(), "\\") || l.After() != "" {
		return false
	}
	l.Backspace()
	l.Insert("\n")
	return true
}

// defines reports whether a file, a feature or a skill defines a slash command.
func (l *line) defines(name string) bool {
	for _, o := range l.custom {
		if strings.TrimSpace(o.Insert) == "/"+name {
			return true
		}
	}
	return false
}

// mostOffers is how many files are offered.
const mostOffers = 8

// complete finds what completes the word at the cursor: a command at the start of the line, or a sub-agent or a file after
// an @.
func (l *line) complete() {
	popup, word, start := l.popup.At(&l.Editor)
	switch {
	case strings.HasPrefix(word, "/") && start == 0 && !strings.Contains(word[1:], "/"):
		popup.Rows = append(input.Fitting(commandOffers(l.words), word), input.Fitting(l.custom, word)...)
	case strings.HasPrefix(word, "@") && l.files != nil:
		popup.Rows = input.Fitting(l.agents, word)
		for _, m := range l.files.Find(word[1:], mostOffers) {
			popup.Rows = append(popup.Rows, input.Offer{Insert: "@" + input.Quoted(m.Name) + " ", Shown: text.OneLine(m.Name)})
		}
	}
	l.popup = popup
}

// beginsName reports whether the cursor is behind an @ that begins a word.
func (l *line) beginsName() bool {
	_, word, _ := l.popup.At(&l.Editor)
	return word == "@"
}

// popupKey takes a key while the popup is open. send is set where it has completed a line that is to be sent.
func (l *line) popupKey(a text.Action) (taken, send bool) {
	switch a {
	case text.Up:
		l.popup.Move(-1)
	case text.Down:
		l.popup.Move(1)
	case text.Complete:
		l.insertOffer()
	case text.Send:
		o, _ := l.popup.Chosen()
		if strings.TrimSpace(o.Insert) == strings.TrimSpace(l.popup.Written(l.Before())) { // it is complete: send it
			l.popup = input.Popup{}
			return false, false
		}
		l.insertOffer()
		return true, strings.HasPrefix(o.Insert, "/") && !strings.HasSuffix(o.Insert, " ") // a command without arguments
	case text.Close:
		l.popup = input.Shut(l.popup.Written(l.Before()))
	default:
		return false, false
	}
	return true, false
}

// insertOffer replaces the word by the chosen row.
func (l *line) insertOffer() {
	o, replaces := l.popup.Chosen()
	for range replaces {
		l.Backspace()
	}
	l.Insert(o.Insert)
	l.popup = input.Popup{}
	l.complete()
}

// normalKey takes a key of vi's normal mode that has no letter, or that ends the mode. taken is false where it does what it always
// does; letter is set where the key is a letter of a command.
func (l *line) normalKey(k tea.KeyPressMsg) (taken, letter bool) {
	r := []rune(k.Text)
	switch key := k.Keystroke(); {
	case key == "ctrl+r":
		l.Redo()
		return true, false
	case key == "backspace":
		l.Left()
		return true, false
	case len(r) != 1 || k.Mod&(tea.ModCtrl|tea.ModAlt) != 0:
		l.commands.Reset()
		return false, false
	case l.Empty() && l.commands.Pending() == "" && strings.ContainsRune("/?!#@", r[0]):
		l.normal = false
		return false, false
	}
	return true, true
}

// clip lets an image or another file go with the message as long as the line names it.
func (l *line) clip(p tool.Part) {
	l.Insert(clipName(len(l.clips), p) + " ")
	l.clips = append(l.clips, p)
}

// clipAgain takes the files of a message that comes back, and names them behind those that the line has.
func (l *line) clipAgain(message string) string {
	sent := ""
	for own := range l.sent {
		if strings.HasPrefix(message, own) && len(own) > len(sent) { // outputs of commands follow it
			sent = own
		}
	}
	before, clips := len(l.clips), l.sent[sent]
	l.clips = append(l.clips, clips...)
	for i := len(clips) - 1; i >= 0; i-- { // the last first: no new name is one that is still to be replaced
		message = strings.ReplaceAll(message, clipName(i, clips[i]), clipName(before+i, clips[i]))
	}
	delete(l.sent, sent)
	return message
}

// clipped returns what a message names, and forgets the rest.
func (l *line) clipped(message string) (parts []tool.Part) {
	for i, p := range l.clips {
		if strings.Contains(message, clipName(i, p)) {
			parts = append(parts, p)
		}
	}
	if len(parts) > 0 {
		if l.sent == nil {
			l.sent = map[string][]tool.Part{}
		}
		l.sent[message] = l.clips
	}
	l.clips = nil
	return parts
}

// clipName is what the line has for an image of the clipboard, or another file.
func clipName(i int, p tool.Part) string {
	if p.Kind == tool.ImagePart {
		return fmt.Sprintf("[image %d]", i+1)
	}
	return fmt.Sprintf("[file %d]", i+1)
}

// lines lays the line out behind a mark, at most most rows of it around the cursor. The placeholder stands in an empty one.
func (l *line) lines(most, width int, mark, placeholder string) ([]text.Line, caret) {
	rows, y, x := l.Rows(rowWidth(width))
	first := 0
	if len(rows) > most {
		first = min(max(y-most/2, 0), len(rows)-most)
		rows = rows[first : first+most]
	}
	lines := make([]text.Line, len(rows))
	for i, r := range rows {
		lead := text.In(text.Plain, "  ")
		if i+first == 0 {
			lead = text.Bold(text.Accent, mark+" ")
		}
		lines[i] = append(text.Line{lead}, r...)
	}
	if l.Empty() {
		lines[0] = append(lines[0], text.In(text.Dim, placeholder)).Cut(width - 1)
	}
	return lines, caret{x + 2, y - first}
}

// rowWidth is the width of a row of the line on a screen.
func rowWidth(width int) int { return max(width-4, 8) }

// mostFiles is how many files are read for completion.
const mostFiles = 200_000

// readFiles reads the files of the workspace in the background, and the kinds of sub-agents that can be used. Files come and go, so they are
// read each time that the user begins to name one.
func readFiles(u *ui) tea.Cmd {
	if u.line.reads {
		return nil
	}
	u.line.reads = true
	ctx, s, where := u.ctx, u.session, u.o.Place
	return later(func() func(*ui) tea.Cmd {
		names, err := s.Files(ctx, mostFiles)
		files, agents := input.NewList(names), []input.Offer(nil)
		kinds, noKinds := where.Agents()
		for _, a := range kinds { // a message that names one asks the model to give it work
			if noKinds == nil && a.Problem == "" && a.HiddenBy == "" && !a.Untrusted {
				agents = append(agents, input.Offer{Insert: "@" + a.Name + " ", Shown: "@" + text.OneLine(a.Name), About: "sub-agent: " + text.OneLine(a.Description)})
			}
		}
		return func(u *ui) tea.Cmd {
			if u.line.reads, u.line.agents = false, agents; err == nil || u.line.files == nil {
				u.line.files = files
			}
			was := u.line.popup
			u.line.complete()
			u.line.popup.Keep(was)
			return nil
		}
	})
}

// readCommands looks for the slash commands of files and skills, for completion.
func readCommands(s session.Session) tea.Cmd {
	return later(func() func(*ui) tea.Cmd {
		var rows []input.Offer
		for _, c := range s.Commands() {
			o := input.Offer{Insert: "/" + c.Name, Shown: "/" + text.OneLine(c.Name), About: text.OneLine(c.About)}
			if c.Hint != "" {
				o.Insert += " "
				o.Shown += " " + text.OneLine(c.Hint)
			}
			rows = append(rows, o)
		}
		return func(u *ui) tea.Cmd { u.line.custom = rows; return nil }
	})
}
