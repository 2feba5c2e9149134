package workspace

import (
	"errors"
	"fmt"
	"io/fs"
)

// WriteFile writes a file as a whole: it has its old content or the new one, never a part. Missing parents are created. An existing
// file keeps its mode, and its owner where the system allows; a link stays a link and its target is written; a
// further hard link keeps the old content.
func (w *Workspace) WriteFile(name string, data []byte) error {
	_, err := w.write(name, data, nil)
	return err
}

// Store writes a file like WriteFile, if its content is still old at the moment before it is replaced; the zero Sum
// means that there must be no file yet. Otherwise the error is Changed or Exists. It returns the
// canonical name. The new content counts as seen: the model wrote it.
func (w *Workspace) Store(name string, data []byte, old Sum) (string, error) {
	v, err := w.write(name, data, &old)
	if err != nil {
		return "", err
	}
	v.Sum = SumOf(data)
	w.Saw(v)
	return v.Name, nil
}

// write returns the new version without its Sum.
func (w *Workspace) write(name string, data []byte, old *Sum) (*Version, error) {
	s, err := w.locate(name, create)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if s.info != nil {
		if err := s.regular(s.info); err != nil {
			return nil, err
		}
	}
	if v, done, err := w.writeEdited(s, data, old); done {
		return v, err
	}
	d, err := s.draft(data)
	if err != nil {
		return nil, s.wrap(err)
	}
	switch err = w.unchanged(s, old); {
	case err != nil:
	case old != nil && *old == (Sum{}):
		err = d.create()
	default:
		err = d.replace()
	}
	if err != nil {
		d.discard()
		return nil, s.wrap(err)
	}
	return &Version{Name: s.name, Data: data, Info: d.info}, nil
}

// unchanged checks that the location still holds the expected content.
func (w *Workspace) unchanged(s *location, old *Sum) error {
	if old == nil {
		return nil
	}
	info, err := s.dir.Lstat(s.base)
	if errors.Is(err, fs.ErrNotExist) {
		if *old == (Sum{}) {
			return nil
		}
		return changed(s.given, "was deleted since it was read", Sum{})
	}
	if err != nil {
		return err
	}
	if *old == (Sum{}) {
		return &Error{Kind: Exists, Name: s.given, Text: quote(s.given) + " already exists", Hint: "Read it first."}
	}
	now := *s
	now.info = info
	f, err := w.open(&now)
	if err != nil {
		return err
	}
	defer f.Close()
	v, err := f.Load()
	if err != nil {
		return err
	}
	if v.Sum != *old {
		return changed(s.given, "has changed since it was read", v.Sum)
	}
	return nil
}

func changed(given, what string, now Sum) error {
	e := &Error{Kind: Changed, Name: given, Text: quote(given) + " " + what, Hint: "Read it again, then send the call for its current content."}
	if now != (Sum{}) {
		e.Text += fmt.Sprintf(" (now version %s)", now)
	}
	return e
}
