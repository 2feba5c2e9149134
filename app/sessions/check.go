package sessions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rein/event"
	"rein/journal"
)

// Checked is what a check of one session found.
type Checked struct {
	ID string `json:"id"`
	journal.Report
}

// Check checks a session: its journal, the data beside it, the user's notes, and the sessions of its sub-agents. With repair
// it repairs what can be repaired, and the report says how.
func (s *Store) Check(id string, repair bool) (Checked, error) {
	name, err := s.journal(id)
	if err != nil {
		return Checked{}, err
	}
	dir := filepath.Dir(name)
	report, err := journal.Check(dir, repair)
	c := Checked{id, report}
	if err != nil {
		return c, fmt.Errorf("session %s: %w", id, err)
	}
	if _, err := ReadAbout(dir); err != nil {
		p := journal.Problem{Text: fmt.Sprintf("the name and the tags cannot be read: %v", err)}
		if repair {
			if err := os.Rename(filepath.Join(dir, AboutName), filepath.Join(dir, AboutName+".damaged")); err != nil {
				return c, err
			}
			p.Repaired = "removed; " + AboutName + ".damaged has them"
		}
		c.Problems = append(c.Problems, p)
	}
	for e, err := range s.Events(id, 0) {
		if err != nil || e.Kind != event.SubAgentStarted {
			continue // the report has what cannot be read
		}
		if _, err := s.journal(e.Child); err != nil {
			c.Problems = append(c.Problems, journal.Problem{Text: fmt.Sprintf("the session %s of a sub-agent is not there", e.Child)})
		}
	}
	return c, nil
}

// CheckAll checks every session and returns those with problems, how many there are, and the leftovers of crashes: sessions
// that were to be deleted at their end, and copies that are not whole. With repair it deletes the leftovers.
func (s *Store) CheckAll(repair bool) (bad []Checked, total int, leftovers []string, err error) {
	entries, err := os.ReadDir(s.dirs.Sessions)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil, nil
	}
	if err != nil {
		return nil, 0, nil, err
	}
	for _, f := range entries {
		dir := filepath.Join(s.dirs.Sessions, f.Name())
		if s.leftover(dir, f.Name()) {
			leftovers = append(leftovers, f.Name())
			if repair {
				err = errors.Join(err, os.RemoveAll(dir))
			}
			continue
		}
		if _, jerr := s.journal(f.Name()); jerr != nil {
			continue
		}
		total++
		c, cerr := s.Check(f.Name(), repair)
		if cerr != nil {
			c.Problems = append(c.Problems, journal.Problem{Text: cerr.Error()})
		}
		if len(c.Problems) > 0 {
			bad = append(bad, c)
		}
	}
	return bad, total, leftovers, err
}

// leftoverAge is how old a copy that is not whole must be before it counts as one that a crash left behind.
const leftoverAge = time.Hour

func (s *Store) leftover(dir, name string) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	if strings.HasPrefix(name, ".new-") {
		return time.Since(info.ModTime()) > leftoverAge && journal.Settled(dir, func() {})
	}
	if _, err := os.Stat(filepath.Join(dir, journal.EphemeralName)); err != nil {
		return false
	}
	return journal.Settled(dir, func() {})
}

// Unrepaired reports whether a problem is left that a repair could remove.
func (c Checked) Unrepaired() bool {
	return slices.ContainsFunc(c.Problems, func(p journal.Problem) bool { return p.Repaired == "" })
}
