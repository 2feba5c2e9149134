//go:build unix

package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/internal/plainfile"
)

// externalFiles keeps the files of the workspace and the copies of a program that runs programs elsewhere the same: what changed here is
// sent before a program starts, what changed there is fetched when it has ended. What the sandbox closes is not sent, and what it protects
// is not changed here.
type externalFiles struct {
	external *external
	mu       sync.Mutex
	sent     map[string]fileState // by the path below the workspace: the same here and there
}

// fileState is a file that both have.
type fileState struct {
	size   int64
	mode   fs.FileMode
	change time.Time // here
	hash   string    // of the content
}

// remoteFile is a file as the program has it.
type remoteFile struct {
	Path string `json:"path"`
	Mode uint32 `json:"mode"`
	Hash string `json:"sha256"`
}

// mostCopied is the size of the largest file that is copied.
const mostCopied = 64 << 20

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// push sends what changed here.
func (f *externalFiles) push(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	root := f.external.policy.Workspace
	closed := targets(f.external.view.Protect(f.external.policy.EnvFiles).Masked)
	here := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || slices.Contains(closed, path) {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil // it is gone, or not for programs
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		name, _ := filepath.Rel(root, path)
		here[name] = true
		was, known := f.sent[name]
		if known && was.size == info.Size() && was.mode == info.Mode().Perm() && was.change.Equal(info.ModTime()) {
			return nil
		}
		return f.send(ctx, name, info)
	})
	for name := range f.sent {
		if err == nil && !here[name] {
			if err = f.external.ask(ctx, "remove", map[string]any{"path": name}, nil); err == nil {
				delete(f.sent, name)
			}
		}
	}
	return err
}

func (f *externalFiles) send(ctx context.Context, name string, info fs.FileInfo) error {
	if info.Size() > mostCopied {
		return fmt.Errorf("%s is larger than %d MiB: it is not copied to where programs run", name, mostCopied>>20)
	}
	data, err := plainfile.ReadUpTo(filepath.Join(f.external.policy.Workspace, name), mostCopied)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err == nil {
		err = f.external.ask(ctx, "write", map[string]any{"path": name, "mode": uint32(info.Mode().Perm()), "data": data}, nil)
	}
	if err == nil {
		f.sent[name] = fileState{info.Size(), info.Mode().Perm(), info.ModTime(), hashOf(data)}
	}
	return err
}

// pull fetches what changed there.
func (f *externalFiles) pull(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var there struct {
		Files []remoteFile `json:"files"`
	}
	if err := f.external.ask(ctx, "snapshot", struct{}{}, &there); err != nil {
		return err
	}
	root, err := os.OpenRoot(f.external.policy.Workspace + "/.")
	if err != nil {
		return err
	}
	defer root.Close()
	v := f.external.view.Protect(f.external.policy.EnvFiles)
	closed := slices.Concat(targets(v.Locked), targets(v.Masked))
	protected := func(name string) bool {
		path := filepath.Join(root.Name(), name)
		return !filepath.IsLocal(name) || slices.ContainsFunc(closed, func(c string) bool { return isAbove(c, path) })
	}
	seen := map[string]bool{}
	var kept []string
	for _, r := range there.Files {
		seen[r.Path] = true
		was, known := f.sent[r.Path]
		if known && was.hash == r.Hash && was.mode == fs.FileMode(r.Mode).Perm() {
			continue
		}
		if protected(r.Path) || known && !f.same(root, r.Path, was) || !known && f.exists(root, r.Path) {
			kept = append(kept, r.Path)
			continue
		}
		if err := f.fetch(ctx, root, r); err != nil {
			return err
		}
	}
	for name, was := range f.sent {
		if !seen[name] && !protected(name) && f.same(root, name, was) {
			if err := root.Remove(name); err != nil {
				return err
			}
			delete(f.sent, name)
		}
	}
	if len(kept) > 0 && f.external.policy.Warn != nil {
		slices.Sort(kept)
		f.external.policy.Warn("sandbox: what a program did to these files is not taken: they are protected, or changed here meanwhile: " + strings.Join(kept[:min(len(kept), 8)], ", "))
	}
	return nil
}

// same reports whether a file here is what was sent or fetched last.
func (f *externalFiles) same(root *os.Root, name string, was fileState) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Size() == was.size && info.ModTime().Equal(was.change)
}

func (f *externalFiles) exists(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}

func (f *externalFiles) fetch(ctx context.Context, root *os.Root, r remoteFile) error {
	var file struct {
		Data []byte `json:"data"`
	}
	if err := f.external.ask(ctx, "read", map[string]any{"path": r.Path}, &file); err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(r.Path), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(r.Mode).Perm()
	if err := root.WriteFile(r.Path, file.Data, mode); err != nil {
		return err
	}
	if err := root.Chmod(r.Path, mode); err != nil {
		return err
	}
	info, err := root.Lstat(r.Path)
	if err == nil {
		f.sent[r.Path] = fileState{info.Size(), mode, info.ModTime(), hashOf(file.Data)}
	}
	return err
}
