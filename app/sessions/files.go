package sessions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"rein/journal"
)

// Export writes a session as a document in one of its formats.
func (s *Store) Export(w io.Writer, id string, format TranscriptFormat) error {
	about, err := s.Get(id)
	if err != nil {
		return err
	}
	a := transcriptAbout{ID: id, Name: about.Name, Title: about.Title, Dir: about.Dir, Model: about.Model, Tags: about.Tags, Start: about.Start, Last: about.Last,
		Messages: about.Messages, Calls: about.Calls, Usage: about.Usage}
	return writeTranscript(w, format, a, s.Events(id, 0))
}

// Import says how a session file is imported.
type Import struct {
	ID   string                   // of the new session; "" makes one
	Dir  string                   // its workspace; "" is the one that the file names
	Mask func(line []byte) []byte // hides secrets in what is recorded: see journal.File
}

// Imported is what was made of a session file.
type Imported struct {
	ID       string `json:"id"`
	Program  string `json:"program"`
	From     string `json:"from,omitempty"` // its id in the other program
	Dir      string `json:"dir"`
	Messages int    `json:"messages"` // of the user
	Calls    int    `json:"calls"`
	Lost     []Lost `json:"lost,omitempty"` // what could not be converted, and what was left out on purpose
}

// ErrNoDir means that a session file names no workspace.
var ErrNoDir = errors.New("the file names no directory for the session")

// Import makes a session of the text of a session file: see readTranscript. It is history: no approval, rule, mode or model
// comes from the file.
func (s *Store) Import(text []byte, o Import) (Imported, error) {
	t, err := readTranscript(text)
	if err != nil {
		return Imported{}, err
	}
	in := Imported{ID: o.ID, Program: t.Program, From: t.ID, Dir: t.Dir, Lost: t.Lost}
	if in.ID == "" {
		in.ID = journal.NewID(time.Now())
	}
	if o.Dir != "" {
		in.Dir = o.Dir
	}
	if in.Dir == "" || !filepath.IsAbs(in.Dir) {
		return in, ErrNoDir
	}
	err = journal.Make(s.dirs.Sessions, in.ID, func(f *journal.File) error {
		f.Mask = o.Mask
		for i := range t.Events {
			e := &t.Events[i]
			if e.Session = in.ID; e.Start != nil {
				e.Start.Dir = in.Dir
			}
		}
		return f.Append(t.Events...)
	})
	if err != nil {
		return in, fmt.Errorf("import: %w", err)
	}
	made, err := s.Get(in.ID)
	in.Messages, in.Calls = made.Messages, made.Calls
	if err == nil && t.Name != "" && checkNote("name", t.Name) == nil {
		if name, nerr := s.freeName(t.Name); nerr != nil {
			in.Lost = append(in.Lost, Lost{What: "names", Count: 1})
		} else {
			err = s.SetName(in.ID, name)
		}
	}
	if err == nil && len(t.Tags) > 0 {
		if _, terr := s.Tag(in.ID, t.Tags, nil); terr != nil {
			in.Lost = append(in.Lost, Lost{What: "tags", Count: len(t.Tags)})
		}
	}
	return in, err
}

// freeName returns the name, or the name with a number where another session has it: a name that two sessions have names neither.
func (s *Store) freeName(name string) (free string, err error) {
	for n := 1; n <= maxNamesakes; n++ {
		if free = name; n > 1 {
			free = fmt.Sprintf("%s (%d)", name, n)
		}
		taken := false
		err = s.indexed(func(x *index) error {
			all, err := x.Named(context.Background(), free)
			taken = slices.ContainsFunc(all, func(o Session) bool { return o.Name == free })
			return err
		})
		if err != nil || !taken && checkNote("name", free) == nil {
			return free, err
		}
	}
	return "", errors.New("too many sessions have the name")
}

// maxNamesakes is how many sessions with the names NAME, NAME (2), … an import looks at.
const maxNamesakes = 100
