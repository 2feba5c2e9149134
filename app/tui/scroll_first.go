package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rein/app/tui/text"
)

// drawFirst draws the header and the live part with its cursor, before the program does. The rows are made first, so that the saved
// position of the cursor stays true.
func drawFirst(header, content string, x, y int) string {
	var b strings.Builder
	below := strings.Count(content, "\n")
	rows := strings.Count(header, "\n") + below
	b.WriteString(strings.Repeat("\r\n", rows) + ansi.CursorUp(rows) + ansi.SaveCursor + header)
	b.WriteString(strings.ReplaceAll(content, "\n", "\r\n"))
	if up := below - y; up > 0 {
		b.WriteString(ansi.CursorUp(up))
	}
	b.WriteString("\r" + ansi.CursorForward(x) + ansi.SetModeBracketedPaste)
	return b.String()
}

// eraseLive returns what removes the live part after the terminal has laid it out again in width columns, and leaves the cursor where the
// renderer believes it is.
func eraseLive(live []text.Line, width, x, y int) string {
	above := 0
	for i, l := range live {
		if i == y {
			break
		}
		above += max((l.Width()+width-1)/width, 1)
	}
	above += x / width
	var b strings.Builder
	b.WriteString("\r")
	if above > 0 {
		b.WriteString(ansi.CursorUp(above))
	}
	b.WriteString(ansi.EraseScreenBelow)
	b.WriteString(strings.Repeat("\n", y))
	return b.String()
}
