package workspace

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// tempPrefix starts the names of files that are being written. Walks leave them out.
const tempPrefix = ".rein-tmp-"

// draft is a file's new content, on disk and synced, before it is put in its place. Where the system can, it has no
// name until then, so that a crash leaves nothing behind.
type draft struct {
	location *location
	file     *os.File
	name     string // "" while it has none
	info     fs.FileInfo
}

// draft writes new content for the location. The caller puts it in place or discards it.
func (s *location) draft(data []byte) (*draft, error) {
	d := &draft{location: s}
	var err error
	if d.file, err = nameless(s.dir); err != nil {
		d.name = tempName()
		d.file, err = s.dir.OpenFile(d.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		return nil, err
	}
	if err := d.fill(data); err != nil {
		d.discard()
		return nil, err
	}
	return d, nil
}

func tempName() string { return tempPrefix + strings.ToLower(rand.Text()[:16]) }

func (d *draft) fill(data []byte) error {
	if _, err := d.file.Write(data); err != nil {
		return err
	}
	if old := d.location.info; old != nil {
		keepOwner(d.file, old) // first: a change of owner clears the set-user bits
		keepAttributes(d.file, d.location.dir, d.location.base, old)
		if err := d.file.Chmod(old.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)); err != nil {
			return err
		}
	}
	if err := d.file.Sync(); err != nil {
		return err
	}
	var err error
	d.info, err = d.file.Stat()
	return err
}

// replace puts the draft in place, over a file if there is one.
func (d *draft) replace() error {
	if d.name == "" {
		name := tempName()
		if err := link(d.file, d.location.dir, name); err != nil {
			return err
		}
		d.name = name
	}
	if err := d.location.dir.Rename(d.name, d.location.base); err != nil {
		return err
	}
	d.name = ""
	return d.file.Close()
}

// create puts the draft in place where no file exists. If one was created meanwhile, it stays, and the error is fs.ErrExist.
func (d *draft) create() error {
	if d.name == "" {
		if err := link(d.file, d.location.dir, d.location.base); err != nil {
			return err
		}
		return d.file.Close()
	}
	err := d.location.dir.Link(d.name, d.location.base)
	switch {
	case err == nil:
		d.discard()
		return nil
	case errors.Is(err, fs.ErrExist):
		return err
	}
	return d.replace() // a file system without hard links
}

// discard removes a draft that was not put in place.
func (d *draft) discard() {
	d.file.Close()
	if d.name != "" {
		_ = d.location.dir.Remove(d.name) // the reason why it was not put in place matters more
	}
}
