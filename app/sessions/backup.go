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
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"rein/app/internal/database"
	"rein/internal/plainfile"
	"rein/journal"
)

// The files backup….go save and restore everything that rein keeps as one archive: a tar compressed with zstd. Its first file is
// backup.json, a backupHead. The files of each part follow, as PART/PATH. The last one is SHA256SUMS, in the form of sha256sum: an
// archive without it is not whole.
const (
	backupFormat   = 1
	backupHeadName = "backup.json"
	backupSumsName = "SHA256SUMS"
)

// backupHead says what an archive is.
type backupHead struct {
	Format int       `json:"format"` // backupFormat
	Rein   string    `json:"rein"`   // the version of the program that wrote it
	Made   time.Time `json:"made"`
}

// Part is a directory of which a backup holds the files.
type Part struct {
	Name string // in the archive: one word
	Dir  string
}

// Saved is what a backup holds.
type Saved struct {
	Files int       `json:"files"`
	Bytes int64     `json:"bytes"`          // of the files; the archive is smaller
	Rein  string    `json:"rein,omitempty"` // the version that made it
	Made  time.Time `json:"made"`
	Notes []string  `json:"notes,omitempty"` // what is left out, and why
	Kept  []string  `json:"kept,omitempty"`  // after a restore: the directories with what was there before
}

// Backup saves the files of parts in an archive that only the user may read. Sessions and the server may be at work: each
// database is saved as it is between two transactions, a journal as far as it is written, and the store of undo with all that its
// log names. Lock files, sockets and unfinished files are left out. The archive gets its name when it is whole and on the disk; a
// file that has the name already is replaced only with replace. A process that is killed leaves NAME.part-…. version is that of
// the program.
func Backup(ctx context.Context, name string, parts []Part, version string, replace bool) (s Saved, err error) {
	if name, err = filepath.Abs(name); err != nil {
		return s, err
	}
	for _, p := range parts {
		if rel, err := filepath.Rel(p.Dir, name); err == nil && filepath.IsLocal(rel) {
			return s, fmt.Errorf("%s lies in %s, which it would hold: name a file elsewhere", name, p.Dir)
		}
	}
	if _, err := os.Lstat(name); err == nil && !replace {
		return s, fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	if _, err := os.Stat(filepath.Dir(name)); err != nil {
		return s, err
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".part-*") // mode 0600
	if err != nil {
		return s, err
	}
	w := backupWriter{ctx: ctx, temp: f.Name() + ".db", saved: Saved{Rein: version, Made: time.Now().UTC().Truncate(time.Second)}}
	err = w.writeAll(f, parts)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return s, errors.Join(err, os.Remove(f.Name()))
	}
	return w.saved, plainfile.SyncDir(filepath.Dir(name))
}

// backupWriter writes one archive.
type backupWriter struct {
	ctx   context.Context
	tar   *tar.Writer
	temp  string // the name of the file for copies of databases
	sums  bytes.Buffer
	saved Saved
}

func (w *backupWriter) writeAll(to io.Writer, parts []Part) error {
	z, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	w.tar = tar.NewWriter(z)
	head, err := json.Marshal(backupHead{backupFormat, w.saved.Rein, w.saved.Made})
	if err == nil {
		err = w.text(backupHeadName, head)
	}
	for _, p := range parts {
		if err == nil {
			err = w.dir(p.Dir, p.Name)
		}
	}
	if err == nil {
		err = w.text(backupSumsName, w.sums.Bytes())
	}
	return errors.Join(err, w.tar.Close(), z.Close())
}

// text writes a file of the archive's own.
func (w *backupWriter) text(name string, text []byte) error {
	err := w.tar.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o600, ModTime: w.saved.Made})
	if err == nil {
		_, err = w.tar.Write(text)
	}
	return err
}

