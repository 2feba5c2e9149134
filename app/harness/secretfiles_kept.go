package harness

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"rein/app/settings"
	"rein/internal/plainfile"
)

// leastKept is how many directories a tree has that is kept between sessions: a smaller one is read as fast.
const leastKept = 200

// mostKept is how many bytes may be kept of a tree, which are 100 of each directory.
const mostKept = 64 << 20

// keptAs is the file that has what is known of a directory, and its first bytes: which files are of secrets, another program may
// see otherwise.
func (f *secretFinder) keptAs(dir string) (name string, head []byte) {
	program, err := os.Executable()
	info, failed := os.Stat(program)
	if f.Kept == "" || errors.Join(err, failed) != nil {
		return "", nil
	}
	sum := sha256.Sum256([]byte(dir + plainfile.Stamp(info)))
	return filepath.Join(f.Kept, settings.WorkspaceName(dir)), sum[:]
}

// load returns what the last session knew of a directory. The times of each directory below say whether it still is so.
func (f *secretFinder) load(dir string) *secretTree {
	name, head := f.keptAs(dir)
	data, err := plainfile.ReadUpTo(name, mostKept)
	if err != nil || len(data) < 2*sha256.Size || !bytes.HasPrefix(data, head) {
		return &secretTree{}
	}
	text := data[2*sha256.Size:]
	sum := sha256.Sum256(text)
	t := &secretTree{}
	if !bytes.Equal(sum[:], data[sha256.Size:2*sha256.Size]) || gob.NewDecoder(bytes.NewReader(text)).Decode(t) != nil {
		return &secretTree{}
	}
	return t
}

// keep writes what is known of large directories, for the next session: names and times, no contents. No search runs. What cannot be
// written is read again.
func (f *secretFinder) keep() {
	for dir, t := range f.trees {
		name, head := f.keptAs(dir)
		if name == "" || !f.news || t.size() < leastKept {
			continue
		}
		var text bytes.Buffer
		if gob.NewEncoder(&text).Encode(t) == nil { // where times are not known, there is nothing to keep
			sum := sha256.Sum256(text.Bytes())
			_ = plainfile.Replace(name, slices.Concat(head, sum[:], text.Bytes()))
		}
	}
}

// size is how many directories a tree has.
func (t *secretTree) size() int {
	n := 1
	for _, d := range t.Dirs {
		n += d.Tree.size()
	}
	return n
}
