package extend

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"rein/internal/plainfile"
)

// TrustItem is one file, or directory, that sessions would obey, as it is now.
type TrustItem struct {
	Kind TrustKind
	Path string // relative to the folder, with slashes
	Sum  string // hex SHA-256 of the content
}

func (i TrustItem) key() string { return string(i.Kind) + " " + i.Path }

// Bounds of what is looked at in one folder.
const (
	mostItems   = 2000
	mostEntries = 20000
	mostDepth   = 8
)

// errEnough ends a walk at a bound. What is behind it is not in the list, so it is not trusted.
var errEnough = errors.New("enough")

// Found lists what sessions in a workspace would obey of the folder: the files of table between the folder and the
// workspace, the instructions in all other directories where nested is set, and the files that instructions import.
// The order is that of the paths.
func (f *Folder) Found(workspace string, nested bool) []TrustItem {
	all := f.found(workspace, nested, "")
	sort.Slice(all, func(i, j int) bool { return all[i].key() < all[j].key() })
	return all
}

// TrustKind returns the items of one kind between the folder and the workspace that the user trusts, as they are now, and those that
// nobody trusts: the outer directories first, in each those of Dirs in their order. So a later one is the stronger one.
func (f *Folder) Kind(kind TrustKind, workspace string) (trusted, not []TrustItem) {
	all := f.found(workspace, false, kind)
	not = f.Untrusted(all)
	trusted = slices.DeleteFunc(all, func(i TrustItem) bool { return slices.Contains(not, i) })
	return trusted, not
}

// Warning is a line about what sessions do not obey; "" where there is nothing.
func (f *Folder) Warning(workspace string) string {
	all := f.Untrusted(f.Found(workspace, false))
	if len(all) == 0 {
		return ""
	}
	f.saying(all)
	names := strconv.Quote(all[0].Path)
	if len(all) > 1 {
		names += fmt.Sprintf(" and %d more", len(all)-1)
	}
	return "not used, because you do not trust this folder yet: " + names + "; rein trust shows what they say, --trust trusts them"
}

// found lists the items of a kind; "" means all kinds. The order is that of the directories and of table.
func (f *Folder) found(workspace string, nested bool, kind TrustKind) []TrustItem {
	in, err := plainfile.OpenIn(f.dir)
	if err != nil {
		return nil
	}
	defer in.Close()
	l := &lookingForContent{in: in, dir: f.dir, seen: map[string]bool{}}
	for dir := range f.between(workspace) {
		for _, row := range table() {
			if kind == "" || row.Kind == kind {
				l.glob(row, dir)
			}
		}
	}
	if nested {
		l.walk()
	}
	return l.items
}

// between returns the directories from the folder down to the workspace, relative to the folder.
func (f *Folder) between(workspace string) func(func(string) bool) {
	return func(yield func(string) bool) {
		rest, err := filepath.Rel(f.dir, workspace)
		if err != nil || !filepath.IsLocal(rest) {
			rest = "."
		}
		dir := "."
		if !yield(dir) || rest == "." {
			return
		}
		for part := range strings.SplitSeq(filepath.ToSlash(rest), "/") {
			if dir = path.Join(dir, part); !yield(dir) {
				return
			}
		}
	}
}

// looking collects the items of one folder.
type lookingForContent struct {
	in    plainfile.In
	dir   string
	seen  map[string]bool
	items []TrustItem
}

// glob adds the files of a row below a directory.
func (l *lookingForContent) glob(row TrustRow, dir string) {
	pattern := row.Pattern
	if dir != "." {
		pattern = escape(dir) + "/" + pattern
	}
	if !strings.ContainsAny(row.Pattern, "*") {
		l.add(row, path.Join(dir, row.Pattern), 0)
		return
	}
	entries := 0
	// What cannot be read is not in the list, so it is not trusted.
	_ = doublestar.GlobWalk(l.in.FS(), pattern, func(name string, e fs.DirEntry) error {
		if entries++; entries > mostItems {
			return errEnough
		}
		if !e.IsDir() {
			l.add(row, name, 0)
		}
		return nil
	})
}

// escape makes a path stand for itself in a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(dir)
}

// walk adds the instructions of all directories that are not hidden.
func (l *lookingForContent) walk() {
	entries := 0
	nested := slices.DeleteFunc(table(), func(r TrustRow) bool { return !r.Nested })
	_ = fs.WalkDir(l.in.FS(), ".", func(name string, e fs.DirEntry, err error) error { // the same
		if entries++; entries > mostEntries {
			return errEnough
		}
		if err != nil {
			return nil
		}
		if e.IsDir() {
			if name != "." && (strings.HasPrefix(e.Name(), ".") && e.Name() != ".claude" && e.Name() != ".github" || e.Name() == "node_modules" || strings.Count(name, "/") >= mostDepth) {
				return fs.SkipDir
			}
			return nil
		}
		for _, row := range nested {
			if strings.HasSuffix("/"+name, "/"+row.Pattern) {
				l.add(row, name, 0)
			}
		}
		return nil
	})
}

// add adds one file as it is now, and what it imports.
func (l *lookingForContent) add(row TrustRow, name string, depth int) {
	if l.seen[string(row.Kind)+name] || len(l.items) >= mostItems {
		return
	}
	l.seen[string(row.Kind)+name] = true
	if HoldsSecrets(filepath.Join(l.dir, name), l.dir, "") {
		return
	}
	text, err := l.in.Read(name)
	if err != nil || row.Holds != "" && !strings.Contains(string(text), row.Holds) {
		return
	}
	if row.Tree {
		name = path.Dir(name)
		if text, err = treeIn(l.in, name); err != nil {
			return
		}
	}
	l.items = append(l.items, TrustItem{Kind: row.Kind, Path: name, Sum: sumOf(text)})
	if row.Kind != TrustInstructions || depth == MostImports {
		return
	}
	for _, i := range Imports(string(text)) {
		if to := path.Join(path.Dir(name), i.Path); !strings.HasPrefix(i.Path, "/") && filepath.IsLocal(to) {
			l.add(TrustRow{Kind: TrustInstructions}, to, depth+1)
		}
	}
}
