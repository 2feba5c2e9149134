package sessions

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"rein/internal/plainfile"
	"rein/journal"
)

// The limits of what a user notes of a session.
const (
	mostName = 100 // characters of a name or a tag
	mostTags = 50
)

// SetName names a session; "" takes the name away. A session may be named while another process has it open.
func (s *Store) SetName(id, name string) error {
	name = strings.TrimSpace(name)
	if err := checkNote("name", name); err != nil {
		return err
	}
	return s.note(id, func(a *About) error {
		a.Name = name
		return nil
	})
}

// SetTitle gives a session a title that a model wrote: its first line, shortened. It takes the place of the first line of the first
// message. A text without a line changes nothing.
func (s *Store) SetTitle(id, text string) error {
	title := strings.Trim(TitleOf(text), "\"'“”«». ")
	if title == "" {
		return nil
	}
	return s.note(id, func(a *About) error {
		a.Title = title
		return nil
	})
}

// Tag adds tags to a session and removes others, and returns those that it has then.
func (s *Store) Tag(id string, add, remove []string) (tags []string, err error) {
	for _, t := range add {
		if t == "" || strings.ContainsFunc(t, unicode.IsSpace) {
			return nil, fmt.Errorf("a tag is one word, and %q is not", t)
		}
		if err := checkNote("tag", t); err != nil {
			return nil, err
		}
	}
	err = s.note(id, func(a *About) error {
		all := append(slices.Clone(a.Tags), add...)
		slices.Sort(all)
		all = slices.DeleteFunc(slices.Compact(all), func(t string) bool { return slices.Contains(remove, t) })
		if len(all) > mostTags {
			return fmt.Errorf("a session has at most %d tags", mostTags)
		}
		a.Tags, tags = all, all
		return nil
	})
	return tags, err
}

func checkNote(what, text string) error {
	if n := len([]rune(text)); n > mostName {
		return fmt.Errorf("a %s has at most %d characters, and this one has %d", what, mostName, n)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && !strings.ContainsRune(joiners, r) }) {
		return fmt.Errorf("a %s must not have control characters", what)
	}
	return nil
}

// note changes what the user noted of a session.
func (s *Store) note(id string, change func(*About) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, err := s.journal(id)
	if err != nil {
		return err
	}
	dir := filepath.Dir(name)
	a, err := ReadAbout(dir)
	if err != nil {
		return fmt.Errorf("the notes of session %s: %w (rein sessions doctor repairs them)", id, err)
	}
	if err := change(&a); err != nil {
		return err
	}
	text, err := json.Marshal(a)
	if err == nil {
		err = plainfile.Replace(filepath.Join(dir, AboutName), append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("the notes of session %s: %w", id, err)
	}
	journal.MarkChanged(dir)
	return nil
}
