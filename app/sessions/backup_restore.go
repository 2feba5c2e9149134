package sessions

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"rein/internal/plainfile"
	"rein/journal"
)

// The errors of Restore.
var (
	ErrNotEmpty    = errors.New("rein keeps files here already")
	ErrBadBackup   = errors.New("not a whole backup of rein")
	ErrNewerBackup = errors.New("a newer version of rein wrote this backup")
)

// Restore puts the files of a backup into the directories of parts. It reads and checks the whole archive first, beside the
// directories, and changes nothing when that fails with ErrBadBackup or ErrNewerBackup. Directories that have files are refused with
// ErrNotEmpty; with replace they are kept under another name, see Saved.Kept. A session that is open in a process is refused with
// journal.ErrHeld. After a kill each directory is the old one or the new one, and Restore can be called again.
func Restore(ctx context.Context, name string, parts []Part, replace bool) (s Saved, err error) {
	file, err := plainfile.Open(name)
	if err != nil {
		return s, err
	}
	defer file.Close()
	if err := mayReplace(parts, replace); err != nil {
		if _, unfit := CheckBackup(ctx, name, parts); unfit != nil {
			err = unfit // replacing would not help
		}
		return s, err
	}
	r := backupReader{ctx: ctx, dirs: map[string]string{}}
	defer func() {
		for _, dir := range r.dirs {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	for _, p := range parts {
		if err := os.MkdirAll(filepath.Dir(p.Dir), 0o700); err != nil {
			return s, err
		}
		left, _ := filepath.Glob(p.Dir + ".restoring-*") // of one that was killed
		for _, dir := range left {
			_ = os.RemoveAll(dir)
		}
		if r.dirs[p.Name], err = os.MkdirTemp(filepath.Dir(p.Dir), filepath.Base(p.Dir)+".restoring-*"); err != nil { // mode 0700
			delete(r.dirs, p.Name)
			return s, err
		}
	}
	if err := r.readAll(file); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	if err := mayReplace(parts, replace); err != nil { // it may have taken minutes
		return s, err
	}
	r.saved.Kept, err = r.swap(parts, time.Now())
	return r.saved, err
}

// CheckBackup reads and checks a whole backup with files of parts, and writes nothing.
func CheckBackup(ctx context.Context, name string, parts []Part) (Saved, error) {
	file, err := plainfile.Open(name)
	if err != nil {
		return Saved{}, err
	}
	defer file.Close()
	r := backupReader{ctx: ctx, dirs: map[string]string{}}
	for _, p := range parts {
		r.dirs[p.Name] = ""
	}
	if err := r.readAll(file); err != nil {
		return Saved{}, fmt.Errorf("%s: %w", name, err)
	}
	return r.saved, nil
}

// mayReplace refuses directories with files, unless they may be replaced, and those with a session that is open.
func mayReplace(parts []Part, replace bool) error {
	for _, p := range parts {
		err := filepath.WalkDir(p.Dir, func(file string, e fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case e.IsDir():
				return nil
			case !replace:
				return fmt.Errorf("%w: %s", ErrNotEmpty, p.Dir)
			case e.Name() == "lock" && p.Name == "sessions":
				if dir := filepath.Dir(file); !settled(dir) {
					return &journal.HeldError{Holder: journal.HeldBy(dir)}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settled reports whether no process has a session open. Whoever only looks has the lock for a moment, so it tries again.
func settled(dir string) bool {
	for range 5 {
		if journal.Settled(dir, func() {}) {
			return true
		}
		time.Sleep(4 * time.Millisecond)
	}
	return false
}

// backupReader reads one archive.
type backupReader struct {
	ctx   context.Context
	dirs  map[string]string // where the files of each part go; "": nowhere
	sums  bytes.Buffer      // as the archive should have them
	saved Saved
}

func (r *backupReader) readAll(from io.Reader) error {
	z, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	in := tar.NewReader(z)
	if err := r.head(in); err != nil {
		return err
	}
	for {
		h, err := in.Next()
		if err == nil && h.Name == backupSumsName {
			return r.end(in)
		}
		if err == nil {
			err = r.ctx.Err()
		}
		if err == nil {
			err = r.file(h, in)
		}
		if err != nil {
			return bad(err)
		}
	}
}

// bad marks what is wrong with an archive, unless it is something else that went wrong.
func bad(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err // the disk
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", ErrBadBackup, err)
}

// head reads what the archive is.
func (r *backupReader) head(in *tar.Reader) error {
	h, err := in.Next()
	if err != nil {
		return bad(err)
	}
	var head backupHead
	if h.Name != backupHeadName || json.NewDecoder(io.LimitReader(in, plainfile.Most)).Decode(&head) != nil || head.Format < 1 {
		return bad(fmt.Errorf("its first file is no %s", backupHeadName))
	}
	if head.Format > backupFormat {
		return fmt.Errorf("%w (its format is %d, and this version reads up to %d): use rein %s or newer", ErrNewerBackup, head.Format, backupFormat, head.Rein)
	}
	r.saved.Rein, r.saved.Made = head.Rein, head.Made
	return nil
}

// file reads one file of a part.
func (r *backupReader) file(h *tar.Header, in io.Reader) error {
	part, rel, _ := strings.Cut(h.Name, "/")
	if rel = filepath.FromSlash(rel); h.Typeflag != tar.TypeReg || !filepath.IsLocal(rel) {
		return fmt.Errorf("%q is no file of a part", h.Name)
	}
	sum, to := sha256.New(), io.Discard
	dir, known := r.dirs[part]
	if !known {
		return fmt.Errorf("%q belongs to no part that this version knows", h.Name)
	}
	if dir != "" {
		name := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(h.Mode)&0o700|0o600)
		if err != nil {
			return err
		}
		defer func() { _ = os.Chtimes(name, h.ModTime, h.ModTime) }()
		defer f.Close()
		to = f
	}
	n, err := io.Copy(io.MultiWriter(to, sum), in)
	if err != nil {
		return err
	}
	fmt.Fprintf(&r.sums, "%x  %s\n", sum.Sum(nil), h.Name)
	r.saved.Files++
	r.saved.Bytes += n
	if f, ok := to.(*os.File); ok {
		return f.Sync()
	}
	return nil
}

// end compares the sums.
func (r *backupReader) end(in io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(in, int64(r.sums.Len())+1))
	if err != nil {
		return bad(err)
	}
	if bytes.Equal(text, r.sums.Bytes()) {
		return nil
	}
	have := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		have[line] = true
	}
	for line := range strings.Lines(r.sums.String()) {
		if !have[line] {
			return bad(fmt.Errorf("the content of %s is not what was saved", strings.TrimSpace(line[2*sha256.Size:])))
		}
	}
	return bad(errors.New("a file is missing"))
}

// swap gives the directories that were read their names, and keeps those that had them. When it cannot, it puts back what it did.
func (r *backupReader) swap(parts []Part, now time.Time) (kept []string, err error) {
	var back []func() error
	move := func(from, to string) {
		if err == nil {
			if err = os.Rename(from, to); err == nil {
				back = append(back, func() error { return os.Rename(to, from) })
			}
		}
	}
	for _, p := range parts {
		old := p.Dir + ".before-" + now.Format("20060102-150405.000")
		if _, statErr := os.Lstat(p.Dir); statErr == nil {
			if os.Remove(p.Dir) != nil { // it has files, or is a link
				move(p.Dir, old)
				kept = append(kept, old)
			}
		}
		move(r.dirs[p.Name], p.Dir)
	}
	if err != nil {
		for i := len(back) - 1; i >= 0; i-- {
			err = errors.Join(err, back[i]())
		}
		return nil, err
	}
	for _, p := range parts {
		delete(r.dirs, p.Name)
		err = errors.Join(err, plainfile.SyncDir(filepath.Dir(p.Dir)))
	}
	return kept, err
}
