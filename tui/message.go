package tui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/harness"
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
	var attached []tool.Part
	if u.o.Harness != nil { // files of a server its model reads there
		var problem string
		if attached, problem = attach.Read(u.root(), message); problem != "" {
			u.hint = problem
		}
	}
	for i, p := range u.clips {
		if strings.Contains(message, clipName(i, p)) {
			attached = append(attached, p)
		}
	}
	u.clips = nil
	cmd := u.send(message, attached)
	u.attached = attached
	return cmd
}

// clipName is what the line has for an image of the clipboard, or another file.
func clipName(i int, p tool.Part) string {
	if p.Kind == tool.ImagePart {
		return fmt.Sprintf("[image %d]", i+1)
	}
	return fmt.Sprintf("[file %d]", i+1)
}

// addClip lets a file go with the message as long as the line names it.
func (u *ui) addClip(p tool.Part) {
	u.editor.Insert(clipName(len(u.clips), p) + " ")
	u.clips = append(u.clips, p)
}

// addFile lets a file of this machine go with the message.
func (u *ui) addFile(path string) tea.Cmd {
	p, err := attach.File(path)
	switch {
	case err != nil:
		u.hint = err.Error()
	case u.o.Harness == nil || p.Kind == tool.ImagePart || p.MediaType == "application/pdf":
		u.addClip(p)
	default:
		u.hint = "only images and PDF files go with a message: name a text with @, and the model reads it"
	}
	return nil
}

// mostClips is how many images of the clipboard go with a message.
const mostClips = 20

// pasteImage takes the image in the clipboard. Its name in the line can be removed again.
func (u *ui) pasteImage() tea.Cmd {
	ctx, n := u.ctx, len(u.clips)
	if n >= mostClips {
		u.hint = fmt.Sprintf("a message takes %d images of the clipboard", mostClips)
		return nil
	}
	return later(func() func(*ui) tea.Cmd {
		p, err := attach.Clipboard(ctx, harness.Environ(), fmt.Sprintf("clipboard-%d", n+1))
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.hint = err.Error()
				return nil
			}
			u.addClip(p)
			return nil
		}
	})
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