// dir saves what is in a directory, as name. The store of undo is opened as a whole while nobody changes it.
func (w *backupWriter) dir(dir, name string) error {
	if matched, _ := path.Match("state/undo/*", name); !matched {
		return w.entries(dir, name, func(file, as string) error { return w.file(file, as) })
	}
	var opened []openedFile
	defer func() {
		for _, o := range opened {
			_ = o.file.Close()
		}
	}()
	var err error
	collect := func() {
		err = w.entries(dir, name, func(file, as string) error {
			o, err := openForBackup(file, as)
			if err == nil && o.file != nil {
				opened = append(opened, o)
			}
			return err
		})
	}
	for try := 1; !journal.Settled(dir, collect); try++ {
		if try > 4000 {
			return fmt.Errorf("%s is in use for more than 20 seconds: try again", dir)
		}
		if err := sleep(w.ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
	for _, o := range opened {
		if err == nil {
			err = w.stream(o)
		}
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// entries calls do for each file of a directory, and goes into its directories. What refers to other files comes before them: what
// a journal names is there when the journal is.
func (w *backupWriter) entries(dir, name string, do func(file, as string) error) error {
	all, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b fs.DirEntry) int { return first(a.Name()) - first(b.Name()) })
	for _, e := range all {
		file, as := filepath.Join(dir, e.Name()), path.Join(name, e.Name())
		if err := w.ctx.Err(); err != nil {
			return err
		}
		info, err := os.Stat(file) // a link to a file is saved as the file
		switch {
		case notSaved(as) || errors.Is(err, fs.ErrNotExist) && e.Type()&fs.ModeSymlink == 0:
		case err != nil || info.IsDir() && !e.IsDir():
			w.note(as, "left out: a link to a directory, or to nothing")
		case strings.Contains(as, "\n"):
			w.note(as, "left out: a name of two lines")
		case info.IsDir():
			err = w.dir(file, as)
			if err != nil {
				return err
			}
		case info.Mode().IsRegular():
			if err := do(file, as); err != nil {
				return fmt.Errorf("save %s: %w", file, err)
			}
		}
	}
	return nil
}

// first is 0 for a journal, else 1.
func first(name string) int {
	if name == journal.FileName {
		return 0
	}
	return 1
}

func (w *backupWriter) note(name, text string) {
	w.saved.Notes = append(w.saved.Notes, name+": "+text)
}

// notSaved reports whether a name of the archive is one that only the process which made it needs, or a cache.
func notSaved(name string) bool {
	base := path.Base(name)
	for _, pattern := range []string{"sessions/*/lock", "sessions/*/holder.json", "state/undo/*/lock", "state/undo/*/live-*", "state/undo/*/.new-*", "state/evals/attempts"} {
		if matched, _ := path.Match(pattern, name); matched {
			return true
		}
	}
	for _, end := range []string{".db-wal", ".db-shm", ".db-journal", ".lock"} {
		if strings.HasSuffix(base, end) && !strings.HasPrefix(name, "config/") {
			return true
		}
	}
	return strings.HasPrefix(base, ".rein-")
}

// openedFile is a file as it was when it was opened.
type openedFile struct {
	file *os.File
	info fs.FileInfo
	name string // in the archive
}

// openForBackup opens a file; the result has none when it has gone meanwhile.
func openForBackup(file, as string) (o openedFile, err error) {
	f, err := plainfile.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	} else if err != nil {
		return o, err
	}
	info, err := f.Stat()
	if err != nil {
		return o, errors.Join(err, f.Close())
	}
	return openedFile{f, info, as}, nil
}

// file saves a file, a database as it is between two transactions.
func (w *backupWriter) file(file, as string) error {
	o, err := openForBackup(file, as)
	if err != nil || o.file == nil {
		return err
	}
	defer o.file.Close()
	const magic = "SQLite format 3\x00"
	var begin [len(magic)]byte
	if n, _ := o.file.ReadAt(begin[:], 0); n < len(magic) || string(begin[:]) != magic {
		return w.stream(o)
	}
	defer os.Remove(w.temp)
	if err := database.Copy(w.ctx, file, w.temp); err != nil {
		if w.ctx.Err() != nil {
			return err
		}
		w.note(as, "saved as it is, because it cannot be read as a database: "+err.Error())
		return w.stream(o)
	}
	c, err := openForBackup(w.temp, as)
	if err != nil {
		return err
	}
	defer c.file.Close()
	return w.stream(c)
}

// stream writes an open file into the archive, as long as it was when it was opened.
func (w *backupWriter) stream(o openedFile) error {
	size, from := o.info.Size(), io.Reader(o.file)
	if size <= 1<<20 { // a short file may have become shorter
		text, err := io.ReadAll(io.LimitReader(o.file, size))
		if err != nil {
			return err
		}
		size, from = int64(len(text)), bytes.NewReader(text)
	}
	h := &tar.Header{Name: o.name, Size: size, Mode: int64(o.info.Mode().Perm()&0o700 | 0o400), ModTime: o.info.ModTime().Truncate(time.Second)}
	if err := w.tar.WriteHeader(h); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(w.tar, sum), from, size); errors.Is(err, io.EOF) {
		return errors.New("the file became shorter while it was saved: try again")
	} else if err != nil {
		return err
	}
	fmt.Fprintf(&w.sums, "%x  %s\n", sum.Sum(nil), o.name)
	w.saved.Files++
	w.saved.Bytes += size
	return nil
}
