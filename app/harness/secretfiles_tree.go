package harness

import (
	"context"
	"crypto/sha256"
	"path/filepath"

	"rein/kit/sandbox"
	"rein/redact"
)

// secretFile is a file of secrets, as it was when it was read last. It is read in each search: a program may write one without a change
// of its times.
type secretFile struct {
	sum    [sha256.Size]byte
	values []redact.Value
	whole  bool // there are no more
}

// treeSearch is one search in trees.
type treeSearch struct {
	ctx        context.Context
	old, known map[string]*secretFile // of the last search, and of this one, by path

	values                        [][]redact.Value // what was found, file by file
	files, unmasked, repositories []string
}

// collect adds what a directory and all below it hold. What cannot be read has no secrets for us.
func (s *treeSearch) collect(t *sandbox.Tree, path string) {
	if s.ctx.Err() != nil {
		return
	}
	if t.Deep() {
		s.unmasked = append(s.unmasked, path)
	}
	for _, e := range t.Entries {
		if repository, ok := repositoryAt(path, e.Name, e.IsDir()); ok {
			s.repositories = append(s.repositories, repository)
		}
		if e.Secret {
			s.file(filepath.Join(path, e.Name))
		}
		if e.Tree != nil {
			s.collect(e.Tree, filepath.Join(path, e.Name))
		}
	}
}

// file adds a file of secrets.
func (s *treeSearch) file(path string) {
	f := s.old[path]
	if f == nil {
		f = &secretFile{}
	}
	f.look(path)
	s.known[path] = f
	if s.values, s.files = append(s.values, f.values), append(s.files, path); !f.whole {
		s.unmasked = append(s.unmasked, path)
	}
}

// look reads a file of secrets, and looks for its values if it is not what it was.
func (f *secretFile) look(path string) {
	text, ok := secretText(path)
	if !ok {
		f.sum, f.values, f.whole = [sha256.Size]byte{}, nil, true // programs of the user cannot read it either
		return
	}
	if sum := sha256.Sum256(text); sum != f.sum {
		f.sum = sum
		f.values, f.whole = secretValues(filepath.Base(path), text)
	}
}
