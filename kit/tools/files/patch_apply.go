package files

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"rein/kit/edit"
)

// files returns the texts that a patch is applied to.
type files interface {
	// Text returns the text of a file. If it does not exist, the error is fs.ErrNotExist. fresh means that the model has seen
	// exactly this text.
	Text(path string) (text string, fresh bool, err error)
}

// patchChange is the change of one file. Nil means that there is no file.
type patchChange struct {
	Path          string
	From          string // the name that it had before, if it moved
	Before, After *string
	Results       []edit.Result // of each section of the patch that updated it
}

// patchChanges returns what a patch changes, without writing anything. If a part of the patch does not match, the error lists every
// such part.
func patchChanges(p patch, files files) ([]patchChange, error) {
	a := applier{files: files, now: map[string]*state{}}
	var faults []string
	for _, f := range p.Files {
		if err := a.apply(f); err != nil {
			faults = append(faults, shown(f.Path)+": "+err.Error())
		}
	}
	if len(faults) > 0 {
		return nil, failed("", "The patch does not match; no file was changed.\n%s", strings.Join(faults, "\n"))
	}
	return a.changes(), nil
}

// shown is a path for an error: long paths are cut, special characters are escaped.
func shown(path string) string {
	if len(path) > 200 {
		path = strings.ToValidUTF8(path[:200], "") + "…"
	}
	if q := strconv.Quote(path); q != `"`+path+`"` {
		return q
	}
	return path
}

// state is a file as the patch has left it so far.
type state struct {
	path, from    string
	before, after *string
	fresh         bool
	results       []edit.Result
}

type applier struct {
	files files
	now   map[string]*state
	order []*state
}

func (a *applier) open(path string) (*state, error) {
	if s, ok := a.now[path]; ok {
		return s, nil
	}
	s := &state{path: path}
	text, fresh, err := a.files.Text(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		s.before, s.after, s.fresh = &text, &text, fresh
	}
	a.now[path] = s
	a.order = append(a.order, s)
	return s, nil
}

func (a *applier) apply(f patchFile) error {
	s, err := a.open(f.Path)
	if err != nil {
		return err
	}
	switch f.Op {
	case patchAdd:
		return s.add(f.Text)
	case patchDelete:
		if s.after == nil {
			return errors.New("the file to delete does not exist")
		}
		s.after = nil
		return nil
	}
	if s.after == nil {
		return errors.New("the file does not exist: create it with *** Add File, or correct the path")
	}
	if err := s.update(f); err != nil {
		return err
	}
	if f.To != "" && f.To != f.Path {
		return a.move(s, f.To)
	}
	return nil
}

// add creates a file, or replaces the text of an existing one. The caller decides whether that is allowed.
func (s *state) add(text string) error {
	if s.after != nil && *s.after != "" && *s.after == text {
		return errors.New("the file already has this text")
	}
	s.after = &text
	return nil
}

func (s *state) update(f patchFile) error {
	opts := &edit.Options{Path: f.Path, Fresh: s.fresh}
	var r edit.Result
	var err error
	switch {
	case len(f.Hunks) > 0:
		r, err = edit.ApplyHunks(*s.after, f.Hunks, opts)
	case len(f.Blocks) > 0:
		r, err = edit.Apply(*s.after, f.Blocks, opts)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	s.after, s.fresh = &r.Text, false
	s.results = append(s.results, r)
	return nil
}

func (a *applier) move(s *state, to string) error {
	target, err := a.open(to)
	if err != nil {
		return err
	}
	if target.after != nil {
		return fmt.Errorf("it cannot be moved to %s: that file exists; delete it first, or choose another name", to)
	}
	target.after, target.from, target.results = s.after, s.path, s.results
	s.after, s.results = nil, nil
	return nil
}

// changes are the files whose text has changed, in the order of the patch.
func (a *applier) changes() []patchChange {
	var out []patchChange
	for _, s := range a.order {
		same := s.before == nil && s.after == nil || s.before != nil && s.after != nil && *s.before == *s.after
		if !same {
			out = append(out, patchChange{Path: s.path, From: s.from, Before: s.before, After: s.after, Results: s.results})
		}
	}
	return out
}
