package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"rein/kit/places"
	"rein/kit/workspace"
)

// Bounds.
const (
	mostEntries  = 2000    // of one list
	mostTreeText = 1 << 20 // bytes of one text
)

// errHidden means that a file may hold secrets, is rein's own, or is outside the workspace.
var errHidden = errors.New("this file is not shown: it may hold secrets, or it is not in the workspace")

// errNoFile means that there is no such file or directory, or one that cannot be read.
var errNoFile = errors.New("there is no such file that can be read")

// fileTree is the files of one workspace. Close it at the end.
type fileTree struct {
	ws *workspace.Workspace
	at places.Context
}

// openTree opens the workspace in dir. own are the directories in which rein keeps things: they are not shown, also where they lie
// in the workspace.
func openTree(dir string, own []string) (*fileTree, error) {
	ws, err := workspace.Open(dir)
	if err != nil {
		return nil, err
	}
	return &fileTree{ws: ws, at: places.Context{Workspaces: ws.Dirs(), Settings: own}}, nil
}

// Close closes the workspace.
func (t *fileTree) Close() error { return t.ws.Close() }

// treeEntry is one file or directory of a list.
type treeEntry struct {
	Name string
	Dir  bool
	Link bool
	Size int64 // bytes; 0 for directories
	Time time.Time
}

// List returns what is in a directory, directories first; "" is the workspace. What may hold secrets is left out and counted in
// hidden. more means that the directory has more than mostEntries.
func (t *fileTree) List(dir string) (all []treeEntry, hidden int, more bool, err error) {
	if dir == "" {
		dir = "."
	}
	name, err := t.shown(dir)
	if err != nil {
		return nil, 0, false, err
	}
	found, err := t.ws.ReadDir(name, mostEntries+1)
	if err != nil {
		return nil, 0, false, errors.Join(errNoFile, err)
	}
	for _, f := range found {
		if len(all) == mostEntries {
			more = true
			break
		}
		if !t.mayShow(filepath.Join(t.ws.Abs(name), f.Name())) {
			hidden++
			continue
		}
		e := treeEntry{Name: f.Name(), Dir: f.IsDir(), Link: f.Type()&fs.ModeSymlink != 0}
		if info, err := f.Info(); err == nil {
			e.Time = info.ModTime()
			if info.Mode().IsRegular() {
				e.Size = info.Size()
			}
		}
		if e.Link { // one to a directory that may be shown is opened as that
			if real, err := t.shown(filepath.Join(name, f.Name())); err == nil {
				info, err := t.ws.Stat(real)
				e.Dir = err == nil && info.IsDir()
			}
		}
		all = append(all, e)
	}
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].Dir != all[j].Dir {
			return all[i].Dir
		}
		return all[i].Name < all[j].Name
	})
	return all, hidden, more, nil
}

// treeText is a file as text.
type treeText struct {
	Text   string // "" for a binary file
	Binary bool
	Cut    bool // the file is longer
	Size   int64
	Time   time.Time
}

// Read returns a file as text, mostTreeText bytes of it at most.
func (t *fileTree) Read(ctx context.Context, name string) (treeText, error) {
	f, err := t.File(name)
	if err != nil {
		return treeText{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostTreeText+1))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return treeText{}, errors.Join(errNoFile, err)
	}
	out := treeText{Size: f.Info.Size(), Time: f.Info.ModTime()}
	if len(data) > mostTreeText {
		data, out.Cut = data[:mostTreeText], true
		for n := 0; n < utf8.UTFMax && !utf8.Valid(data); n++ { // a character that was cut in two
			data = data[:len(data)-1]
		}
	}
	if out.Binary = bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data); !out.Binary {
		out.Text = string(data)
	}
	return out, nil
}

// File opens a file for a download. The caller closes it.
func (t *fileTree) File(name string) (*workspace.File, error) {
	name, err := t.shown(name)
	if err != nil {
		return nil, err
	}
	f, err := t.ws.Open(name)
	if err != nil {
		return nil, errors.Join(errNoFile, err)
	}
	if !t.mayShow(t.ws.Abs(f.Name)) { // a link took its place in between
		f.Close()
		return nil, errHidden
	}
	return f, nil
}

// MayShow reports whether the content of a file may be shown, by its path.
func (t *fileTree) MayShow(name string) bool {
	_, err := t.shown(name)
	return err == nil || errors.Is(err, errNoFile) && t.mayShow(t.ws.Abs(name))
}

// shown resolves a name and refuses what is not shown: by its spelling, and by where its links lead.
func (t *fileTree) shown(name string) (string, error) {
	if strings.ContainsRune(name, 0) || filepath.IsAbs(name) || !filepath.IsLocal(filepath.Clean(name)) || !t.mayShow(t.ws.Abs(name)) {
		return "", errHidden
	}
	real, err := t.ws.Resolve(name)
	if err != nil {
		if workspace.KindOf(err) == workspace.Outside {
			return "", errHidden
		}
		return "", errors.Join(errNoFile, err)
	}
	if !t.mayShow(t.ws.Abs(real)) {
		return "", errHidden
	}
	return real, nil
}

// mayShow asks the table of places. The data of git is no file of the user, and its settings may hold passwords.
func (t *fileTree) mayShow(abs string) bool {
	if slices.ContainsFunc(strings.Split(filepath.ToSlash(abs), "/"), func(name string) bool { return strings.EqualFold(name, ".git") }) {
		return false
	}
	class := places.Classify(abs, t.at)
	return class == places.Workspace || class == places.Protected
}
