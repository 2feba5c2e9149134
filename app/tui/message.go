package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/app/harness"
	"rein/tool"
)

// sendWritten sends a message. Images and PDF files that it names with an @ go with it.
func sendWritten(u *ui, message string) tea.Cmd {
	message, attached := u.written(message)
	cmd := u.send(message, attached)
	u.talk.attached = attached
	return cmd
}

// written is what a line says, with the files that it names.
func (u *ui) written(message string) (string, []tool.Part) {
	if strings.HasPrefix(message, "//") { // a message that begins with a slash
		message = message[1:]
	}
	var attached []tool.Part
	if !u.o.Place.Elsewhere() { // files of a server its model reads there
		var problem string
		if attached, problem = readAttached(u.root(), message); problem != "" {
			u.hint = problem
		}
	}
	return message, append(attached, u.line.clipped(message)...)
}

// addFile lets a file of this machine go with the message.
func addFile(u *ui, path string) tea.Cmd {
	p, err := attachFile(path)
	switch {
	case path == "":
		u.hint = "/file and the path of an image or a PDF file"
	case err != nil:
		u.hint = u.words.Message(err.Error())
	case u.o.Place.Elsewhere() || p.Kind == tool.ImagePart || p.MediaType == "application/pdf":
		u.line.clip(p)
	default:
		u.hint = "only images and PDF files go with a message: name a text with @, and the model reads it"
	}
	return nil
}

// mostClips is how many images of the clipboard go with a message.
const mostClips = 20

// pasteImage takes the image in the clipboard. Its name in the line can be removed again.
func pasteImage(u *ui) tea.Cmd {
	ctx, n := u.ctx, len(u.line.clips)
	if n >= mostClips {
		u.hint = u.words.Of("a message takes %d images of the clipboard", mostClips)
		return nil
	}
	return later(func() func(*ui) tea.Cmd {
		p, err := attachClipboard(ctx, harness.Environ(), fmt.Sprintf("clipboard-%d", n+1))
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.hint = u.words.Message(err.Error())
				return nil
			}
			u.line.clip(p)
			return nil
		}
	})
}
