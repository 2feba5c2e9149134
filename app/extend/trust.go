package extend

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rein/internal/plainfile"
	"rein/kit/places"
)

// Folder is what the user answered about one folder. Several goroutines may use it at once.
type Folder struct {
	dir    string // absolute, links resolved
	file   string // where the answers are kept
	always bool

	mu   sync.Mutex
	read bool            // answers holds what the file has
	said map[string]bool // paths of which the user heard here that they are not used
	answers
}

// answers are the hashes that the user accepted or declined, by the names of Item.
type answers struct {
	Dir      string            `json:"dir"` // for a person who reads the file
	Trusted  map[string]string `json:"trusted,omitempty"`
	Declined map[string]string `json:"declined,omitempty"`
}

// OpenFolder returns a folder, whose absolute path has no links. file is where the answers are kept. always trusts the folder whatever
// it holds. Nothing is read yet.
func OpenFolder(file, dir string, always bool) *Folder {
	return &Folder{dir: dir, file: file, always: always}
}

// TopOfFolder returns the directory of the work tree that a directory is in, else the directory itself. The home directory is never
// a work tree that others filled.
func TopOfFolder(dir string) string {
	home, _ := os.UserHomeDir() // without one, every repository counts
	for d := dir; d != filepath.Dir(d) && d != home; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
	}
	return dir
}

// Dir returns the folder's absolute path.
func (f *Folder) Dir() string { return f.dir }

// At returns the same answers for a copy of the folder in another place, such as a work tree that a sub-agent has for itself.
func (f *Folder) At(dir string) *Folder { return &Folder{dir: dir, file: f.file, always: f.always} }

// ErrSecrets means that a file is not read, because its name says that it holds secrets.
var ErrSecrets = errors.New("files that may hold secrets are not read for this")

// HoldsSecrets reports whether the name of a file, or of what its links lead to, says that it holds secrets. home is the user's home
// directory, in which there are more of them; "" is none.
func HoldsSecrets(file, dir, home string) bool {
	at := places.Context{Workspaces: []string{dir}, Home: home}
	names := []string{file}
	if _, err := os.Lstat(file); err == nil { // most that is looked for is not there, and has no links
		if real, err := filepath.EvalSymlinks(file); err == nil && real != file {
			names = append(names, real)
			if top, err := filepath.EvalSymlinks(dir); err == nil {
				at.Workspaces = append(at.Workspaces, top)
			}
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		class := places.Classify(name, at)
		return class == places.Private || class == places.Secret
	})
}

