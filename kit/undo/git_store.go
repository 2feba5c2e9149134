package undo

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// maxCopiedObjects is how many bytes are copied of the objects that cannot be linked, because the store is on another file system.
const maxCopiedObjects = 200 << 20

// gitStore keeps the objects and packs of git repositories, and the files of git LFS, in a directory outside of them, so that
// those which a command removes can be put back. They never change, so a hard link is enough; where there can be none they are
// copied. Its methods may be called at once from several goroutines.
type gitStore struct {
	dir    string
	made   sync.Once
	copied atomic.Int64
}

// newGitStore returns the store in a directory, which is made when it is needed.
func newGitStore(dir string) *gitStore { return &gitStore{dir: dir} }

// file is where the object with an absolute path is kept.
func (s *gitStore) file(path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:20]))
}

// Keep keeps the entry of a directory, whose absolute path is path. False means that it cannot.
func (s *gitStore) Keep(d *diskDir, name, path string, size int64) bool {
	s.made.Do(func() { _ = os.MkdirAll(s.dir, 0o700) }) // what follows fails if this does
	to := s.file(path)
	err := d.Link(name, to)
	if errors.Is(err, fs.ErrExist) {
		if err = os.Remove(to); err == nil { // of an object that was removed, and was made again
			err = d.Link(name, to)
		}
	}
	return err == nil || s.copied.Add(size) <= maxCopiedObjects && copyTo(d, name, to) == nil
}

func copyTo(d *diskDir, name, to string) error {
	from, err := d.Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, from); err == nil {
		return f.Close()
	}
	return errors.Join(err, f.Close(), os.Remove(to))
}

// Has reports whether the object with an absolute path is kept.
func (s *gitStore) Has(path string) bool {
	info, err := os.Lstat(s.file(path))
	return err == nil && info.Mode().IsRegular()
}

// Copy writes a kept object, after it was checked: a program may have written into the linked file.
func (s *gitStore) Copy(to io.Writer, path string) error {
	f, err := os.Open(s.file(path))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := check(f, path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(to, f)
	return err
}

// Sweep removes what no live path needs.
func (s *gitStore) Sweep(live []string) error {
	needed := map[string]bool{}
	for _, path := range live {
		needed[filepath.Base(s.file(path))] = true
	}
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !needed[e.Name()] {
			err = errors.Join(err, os.Remove(filepath.Join(s.dir, e.Name())))
		}
	}
	return err
}

// errObjectDamaged is the error for an object that is not what its name says.
var errObjectDamaged = errors.New("the object is damaged")

// check compares an object with its name, and a file of a pack with the sum at its end.
func check(f io.ReadSeeker, path string) error {
	name, dir := filepath.Base(path), filepath.Base(filepath.Dir(path))
	if len(name) == 2*sha256.Size && name[2:4] == dir { // of git LFS: the SHA-256 of the file
		h := sha256.New()
		if _, err := io.Copy(h, f); err != nil || hex.EncodeToString(h.Sum(nil)) != name {
			return errObjectDamaged
		}
		return nil
	}
	if id := dir + name; len(dir) == 2 {
		z, err := zlib.NewReader(f)
		if err != nil {
			return errObjectDamaged
		}
		h := hashFor(id)
		if _, err := io.Copy(h, z); err != nil || hex.EncodeToString(h.Sum(nil)) != id {
			return errObjectDamaged
		}
		return nil
	}
	id, kind, _ := strings.Cut(strings.TrimPrefix(name, "pack-"), ".")
	if kind == "keep" || kind == "promisor" { // a note of git without a sum
		return nil
	}
	h := hashFor(id)
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size < int64(h.Size()) {
		return errObjectDamaged
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.CopyN(h, f, size-int64(h.Size())); err != nil {
		return err
	}
	if end, err := io.ReadAll(f); err != nil || !bytes.Equal(end, h.Sum(nil)) {
		return errObjectDamaged
	}
	return nil
}

// hashFor returns the hash that makes ids of this length.
func hashFor(id string) hash.Hash {
	if len(id) == 2*sha256.Size {
		return sha256.New()
	}
	return sha1.New()
}
