package sandbox

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"rein/internal/plainfile"
)

// Bounds of what is kept between sessions.
const (
	leastKept = 200                 // directories of a tree: a smaller one is read as fast
	mostKept  = 64 << 20            // bytes of a tree
	allKept   = 256 << 20           // bytes of all
	keptAge   = 30 * 24 * time.Hour // after the last session that used it
)

// keptTree is a file of what is kept: its SHA-256 comes before it.
type keptTree struct {
	Dir     string
	Program string // that wrote it: to another one, other names may matter
	Tree    *Tree
}

// thisProgram identifies the program: its file, which an update replaces.
var thisProgram = sync.OnceValue(func() string {
	name, err := os.Executable()
	info, failed := os.Stat(name)
	if errors.Join(err, failed) != nil {
		return ""
	}
	return plainfile.Stamp(info)
})

// keptAs is the file that has what is known of a directory; "": nothing is kept.
func (x *Trees) keptAs(dir string) string {
	if x.Kept == "" || thisProgram() == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(x.Kept, hex.EncodeToString(sum[:8]))
}

// load returns what the last session knew of a directory. The times of each directory below say whether it still is so.
func (x *Trees) load(dir string) *Tree {
	name := x.keptAs(dir)
	data, err := plainfile.ReadUpTo(name, mostKept)
	k := keptTree{}
	if err != nil || len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data) ||
		gob.NewDecoder(bytes.NewReader(data[sha256.Size:])).Decode(&k) != nil || k.Dir != dir || k.Program != thisProgram() || k.Tree == nil {
		return &Tree{}
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // it is used: see tidy
	return k.Tree
}

// Keep writes what is known of large directories, for the next session: names and times, no contents. What cannot be written is read
// again. No walk runs any more.
func (x *Trees) Keep() {
	if x == nil || x.Kept == "" {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for dir, t := range x.all {
		name := x.keptAs(dir)
		var text bytes.Buffer
		if name == "" || !x.news[dir] || t.State == (folderState{}) || t.size() < leastKept || gob.NewEncoder(&text).Encode(keptTree{dir, thisProgram(), t}) != nil {
			continue
		}
		sum := sha256.Sum256(text.Bytes())
		x.news[dir] = plainfile.Replace(name, append(sum[:], text.Bytes()...)) != nil
	}
	x.tidy()
}

// tidy removes what no session has used for long, as that of a directory that is gone, and the oldest where all are too large.
func (x *Trees) tidy() {
	entries, _ := os.ReadDir(x.Kept) // none yet
	var all []os.FileInfo
	var size int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if time.Since(info.ModTime()) > keptAge {
			_ = os.Remove(filepath.Join(x.Kept, e.Name())) // else the next session does
			continue
		}
		all, size = append(all, info), size+info.Size()
	}
	slices.SortFunc(all, func(a, b os.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for ; size > allKept; all = all[1:] {
		_ = os.Remove(filepath.Join(x.Kept, all[0].Name())) // the same
		size -= all[0].Size()
	}
}