// ReadContent reads a file of the folder: a regular file of at most 1 MiB. A link that leads out of the folder is an error, and so is a
// file that may hold secrets: what is read here goes to models, or to those who ask for trust.
func (f *Folder) Read(name string) ([]byte, error) {
	if HoldsSecrets(filepath.Join(f.dir, name), f.dir, "") {
		return nil, ErrSecrets
	}
	in, err := plainfile.OpenIn(f.dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Read(name)
}

// Trusted reports whether the user lets sessions obey this content. name is relative to the folder, with slashes, or
// absolute. It is false for what is outside of the folder.
func (f *Folder) Trusted(kind TrustKind, name string, content []byte) bool {
	if filepath.IsAbs(name) {
		rest, err := filepath.Rel(f.dir, name)
		if err != nil {
			return false
		}
		name = rest
	}
	if name = filepath.ToSlash(filepath.Clean(name)); !filepath.IsLocal(name) {
		return false
	}
	if f.always {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.load()
	sum, ok := f.answers.Trusted[TrustItem{Kind: kind, Path: name}.key()]
	return ok && sum == sumOf(content)
}

// TrustsHooks is Trusted for files with hooks.
func (f *Folder) TrustsHooks(name string, content []byte) bool {
	return f.Trusted(TrustHook, name, content)
}

// Always reports whether the user's settings trust the folder whatever it holds.
func (f *Folder) Always() bool { return f.always }

// New returns the items about which the user did not answer yet, in their order.
func (f *Folder) New(items []TrustItem) []TrustItem { return f.not(items, true) }

// Untrusted returns the items that sessions do not obey, in their order.
func (f *Folder) Untrusted(items []TrustItem) []TrustItem { return f.not(items, false) }

func (f *Folder) not(items []TrustItem, declined bool) (left []TrustItem) {
	if f.always {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.load()
	for _, i := range items {
		key := i.key()
		if f.answers.Trusted[key] != i.Sum && !(declined && f.answers.Declined[key] == i.Sum) {
			left = append(left, i)
		}
	}
	return left
}

// Accept lets sessions obey these items, as they are now.
func (f *Folder) Accept(items []TrustItem) error {
	return f.answer(func(a *answers) { move(items, a.Declined, a.Trusted) })
}

// Decline keeps that the user does not trust these items, so that nobody asks again while they do not change.
func (f *Folder) Decline(items []TrustItem) error {
	f.saying(items)
	return f.answer(func(a *answers) { move(items, a.Trusted, a.Declined) })
}

// saying notes items of which the user hears that they are not used.
func (f *Folder) saying(items []TrustItem) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.said == nil {
		f.said = map[string]bool{}
	}
	for _, i := range items {
		f.said[filepath.Join(f.dir, i.Path)] = true
	}
}

// Said reports whether the user heard of this process that the file is not used: Decline was the answer, or Warning said so.
func (f *Folder) Said(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.said[path]
}

// Forget takes all answers about the folder back.
func (f *Folder) Forget() error {
	return f.answer(func(a *answers) { clear(a.Trusted); clear(a.Declined) })
}

func move(items []TrustItem, from, to map[string]string) {
	for _, i := range items {
		delete(from, i.key())
		to[i.key()] = i.Sum
	}
}

func (f *Folder) answer(do func(*answers)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read = false // another process may have written
	f.load()
	next := answers{Dir: f.dir, Trusted: maps.Clone(f.answers.Trusted), Declined: maps.Clone(f.answers.Declined)}
	do(&next)
	text, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return err
	}
	if err := plainfile.Replace(f.file, text); err != nil {
		return fmt.Errorf("the answer cannot be kept: %w", err)
	}
	f.answers = next
	return nil
}

// load reads the answers once. A file that cannot be read, or is not ours, means that nothing is trusted.
func (f *Folder) load() {
	if f.read {
		return
	}
	f.read, f.answers = true, answers{}
	text, err := plainfile.Read(f.file)
	if err == nil {
		err = json.Unmarshal(text, &f.answers)
	}
	if err != nil {
		f.answers = answers{}
	}
	if f.answers.Trusted == nil {
		f.answers.Trusted = map[string]string{}
	}
	if f.answers.Declined == nil {
		f.answers.Declined = map[string]string{}
	}
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Tree returns the bytes that stand for a directory as a whole: a line for each file in it, with its path and hash. It fails
// where Read does.
func (f *Folder) Tree(name string) ([]byte, error) {
	in, err := plainfile.OpenIn(f.dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return treeIn(in, filepath.ToSlash(name))
}

// Bounds of a directory that is trusted as a whole.
const (
	mostFiles = 500
	mostBytes = 16 << 20
)

func treeIn(in plainfile.In, name string) (lines []byte, err error) {
	err = walk(in, name, func(path string, text []byte) {
		rest, _ := filepath.Rel(name, path) // the path is below
		lines = fmt.Appendf(lines, "%s %s\n", sumOf(text), filepath.ToSlash(rest))
	})
	return lines, err
}

// ReadContent reads all files of a directory of the user's, in the order of their paths. It fails where there are more than 500, or
// more than 16 MiB, or one that is no plain file.
func ReadContent(dir string, see func(name string, text []byte)) error {
	in, err := plainfile.OpenIn(dir)
	if err != nil {
		return err
	}
	defer in.Close()
	return walk(in, ".", see)
}

// EachFile reads the files below a directory of the user's with an ending, at most most, in the order of their paths. What cannot be
// read is left out.
func EachFile(dir, ending string, most int, see func(name string, text []byte)) {
	in, err := plainfile.OpenIn(dir)
	if err != nil {
		return
	}
	defer in.Close()
	for _, name := range in.Below(ending, most) {
		if text, err := in.Read(name); err == nil {
			see(name, text)
		}
	}
}

func walk(in plainfile.In, name string, see func(name string, text []byte)) error {
	files, bytes := 0, 0
	return fs.WalkDir(in.FS(), name, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := in.ReadUpTo(path, mostBytes)
		if err != nil {
			return err
		}
		if files, bytes = files+1, bytes+len(text); files > mostFiles || bytes > mostBytes {
			return fmt.Errorf("%s has more than %d files or %d bytes", name, mostFiles, mostBytes)
		}
		see(path, text)
		return nil
	})
}

// List returns the paths of the files of a directory with an ending, in their order; none where it cannot be read.
func (f *Folder) List(dir, ending string) (names []string) {
	in, err := plainfile.OpenIn(f.dir)
	if err != nil {
		return nil
	}
	defer in.Close()
	_ = fs.WalkDir(in.FS(), dir, func(name string, e fs.DirEntry, err error) error { // the same
		if err == nil && strings.HasSuffix(name, ending) && !e.IsDir() {
			names = append(names, name)
		}
		if err != nil || len(names) >= mostFiles || strings.Count(name, "/") >= mostDepth {
			return fs.SkipDir
		}
		return nil
	})
	return names
}
