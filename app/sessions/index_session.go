package sessions

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"rein/event"
	"rein/internal/plainfile"
	"rein/journal"
)

// Session is a session in a list.
type Session struct {
	ID    string    `json:"id"`
	Start time.Time `json:"start"`
	Last  time.Time `json:"last"`
	Dir   string    `json:"dir"`             // the workspace
	Model string    `json:"model,omitempty"` // provider/name
	Title string    `json:"title"`           // from a model, or the user's first message; without one, the first call
	Name  string    `json:"name,omitempty"`  // the user's own
	Tags  []string  `json:"tags,omitempty"`

	Parent string        `json:"parent,omitempty"` // id of the parent session, when the session is a sub-agent's
	Origin *event.Origin `json:"origin,omitempty"` // what it is a fork of, or where it was imported from

	Messages int `json:"messages"` // of the user
	CallCount
	Failed int         `json:"failed,omitempty"` // calls that failed
	Usage  event.Usage `json:"usage,omitzero"`
	Stop   event.Stop  `json:"stop"`            // "" while it runs, or after a crash
	Bytes  int64       `json:"bytes,omitempty"` // of the journal

	Torn    bool   `json:"torn,omitempty"`
	Damaged int    `json:"damaged,omitempty"` // lines that cannot be read
	Bad     string `json:"bad,omitempty"`     // why the journal cannot be read to its end
}

// CallCount counts the calls of a session, each once: one that continues after a restart, or that the user changed, is recorded again.
type CallCount struct {
	Calls int      `json:"calls"`
	Open  []string `json:"open,omitempty"` // ids of those that have no result yet
}

// See takes the next event of the session.
func (c *CallCount) See(e *event.Event) {
	switch {
	case e.Call == nil:
	case e.Kind == event.Called && !slices.Contains(c.Open, e.Call.ID):
		c.Calls++
		c.Open = append(c.Open, e.Call.ID)
	case e.Kind == event.Replied:
		c.Open = slices.DeleteFunc(c.Open, func(id string) bool { return id == e.Call.ID })
	}
}

// forkMark begins the title of a fork, which has the messages of the other session.
const forkMark = "Fork: "

// mostTitle is the length of a title, in characters.
const mostTitle = 80

// add counts an event in.
func (s *Session) add(e *event.Event) {
	if e.Kind == event.Damaged {
		s.Damaged++
		return
	}
	if e.Time.After(s.Last) {
		s.Last = e.Time
	}
	if e.Parent != "" {
		s.Parent = e.Parent
	}
	s.See(e)
	switch e.Kind {
	case event.Started, event.Changed:
		if s.Start.IsZero() {
			s.Start = e.Time
		}
		if e.Start != nil {
			s.Dir, s.Model = e.Start.Dir, e.Start.Model
		}
	case event.Forked, event.Imported:
		s.Origin = e.Origin
		if e.Kind == event.Forked && s.Title != "" {
			s.Title = TitleOf(forkMark + strings.TrimPrefix(s.Title, forkMark))
		}
	case event.Prompted:
		if s.Messages++; s.Messages == 1 || s.Title == "" { // in place of a call that the user made before
			s.Title = cmp.Or(TitleOf(e.Text), s.Title)
		}
		s.Stop = ""
	case event.Called:
		s.Stop = ""
		if s.Title == "" && e.Call != nil {
			s.Title = TitleOf(e.Call.Name + " " + string(e.Call.Args))
		}
	case event.Replied:
		if e.Result != nil && e.Result.Failed {
			s.Failed++
		}
	case event.Responded:
		s.Stop = ""
		if e.Usage != nil {
			s.Usage = s.Usage.Plus(*e.Usage)
		}
	case event.SubAgentStopped:
		if e.Usage != nil {
			s.Usage = s.Usage.Plus(*e.Usage)
		}
	case event.Stopped:
		s.Stop = e.Stop
	case event.Rewound: // a turn that was cut off is gone
		s.Stop = event.Done
	}
}

// unsent takes what is kept of a session whose first message is not recorded, perhaps because the process was killed before.
func (s *Session) unsent(dir string) {
	var kept Session
	for e, err := range journal.Read(filepath.Join(dir, journal.UnsentName)) {
		if err != nil {
			return // none, or one that is being written
		}
		kept.add(&e)
	}
	if s.Title = cmp.Or(kept.Title, s.Title); s.Dir == "" {
		s.Dir, s.Model, s.Start, s.Last = kept.Dir, kept.Model, kept.Start, kept.Last
	}
}

// joiners belong to the letters of some languages, and to emoji.
const joiners = "\u200c\u200d"

// TitleOf makes one short line of a text: its first line that has words, without control characters.
func TitleOf(text string) string {
	for line := range strings.Lines(text) {
		line = strings.Join(strings.FieldsFunc(line, func(r rune) bool {
			return unicode.IsSpace(r) || !unicode.IsPrint(r) && !strings.ContainsRune(joiners, r)
		}), " ")
		line = strings.TrimLeft(line, "#>*- `"+joiners)
		if line == "" {
			continue
		}
		if short := []rune(line); len(short) > mostTitle {
			line = string(short[:mostTitle-1])
			if at := strings.LastIndexByte(line, ' '); at > mostTitle/2 {
				line = line[:at]
			}
			line = strings.TrimRight(line, joiners) + "…"
		}
		return line
	}
	return ""
}

// About is what was noted of a session. It is a file beside the journal, so that a session can be named while another
// process has it open.
type About struct {
	Name  string   `json:"name,omitempty"`  // by the user
	Tags  []string `json:"tags,omitempty"`  // by the user; sorted, each once
	Title string   `json:"title,omitempty"` // by a model; "": it is the first line of the first message
}

// AboutName is the name of the file with an About.
const AboutName = "about.json"

// ReadAbout reads what the user noted of the session in dir; without a file, nothing.
func ReadAbout(dir string) (a About, err error) {
	text, err := plainfile.Read(filepath.Join(dir, AboutName))
	if errors.Is(err, os.ErrNotExist) {
		return a, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	return a, err
}

// Summary reads one journal, without the index.
func Summary(root, id string) (Session, error) {
	dir, err := journal.Dir(root, id)
	if err != nil {
		return Session{}, err
	}
	s := Session{ID: id}
	_, err = s.read(dir, 0, func(*event.Event) error { return nil })
	return s, err
}

// read counts the events from an offset on in and passes each to text. The end is the offset up to which lines are whole. A
// journal that cannot be read to its end is noted, and is no error.
func (s *Session) read(dir string, offset int64, text func(*event.Event) error) (end int64, err error) {
	about, err := ReadAbout(dir)
	if err == nil {
		s.Name, s.Tags = about.Name, about.Tags
	}
	s.Torn, s.Bad, end = false, "", offset
	for l, err := range journal.ReadFrom(filepath.Join(dir, journal.FileName), offset) {
		if errors.Is(err, journal.ErrTorn) {
			s.Torn = true
			break
		}
		if err != nil {
			s.Bad = err.Error()
			break
		}
		if l.Event.Seq == 0 && l.Err == nil {
			l.Event.Seq = int64(l.Number) // a journal that another program wrote
		}
		s.add(&l.Event)
		if err := text(&l.Event); err != nil {
			return end, err
		}
		end = l.Next
	}
	if s.Messages == 0 {
		s.unsent(dir)
	}
	s.Bytes, s.Title = end, cmp.Or(about.Title, s.Title) // a model's words instead of those of the first message
	return end, nil
}
