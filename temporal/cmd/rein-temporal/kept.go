package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"rein/internal/plaintext"
	files "rein/kit/workspace"
	"rein/temporal"
)

// kept is what the store has of a workspace: what is not as in the clone. A host that makes the workspace again lays it over a fresh clone.
type kept struct {
	URL     string              `json:"url,omitempty"` // of the repository
	Commit  string              `json:"commit"`
	Changed map[string]keptFile `json:"changed,omitempty"` // by path below the directory of the session
	Gone    []string            `json:"gone,omitempty"`
	LeftOut []string            `json:"left_out,omitempty"` // what is too large
}

// stamp is what changes when a file changes.
type stamp struct {
	Mode fs.FileMode `json:"mode"`
	Size int64       `json:"size,omitempty"`
	Time int64       `json:"time,omitempty"`
	Link string      `json:"link,omitempty"` // the target of a symbolic link
}

// keptFile is a file, and where the store has its content.
type keptFile struct {
	stamp
	Sum  string `json:"sum,omitempty"`
	Data string `json:"data,omitempty"` // the name of the data
	At   int64  `json:"at,omitempty"`   // where it begins there
}

// base is what a clone was when it was made.
type base struct {
	URL    string           `json:"url,omitempty"`
	Commit string           `json:"commit"`
	Files  map[string]stamp `json:"files"`
}

const (
	mostKept = 32 << 20 // bytes of a file; a larger one is left out
	dataSize = 8 << 20  // from which the next file goes into other data
)

// last reads what was kept last; name "": nothing.
func (w *workspace) last(ctx context.Context, name string) (k kept, err error) {
	if name == "" {
		return k, nil
	}
	text, err := w.store.Get(ctx, w.session, name)
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		err = fmt.Errorf("what was kept of the workspace: %w", err)
	}
	return k, err
}

