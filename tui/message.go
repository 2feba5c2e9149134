package tui

import (
	"cmp"
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/tool"
	"rein/tui/attach"
	"rein/tui/inline"
	"rein/tui/scroll"
	"rein/tui/text"
)

// sendWritten sends a message. Images and PDF files that it names with an @ go with it.
func (u *ui) sendWritten(message string) tea.Cmd {
	if strings.HasPrefix(message, "//") { // a message that begins with a slash
		message = message[1:]
	}
	attached, problem := attach.Read(u.o.Harness.Root(), message)
	if problem != "" {
		u.hint = problem
	}
	cmd := u.send(message, attached)
	u.attached = attached
	return cmd
}

// The most cells of an image, beside what the terminal has room for.
const (
	mostImageCols = 60
	mostImageRows = 18
)

// drawImages draws the images of a message or a result, where the terminal can. Their names are shown in any case.
func (u *ui) drawImages(parts []tool.Part) {
	for _, p := range parts {
		if p.Kind != tool.ImagePart || len(p.Data) == 0 {
			continue
		}
		u.print(scroll.Tight, text.Of(text.Dim, "      "+text.OneLine(cmp.Or(p.Name, "image")+"  "+inline.Size(p.Data))).Cut(u.width-1))
		seq, width, height, err := inline.Draw(u.images, p.Data, min(u.textWidth()-6, mostImageCols), min(u.room(), mostImageRows))
		if err == nil {
			u.scroll.Image(inline.Block(seq, width, height, 6))
		}
	}
}

func jsonString(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}
