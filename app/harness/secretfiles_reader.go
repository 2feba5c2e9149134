package harness

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"rein/kit/sandbox"
	"rein/redact"
)

// historyReader reads what is new in one repository. What it has found to be read stays in the store when it does not come to its end.
type historyReader struct {
	ctx     context.Context
	f       *secretFinder
	history *gitHistory
	store   *repositoryStore
	dir     string
}

func (r *historyReader) git(input []byte, out outputReader, args ...string) error {
	if err := r.f.Git(r.ctx, input, out, append([]string{"--git-dir=" + r.dir}, args...)...); err != nil {
		return err
	}
	return out.end()
}

// all reads all that is new: the directories of all commits, also of those that no branch has, what is staged, and then the files.
func (r *historyReader) all() error {
	for {
		trees := &unknownTrees{known: r.store.known}
		if err := r.git(nil, &outputLines{last: '\n', take: trees.take}, "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectname)"); err != nil {
			return err
		}
		if trees.found.Len() == 0 {
			break
		}
		if err := r.trees(trees.found.Bytes(), false); err != nil {
			return err
		}
		trees.settle()
	}
	for r.store.dirs.Len() > 0 {
		input := bytes.Clone(r.store.dirs.Bytes())
		if err := r.trees(input, true); err != nil {
			return err
		}
		r.store.dirs.Next(len(input))
	}
	if err := r.git(nil, &outputLines{last: 0, take: r.staged}, "ls-files", "--stage", "-z"); err != nil && !strings.Contains(err.Error(), "work tree") { // a bare one
		return err
	}
	return r.read()
}

// trees reads directories. Below a directory of secrets everything is secret.
func (r *historyReader) trees(names []byte, secret bool) error {
	return r.git(names, &objectReader{most: mostTree, whole: true, take: func(name string, tree []byte) {
		size := len(name) / 2
		for len(tree) > 0 {
			mode, rest, ok := bytes.Cut(tree, []byte{' '})
			file, rest, ok2 := bytes.Cut(rest, []byte{0})
			if !ok || !ok2 || len(rest) < size {
				return
			}
			if secret || r.history.isSecret(r.f, string(file)) {
				r.add(string(mode), hex.EncodeToString(rest[:size]), string(file))
			}
			tree = rest[size:]
		}
	}}, "cat-file", "--batch", "--buffer")
}

// staged takes a line of git ls-files: what is staged is in no directory of a commit yet.
func (r *historyReader) staged(line []byte) {
	about, path, ok := strings.Cut(string(line), "\t")
	fields := strings.Fields(about)
	if ok && len(fields) == 3 && r.f.isSecret(filepath.Join(r.f.Dirs[0], path)) {
		r.add(fields[0], fields[1], filepath.Base(path))
	}
}

// add notes what is to be read.
func (r *historyReader) add(mode, name, file string) {
	s := r.store
	list := &s.blobs
	switch {
	case mode == "40000":
		list = &s.dirs
	case !strings.HasPrefix(mode, "100"): // a link, another repository
		return
	}
	if _, known := s.known[secretID(name)]; known || s.files[name] != "" {
		return
	}
	s.files[name] = file
	list.WriteString(name + "\n")
}

// read reads the files of secrets and adds their values to the filter.
func (r *historyReader) read() error {
	s := r.store
	var all [][]redact.Value
	if s.blobs.Len() > 0 {
		if err := r.git(s.blobs.Bytes(), &objectReader{most: mostBytes, take: func(name string, text []byte) {
			v := &fileSecrets{file: s.files[name]}
			v.read(string(text))
			all = append(all, v.all)
			if len(v.all) > 0 && sandbox.Hides(v.file) && !slices.Contains(r.history.hidden, v.file) {
				r.history.hidden = append(r.history.hidden, v.file)
			}
		}}, "cat-file", "--batch", "--buffer"); err != nil {
			return err
		}
	}
	added, left := r.f.Mask.AddShared(all, mostHistory-r.history.values)
	if r.history.values += added; slices.ContainsFunc(left, func(n int) bool { return n > 0 }) {
		return errors.New("the history of git holds more secrets than rein masks")
	}
	for name := range s.files {
		s.known[secretID(name)] = struct{}{}
	}
	s.files = map[string]string{}
	s.blobs.Reset()
	return nil
}

// secretID is another one than that of the same directory where it was read as one that is not secret.
func secretID(name string) objectID {
	i := objectIDOf(name)
	i[0] ^= 0xff
	i[7] ^= 0xff
	return i
}

// objectIDOf returns the beginning of an object's name.
func objectIDOf(name string) (i objectID) {
	_, _ = hex.Decode(i[:], []byte(name[:min(len(name), 2*len(i))]))
	return i
}