// begin takes note of a fresh clone, and lays over it what was kept. The workspace is there when the file "base" is.
func (w *workspace) begin(ctx context.Context, had kept, o temporal.Opening) error {
	for _, dir := range []string{"output", "state"} {
		if err := os.MkdirAll(w.file(dir), 0o700); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	b := base{URL: w.url, Commit: w.commit}
	if b.Files, err = w.look(ctx, root); err != nil {
		return err
	}
	if err := w.restore(ctx, root, had); err != nil {
		return err
	}
	if o.Kept != "" || o.After > 0 {
		if err := root.WriteFile("news", []byte(newsOf(had)), 0o600); err != nil {
			return err
		}
	}
	text, err := json.Marshal(b)
	if err == nil {
		err = root.WriteFile("part", text, 0o600)
	}
	if err == nil {
		err = root.Rename("part", "base")
	}
	return err
}

// newsOf tells the model that its workspace was made again.
func newsOf(had kept) string {
	if had.Commit == "" {
		return "[Nothing is known any more of the workspace that this session had. This one is a fresh clone of the repository: what was " +
			"changed before is not there. Look at the files before you go on.]"
	}
	text := "[The clone in which this session worked is gone, with its machine or because the session was closed meanwhile. The workspace was made again on another one: a fresh clone of the commit " + had.Commit +
		", and the files that were changed. What ignore files leave out (installed packages, results of a build) is not there, nothing runs any more, and " +
		"what a call changed whose outcome is unknown is lost."
	if len(had.LeftOut) > 0 {
		text += " These files were too large to be kept: " + plaintext.FirstOf(had.LeftOut, 10) + "."
	}
	return text + " Look at the files before you go on.]"
}

// look lists what is kept of the directory: the files of the workspace that no ignore file leaves out, those of git, and what rein keeps.
func (w *workspace) look(ctx context.Context, root *os.Root) (map[string]stamp, error) {
	all := map[string]stamp{}
	note := func(name string) error {
		info, err := os.Lstat(w.file(name)) // what is read later is read through root
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		s := stamp{Mode: info.Mode()}
		switch {
		case info.Mode().IsRegular():
			s.Size, s.Time = info.Size(), info.ModTime().UnixNano()
		case info.Mode()&fs.ModeSymlink != 0:
			s.Link, err = os.Readlink(w.file(name))
		default:
			return nil // a directory is there with its files
		}
		all[name] = s
		return err
	}
	tree, err := files.Open(w.work())
	if err != nil {
		return nil, err
	}
	listing, err := tree.Walk(ctx, ".", files.WalkOptions{})
	if err == nil && listing.More {
		err = errors.New("the workspace has too many files")
	}
	if err != nil {
		return nil, err
	}
	for _, e := range listing.Entries {
		if err := note(path.Join("work", e.Path)); err != nil {
			return nil, err
		}
	}
	for _, dir := range []string{"work/.git", "output", "state/undo"} {
		err := fs.WalkDir(root.FS(), dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || strings.HasSuffix(name, ".lock") {
				return err
			}
			return note(name)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return all, nil
}

// keep stores what changed since the last time, and returns the name of what is kept now.
func (w *workspace) keep(ctx context.Context, name string) (string, error) {
	had, err := w.last(ctx, name)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(w.file("base"))
	var b base
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	all, err := w.look(ctx, root)
	if err != nil {
		return "", err
	}
	now := kept{URL: b.URL, Commit: b.Commit, Changed: map[string]keptFile{}}
	for file := range b.Files {
		if _, ok := all[file]; !ok && !strings.HasPrefix(file, "work/.git/objects/") {
			now.Gone = append(now.Gone, file)
		}
	}
	slices.Sort(now.Gone)
	maps.DeleteFunc(all, func(file string, s stamp) bool { return b.Files[file] == s })
	if err := w.contents(ctx, root, all, had, &now); err != nil {
		return "", err
	}
	return w.put(ctx, "kept", name, now)
}

// contents stores the files that are not as in the clone, where that has not been done.
func (w *workspace) contents(ctx context.Context, root *os.Root, all map[string]stamp, had kept, now *kept) error {
	out := packer{workspace: w, root: root, known: map[string]keptFile{}}
	for _, f := range had.Changed {
		out.known[f.Sum] = f
	}
	for _, file := range slices.Sorted(maps.Keys(all)) {
		f := keptFile{stamp: all[file]}
		if before, ok := had.Changed[file]; ok && before.stamp == f.stamp {
			f = before
		} else if f.Size > mostKept {
			now.LeftOut = append(now.LeftOut, file)
			continue
		} else if f.Link == "" {
			if err := out.add(ctx, file, &f); err != nil {
				return err
			}
		}
		now.Changed[file] = f
	}
	if err := out.flush(ctx); err != nil {
		return err
	}
	for file, f := range now.Changed {
		if f.Data == "" && f.Link == "" && f.Size > 0 {
			f.Data, f.At = out.known[f.Sum].Data, out.known[f.Sum].At
			now.Changed[file] = f
		}
	}
	return nil
}

// put stores what is kept under the hash of its content.
func (w *workspace) put(ctx context.Context, what, before string, now kept) (string, error) {
	text, err := json.Marshal(now)
	if err != nil {
		return "", err
	}
	name := what + "-" + sumOf(text)[:32]
	if name == before {
		return name, nil
	}
	return name, w.store.Put(ctx, w.session, name, text)
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// packer puts the contents of files into data of the store.
type packer struct {
	*workspace
	root  *os.Root
	known map[string]keptFile // by the sum of the content
	data  []byte
	sums  []string // of what is in data
}

func (p *packer) add(ctx context.Context, file string, f *keptFile) error {
	in, err := p.root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe that has taken its place does not stop us
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, mostKept))
	if err != nil {
		return err
	}
	f.Size, f.Sum = int64(len(text)), sumOf(text)
	if at, ok := p.known[f.Sum]; ok || f.Size == 0 {
		f.Data, f.At = at.Data, at.At
		return nil
	}
	p.known[f.Sum] = keptFile{stamp: f.stamp, Sum: f.Sum, At: int64(len(p.data))}
	p.sums = append(p.sums, f.Sum)
	if p.data = append(p.data, text...); len(p.data) >= dataSize {
		return p.flush(ctx)
	}
	return nil
}

func (p *packer) flush(ctx context.Context) error {
	if len(p.sums) == 0 {
		return nil
	}
	name := "files-" + sumOf(p.data)[:32]
	if err := p.store.Put(ctx, p.session, name, p.data); err != nil {
		return fmt.Errorf("the workspace cannot be kept: %w", err)
	}
	for _, sum := range p.sums {
		at := p.known[sum]
		at.Data = name
		p.known[sum] = at
	}
	p.data, p.sums = nil, nil
	return nil
}

// restore lays what was kept over a fresh clone. Nothing is written outside the directory.
func (w *workspace) restore(ctx context.Context, root *os.Root, had kept) error {
	for _, file := range had.Gone {
		if err := root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	data := map[string][]byte{}
	names := slices.SortedFunc(maps.Keys(had.Changed), func(a, b string) int { // one data after the other
		return strings.Compare(had.Changed[a].Data+"\x00"+a, had.Changed[b].Data+"\x00"+b)
	})
	for _, links := range []bool{false, true} { // no file is written through a link that was kept
		for _, file := range names {
			f := had.Changed[file]
			if (f.Link != "") != links {
				continue
			}
			if _, ok := data[f.Data]; f.Data != "" && !ok {
				text, err := w.store.Get(ctx, w.session, f.Data)
				if err != nil {
					return fmt.Errorf("what was kept of the workspace: %w", err)
				}
				data = map[string][]byte{f.Data: text}
			}
			if err := w.write(root, file, f, data[f.Data]); err != nil {
				return fmt.Errorf("what was kept of the workspace: %w", err)
			}
		}
	}
	return nil
}

func (w *workspace) write(root *os.Root, file string, f keptFile, data []byte) error {
	if !fs.ValidPath(file) || f.At < 0 || f.Size < 0 || f.At+f.Size > int64(len(data)) {
		return fmt.Errorf("%q cannot be restored", file)
	}
	if err := root.MkdirAll(path.Dir(file), 0o700); err != nil {
		return err
	}
	if err := root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if f.Link != "" {
		return root.Symlink(f.Link, filepath.FromSlash(file))
	}
	text := data[f.At : f.At+f.Size]
	if f.Size > 0 && sumOf(text) != f.Sum {
		return fmt.Errorf("the content of %s is damaged", file)
	}
	if err := root.WriteFile(file, text, f.Mode.Perm()); err != nil {
		return err
	}
	if err := root.Chmod(file, f.Mode.Perm()); err != nil {
		return err
	}
	return root.Chtimes(file, time.Time{}, time.Unix(0, f.Time))
}
