// Package attached keeps uploaded files until a message names them.
package attached

import (
	"crypto/rand"
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"rein/tool"
)

// Bounds.
const (
	Most     = 10        // files that wait, and that go with one message
	MostText = 256 << 10 // bytes of one text
)

// The errors of Add and Take.
var (
	ErrKind = errors.New("only images, PDF files and texts can go with a message")
	ErrLong = errors.New("a text that goes with a message has at most 256 KiB: put it into the workspace")
	ErrNone = errors.New("an attachment is not there any more: add it again")
)

// File is an uploaded file.
type File struct {
	ID   string
	Name string
	Type string // media type, by the content
	Size int    // in bytes
	part tool.Part
}

// Files are those that wait for a message, the oldest first. The zero value is empty. The caller holds a lock.
type Files []File

// Message is a text with the files that go with it.
type Message struct {
	Text  string
	Parts []tool.Part // images and documents
}

// Add keeps a file. The oldest makes room when there are too many. It fails with ErrKind and ErrLong.
func (all *Files) Add(name string, data []byte) (File, error) {
	f := File{ID: rand.Text(), Name: path.Base(strings.ReplaceAll(name, "\\", "/")), Size: len(data), Type: http.DetectContentType(data)}
	f.part = tool.Part{MediaType: f.Type, Data: data, Name: f.Name}
	switch kind, _, _ := strings.Cut(f.Type, ";"); {
	case slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind):
		f.part.Kind = tool.ImagePart
	case kind == "application/pdf":
		f.part.Kind = tool.DocumentPart
	case !utf8.Valid(data) || slices.Contains(data, 0):
		return File{}, ErrKind
	case len(data) > MostText:
		return File{}, ErrLong
	default:
		f.Type = "text/plain"
		f.part = tool.Part{Kind: tool.TextPart, Text: string(data), Name: f.Name}
	}
	*all = append((*all)[max(0, len(*all)+1-Most):], f)
	return f, nil
}

// Take puts files into a message: texts after its own text, images and documents beside it. They do not wait any more. It
// fails with ErrNone, and then takes none.
func (all *Files) Take(text string, ids []string) (Message, error) {
	m := Message{Text: text}
	for _, id := range ids {
		i := slices.IndexFunc(*all, func(f File) bool { return f.ID == id })
		if i < 0 {
			return Message{}, ErrNone
		}
		if p := (*all)[i].part; p.Kind == tool.TextPart {
			m.Text += "\n\n" + fenced(p.Name, p.Text)
		} else {
			m.Parts = append(m.Parts, p)
		}
	}
	*all = slices.DeleteFunc(*all, func(f File) bool { return slices.Contains(ids, f.ID) })
	return m, nil
}

// fenced is a text with its name, between fences that are longer than any in it.
func fenced(name, text string) string {
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
