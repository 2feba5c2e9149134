package harness

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rein/redact"
)

// folderMargin is how old the last change of a directory must be for which its times tell it from the next one.
const folderMargin = 2 * time.Second

// secretTree is what searches know of one directory and of all below it. A directory whose times say that it has the names of the
// last search is not read again. Files of secrets always are: a program may write one without a change of its times. What has an
// exported name is kept for later sessions.
type secretTree struct {
	State      folderState // when its names were read; zero: that does not tell it from a later state
	Dirs       []namedTree // by name
	Files      []*secretFile
	Repository []string // directories of git that its names show, and files that name one
	deep       bool     // it is deeper than searches go
}

type namedTree struct {
	Name string
	Tree *secretTree
}

// secretFile is a file of secrets, as it was when it was read last.
type secretFile struct {
	Name   string
	sum    [sha256.Size]byte
	values []redact.Value
	whole  bool // there are no more
}

// treeSearch is one search in trees.
type treeSearch struct {
	ctx       context.Context
	secretsIn func(dir string) func(name string) bool
	began     time.Time
	spare     chan struct{} // goroutines that may be started; nil: none
	reads     atomic.Int64  // directories that were read
	local     sync.Map      // devices: whether the times of their directories can be trusted

	values                        [][]redact.Value // what was found, file by file
	files, unmasked, repositories []string
}

func newTreeSearch(ctx context.Context, secretsIn func(string) func(string) bool, began time.Time) *treeSearch {
	s := &treeSearch{ctx: ctx, secretsIn: secretsIn, began: began, spare: make(chan struct{}, runtime.GOMAXPROCS(0)-1)}
	for range cap(s.spare) {
		s.spare <- struct{}{}
	}
	return s
}

// visit brings what is known of a directory up to date. What cannot be read has no secrets for us.
func (s *treeSearch) visit(t *secretTree, path string, depth int) {
	if s.ctx.Err() != nil {
		return
	}
	if t.deep = depth > mostDepth; t.deep {
		return
	}
	state := s.stateOf(path) // before its names: what changes after it shows in the next one
	if state == (folderState{}) || state != t.State {
		t.State = folderState{}
		if s.read(t, path) == nil {
			t.State = state
		}
	}
	for _, f := range t.Files {
		f.look(filepath.Join(path, f.Name))
	}
	var others *sync.WaitGroup
	for _, d := range t.Dirs {
		below := filepath.Join(path, d.Name)
		select {
		case <-s.spare:
			if others == nil {
				others = &sync.WaitGroup{}
			}
			others.Go(func() {
				s.visit(d.Tree, below, depth+1)
				s.spare <- struct{}{}
			})
		default:
			s.visit(d.Tree, below, depth+1)
		}
	}
	if others != nil {
		others.Wait()
	}
}

// read reads the names of a directory.
func (s *treeSearch) read(t *secretTree, path string) error {
	s.reads.Add(1)
	entries, err := os.ReadDir(path)
	dirs, files := t.Dirs, t.Files
	t.Dirs, t.Files, t.Repository = nil, nil, nil
	isSecret := s.secretsIn(path)
	for _, e := range entries {
		name := e.Name()
		if repository, ok := repositoryAt(path, name, e.IsDir()); ok {
			if t.Repository = append(t.Repository, repository); e.IsDir() {
				continue
			}
		}
		switch {
		case e.IsDir():
			d := namedTree{name, &secretTree{}}
			for len(dirs) > 0 && dirs[0].Name < d.Name {
				dirs = dirs[1:] // it is gone
			}
			if len(dirs) > 0 && dirs[0].Name == d.Name {
				d = dirs[0]
			}
			t.Dirs = append(t.Dirs, d)
		case e.Type().IsRegular() && isSecret(name):
			f := &secretFile{Name: name}
			if i := slices.IndexFunc(files, func(old *secretFile) bool { return old.Name == f.Name }); i >= 0 {
				f = files[i]
			}
			t.Files = append(t.Files, f)
		}
	}
	return err
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

// collect adds what is known of a directory to what was found.
func (s *treeSearch) collect(t *secretTree, path string) {
	if t.deep {
		s.unmasked = append(s.unmasked, path)
	}
	s.repositories = append(s.repositories, t.Repository...)
	for _, f := range t.Files {
		whole := filepath.Join(path, f.Name)
		if s.values, s.files = append(s.values, f.values), append(s.files, whole); !f.whole {
			s.unmasked = append(s.unmasked, whole)
		}
	}
	for _, d := range t.Dirs {
		s.collect(d.Tree, filepath.Join(path, d.Name))
	}
}
