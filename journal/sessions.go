package journal

import (
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"rein/event"
)

// NewID makes the id of a session: its time to the second, and five random letters or digits.
func NewID(now time.Time) string {
	var b [5]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	random := strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))[:5]
	return now.UTC().Format("20060102-150405") + "-" + random
}

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// ErrNoSession means that no session has that id.
var ErrNoSession = errors.New("no such session")

// Dir gives the directory of a session below the directory of all sessions. An id with other characters than letters,
// digits and '-' is refused, so that no id names a place outside root.
func Dir(root, id string) (string, error) {
	if !idPattern.MatchString(id) {
		return "", fmt.Errorf("%w: %q", ErrNoSession, id)
	}
	return filepath.Join(root, id), nil
}

// Summary is a session in a list.
type Summary struct {
	ID    string    `json:"id"`
	Start time.Time `json:"start"`
	Last  time.Time `json:"last"`
	Dir   string    `json:"dir"`   // the workspace
	Model string    `json:"model"` // provider/name
	Title string    `json:"title"` // the user's first message; without one, the first call

	Parent string `json:"parent,omitempty"` // id of the parent session, when the session is a sub-agent's

	Calls int        `json:"calls"`
	Stop  event.Stop `json:"stop"` // "" while it runs, or after a crash
	Torn  bool       `json:"torn,omitempty"`

	Damaged int    `json:"damaged,omitempty"` // lines that cannot be read
	Bad     string `json:"bad,omitempty"`     // why the journal cannot be read to its end
}

// List gives the sessions below root, newest first. A journal that cannot be read is listed with what it has and why.
func List(root string) ([]Summary, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Summary
	for _, e := range entries {
		name := filepath.Join(root, e.Name(), FileName)
		if _, err := os.Stat(name); err == nil && idPattern.MatchString(e.Name()) {
			all = append(all, summarise(e.Name(), name))
		}
	}
	slices.SortFunc(all, func(a, b Summary) int {
		if c := b.Last.Compare(a.Last); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return all, nil
}

func summarise(id, name string) Summary {
	s := Summary{ID: id}
	for e, err := range Read(name) {
		if err != nil {
			s.Torn = errors.Is(err, ErrTorn)
			if !s.Torn {
				s.Bad = err.Error()
			}
			break
		}
		s.add(e)
	}
	return s
}

func (s *Summary) add(e event.Event) {
	if e.Kind == event.Damaged {
		s.Damaged++
		return
	}
	s.Last = e.Time
	s.Parent = e.Parent
	switch e.Kind {
	case event.Started:
		if s.Start.IsZero() {
			s.Start = e.Time
		}
		if e.Start != nil {
			s.Dir, s.Model = e.Start.Dir, e.Start.Model
		}
		s.Stop = ""
	case event.Prompted:
		if s.Title == "" {
			s.Title = e.Text
		}
		s.Stop = ""
	case event.Called:
		if s.Calls++; s.Title == "" && e.Call != nil {
			s.Title = e.Call.Name + " " + string(e.Call.Args)
		}
	case event.Stopped:
		s.Stop = e.Stop
	}
}
