package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
)

// Name returns the canonical name of an entry of the listing.
func (l *Listing) Name(e Entry) string {
	if l.Dir == "." {
		return e.Path
	}
	return path.Join(l.Dir, e.Path)
}

func (l *Listing) below(e Entry) string {
	if l.top == "" {
		return e.Path
	}
	return l.top + "/" + e.Path
}

// ErrSkipped is the error for an entry that is not, or no longer, a file that may be read.
var ErrSkipped = errors.New("not a regular file that may be read")

// Open opens a regular file of the listing. Links that came since are not followed.
func (l *Listing) Open(e Entry) (*os.File, error) {
	f, err := l.tree.open(l.below(e))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || !l.links && linkedSecret(info)) {
		err = ErrSkipped
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Read reads the start of a regular file of the listing into buf, and reports whether that was all of it.
func (l *Listing) Read(e Entry, buf []byte) (n int, whole bool, err error) {
	return l.tree.slurp(l.below(e), buf, l.links)
}

// Info describes an entry, links not followed.
func (l *Listing) Info(e Entry) (fs.FileInfo, error) { return l.tree.root.Lstat(l.below(e)) }

// small returns the start of a small file, or nothing when there is none.
func (t *tree) small(name string) []byte {
	f, err := t.open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	return smallText(f)
}

func smallText(f *os.File) []byte {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(f, maxRules))
	return text
}

// Target returns the target of a link of the listing, or "" if the entry is not a link.
func (l *Listing) Target(e Entry) string {
	target, err := l.tree.root.Readlink(l.below(e))
	if err != nil {
		return ""
	}
	return target
}
