package server

import (
	"crypto/rand"
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"rein/app/server/api"
	"rein/tool"
)

// Bounds.
const (
	mostWaiting = 100       // files of a session that wait for a message
	sizeWaiting = 100 << 20 // bytes of them all
	mostText    = 256 << 10 // bytes of one text
)

// The errors of Add and Take.
var (
	errKind         = errors.New("only images, PDF files and texts can go with a message")
	errLong         = errors.New("a text that goes with a message has at most 256 KiB: put it into the workspace")
	errNoAttachment = errors.New("an attachment is not there any more: add it again")
)

// attachedFile is an uploaded file.
type attachedFile struct {
	api.Attachment `json:"about"`

	Part tool.Part `json:"part"`
}

// attachedFiles are those that wait for a message, the oldest first. The zero value is empty. The caller holds a lock.
type attachedFiles []attachedFile

// Message is a text with the files that go with it.
type Message struct {
	Text  string
	Parts []tool.Part // images and documents
}

// Add keeps a file. The oldest makes room when there are too many. It fails with errKind and errLong.
func (all *attachedFiles) Add(name string, data []byte) (attachedFile, error) {
	f := attachedFile{Attachment: api.Attachment{ID: rand.Text(), Name: path.Base(strings.ReplaceAll(name, "\\", "/")), Size: len(data), Type: http.DetectContentType(data)}}
	f.Part = tool.Part{MediaType: f.Type, Data: data, Name: f.Name}
	switch kind, _, _ := strings.Cut(f.Type, ";"); {
	case slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind):
		f.Part.Kind = tool.ImagePart
	case kind == "application/pdf":
		f.Part.Kind = tool.DocumentPart
	case !utf8.Valid(data) || slices.Contains(data, 0):
		return attachedFile{}, errKind
	case len(data) > mostText:
		return attachedFile{}, errLong
	default:
		f.Type = "text/plain"
		f.Part = tool.Part{Kind: tool.TextPart, Text: string(data), Name: f.Name}
	}
	*all = append(*all, f)
	for size := all.size(); len(*all) > 1 && (len(*all) > mostWaiting || size > sizeWaiting); *all = (*all)[1:] {
		size -= (*all)[0].Size
	}
	return f, nil
}

// size is the sum of the sizes.
func (all attachedFiles) size() (n int) {
	for _, f := range all {
		n += f.Size
	}
	return n
}

// Take takes the files that a message names: they do not wait any more. It fails with errNoAttachment, and then takes none.
func (all *attachedFiles) Take(ids []string) (taken attachedFiles, err error) {
	for _, id := range ids {
		i := slices.IndexFunc(*all, func(f attachedFile) bool { return f.ID == id })
		if i < 0 {
			return nil, errNoAttachment
		}
		taken = append(taken, (*all)[i])
	}
	*all = slices.DeleteFunc(slices.Clone(*all), func(f attachedFile) bool { return slices.Contains(ids, f.ID) })
	return taken, nil
}

// Message puts the files into a message: texts after its own text, images and documents beside it.
func (all attachedFiles) Message(text string) Message {
	m := Message{Text: text}
	for _, f := range all {
		if f.Part.Kind == tool.TextPart {
			m.Text += "\n\n" + fenceText(f.Part.Name, f.Part.Text)
		} else {
			m.Parts = append(m.Parts, f.Part)
		}
	}
	return m
}

// shown are the files as clients see them.
func (all attachedFiles) shown() (out []api.Attachment) {
	for _, f := range all {
		out = append(out, f.Attachment)
	}
	return out
}

// fenceText is a text with its name, between fences that are longer than any in it.
func fenceText(name, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	name = strings.Map(func(r rune) rune {
		if r < ' ' {
			return '_'
		}
		return r
	}, name)
	return "File " + name + ":\n" + fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
