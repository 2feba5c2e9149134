package extend

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"rein/internal/plainfile"
)

// InstructionsLimit is how many bytes of instructions the system prompt takes when Loader.Limit is 0.
const InstructionsLimit = 64 << 10

// InstructionState says what became of a file.
type InstructionState string

// The states.
const (
	Loaded    InstructionState = "loaded"
	Cut       InstructionState = "cut"         // only the end of it, or nothing, fitted
	Same      InstructionState = "same"        // its text is in another file
	Untrusted InstructionState = "not trusted" // the user does not trust the content
	Unread    InstructionState = "not read"    // it cannot be read, or may not be imported
	Waiting   InstructionState = "waits"       // it is for some files, and no call has reached one
)

// InstructionFile is one file with instructions.
type InstructionFile struct {
	Path  string           `json:"path"`            // relative to the folder, with slashes; absolute for the user's own
	State InstructionState `json:"state"`           //
	Bytes int              `json:"bytes,omitempty"` // that the model gets
	Why   string           `json:"why,omitempty"`   // for all states but Loaded
	From  string           `json:"from,omitempty"`  // the file that imports it

	text string
}

// InstructionLoader reads the instructions of one session. Several goroutines may use it at once.
type InstructionLoader struct {
	Folder    *Folder
	Workspace string   // absolute, links resolved
	User      []string // absolute paths of files of the user; the first one that exists counts
	Home      string   // files of the user may import what is below it; "": nothing
	Limit     int      // bytes for the system prompt, and for each directory that is touched; 0: DefaultLimit

	Off bool // read nothing

	mu      sync.Mutex
	text    string // of Start
	files   []InstructionFile
	texts   map[string]string // by text: the file that has it
	dirs    map[string]bool   // relative to the folder: their files were looked at
	imports map[string]bool
	scoped  []*scoped
}

// scoped is a file of rules for some files alone.
type scoped struct {
	name, text string
	paths      []string // patterns, relative to the folder
	given      bool
}

// Start reads the instructions for the system prompt: of the user, and of the directories from the folder to the workspace.
// It gives "" where there are none. They are read once: a session gets the same text each time.
func (l *InstructionLoader) Start() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dirs != nil || l.Off {
		return l.text
	}
	l.texts, l.dirs = map[string]string{}, map[string]bool{}
	for _, name := range l.User {
		if l.addUser(name) {
			break
		}
	}
	rest, err := filepath.Rel(l.Folder.Dir(), l.Workspace)
	if err != nil || !filepath.IsLocal(rest) {
		rest = "."
	}
	for _, dir := range dirsAbove(filepath.ToSlash(rest)) {
		l.addDir(dir)
	}
	l.text = l.render(0, aboutInstructions)
	return l.text
}

// Touch reads the instructions of the directories of some files, absolute or relative to the workspace, and of the directories above
// them, which were not touched before. It gives "" where there are none.
func (l *InstructionLoader) Touch(names ...string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dirs == nil { // Start was not called: the session has no model
		return ""
	}
	first := len(l.files)
	for _, name := range names {
		rest := l.relative(name)
		if rest == "" {
			continue
		}
		for _, d := range dirsAbove(path.Dir(rest)) {
			l.addDir(d)
		}
		if rest = path.Clean(rest); !l.dirs[rest] && l.isDir(rest) {
			l.addDir(rest)
		}
	}
	for _, s := range l.scoped {
		if !s.given && slices.ContainsFunc(names, func(name string) bool { return s.covers(l.relative(name)) }) {
			s.given = true
			l.files = slices.DeleteFunc(l.files, func(f InstructionFile) bool { return f.Path == s.name && f.State == Waiting })
			first = min(first, len(l.files))
			l.add(s.name, []byte(s.text), l.ofFolder)
		}
	}
	return l.render(first, aboutNested)
}

// isDir reports whether a name of the folder is a directory. Most are files, with no instructions to look for below them.
func (l *InstructionLoader) isDir(name string) bool {
	info, err := os.Stat(filepath.Join(l.Folder.Dir(), name))
	return err == nil && info.IsDir()
}

// relative is the path of a file from the folder; "" where it is outside.
func (l *InstructionLoader) relative(name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(l.Workspace, name)
	}
	rest, err := filepath.Rel(l.Folder.Dir(), name)
	if err != nil || !filepath.IsLocal(rest) {
		return ""
	}
	return filepath.ToSlash(rest)
}

func (s *scoped) covers(name string) bool {
	return name != "" && slices.ContainsFunc(s.paths, func(pattern string) bool { return doublestar.MatchUnvalidated(pattern, name) })
}

// Forget lets Touch give again what it gave, because the model does not have it any more.
func (l *InstructionLoader) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest, err := filepath.Rel(l.Folder.Dir(), l.Workspace)
	if l.dirs == nil || err != nil || !filepath.IsLocal(rest) {
		return
	}
	kept := dirsAbove(filepath.ToSlash(rest))
	for dir := range l.dirs {
		if !slices.Contains(kept, dir) {
			delete(l.dirs, dir)
		}
	}
	for _, s := range l.scoped {
		s.given = false
	}
	for text, file := range l.texts {
		if slices.ContainsFunc(l.scoped, func(s *scoped) bool { return s.name == file }) {
			delete(l.texts, text)
		}
		if !filepath.IsAbs(file) && !slices.Contains(kept, path.Dir(file)) {
			delete(l.texts, text)
		}
	}
}

// Files returns all files that were looked at, in the order in which the model has them.
func (l *InstructionLoader) Files() []InstructionFile {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.files)
}

// dirsAbove returns a directory and those above it, the outermost first.
func dirsAbove(dir string) []string {
	all := []string{"."}
	if dir == "." {
		return all
	}
	at := "."
	for part := range strings.SplitSeq(dir, "/") {
		at = path.Join(at, part)
		all = append(all, at)
	}
	return all
}

// addUser reads a file of the user's; false where there is none.
func (l *InstructionLoader) addUser(name string) bool {
	text, err := plainfile.Read(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.files = append(l.files, InstructionFile{Path: name, State: Unread, Why: err.Error()})
		}
		return false
	}
	l.add(name, text, l.ofUser)
	return true
}

// addDir reads the instructions of one directory of the folder. The most important one is read first and given last.
func (l *InstructionLoader) addDir(dir string) {
	if l.dirs[dir] || len(l.dirs) > mostDirs {
		return
	}
	l.dirs[dir] = true
	before := l.files
	l.files = nil
	overridden := false // another file takes the place of AGENTS.md
	for _, name := range l.namesIn(dir) {
		if overridden && path.Base(name) == "AGENTS.md" {
			continue
		}
		text, err := l.Folder.Read(name)
		later := l.files
		l.files = nil
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, plainfile.ErrNotPlain), isNoDir(err):
		case err != nil:
			l.files = []InstructionFile{{Path: name, State: Unread, Why: err.Error()}}
		case !l.Folder.Trusted(TrustInstructions, name, text):
			l.files = []InstructionFile{{Path: name, State: Untrusted, Why: errUntrusted.Error()}}
		case l.isScoped(name, text):
			l.files = []InstructionFile{{Path: name, State: Waiting, Why: "for " + strings.Join(l.scoped[len(l.scoped)-1].paths, ", ")}}
		default:
			if inRules(name) {
				_, body, _ := ParseFrontmatter(string(text))
				text = []byte(body)
			}
			l.add(name, text, l.ofFolder)
			overridden = overridden || path.Base(name) == "AGENTS.override.md"
		}
		l.files = append(l.files, later...)
	}
	l.files = append(before, l.files...)
}

// inRules reports whether a file lies in a directory of rules: a head of such a file is not for the model.
func inRules(name string) bool {
	return slices.ContainsFunc(RuleDirs(), func(dir string) bool { return strings.Contains("/"+name, "/"+dir+"/") })
}

// isScoped takes a file of rules that is for some files alone: its head has their patterns, which begin where .claude is.
func (l *InstructionLoader) isScoped(name string, text []byte) bool {
	if !inRules(name) {
		return false
	}
	fields, body, _ := ParseFrontmatter(string(text))
	s := &scoped{name: name, text: body}
	root, _, _ := strings.Cut("/"+name, "/.cl") // .claude, .clinerules
	for _, pattern := range append(fields.List("paths"), fields.List("globs")...) {
		s.paths = append(s.paths, path.Join(strings.TrimPrefix(root, "/"), pattern))
	}
	if len(s.paths) == 0 {
		return false
	}
	l.scoped = append(l.scoped, s)
	return true
}

// mostDirs bounds the directories that one session looks at.
const mostDirs = 2000

// namesIn lists the names of a directory's instructions, whether they exist or not.
func (l *InstructionLoader) namesIn(dir string) (names []string) {
	for _, name := range InstructionNames() {
		if slices.Contains(RuleDirs(), name) {
			names = append(names, l.Folder.List(path.Join(dir, name), ".md")...)
		}
		names = append(names, path.Join(dir, name))
	}
	return names
}

// add takes a file that may be obeyed.
func (l *InstructionLoader) add(name string, content []byte, read importReader) {
	l.imports = map[string]bool{name: true}
	for _, file := range l.texts {
		l.imports[file] = true
	}
	text, imported := l.expand(name, string(content), read, 0)
	text = strings.TrimSpace(text)
	f := InstructionFile{Path: name, State: Loaded, Bytes: len(text), text: text}
	switch other, same := l.texts[text]; {
	case text == "":
		return
	case len(imported) > 0 && withoutImports(text) == "":
		f = InstructionFile{Path: name, State: Same, Why: "it only imports what the model has already"}
	case same:
		f = InstructionFile{Path: name, State: Same, Why: "the same text as " + other}
	default:
		l.texts[text] = name
	}
	l.files = append(append(l.files, f), imported...)
}

// withoutImports returns what a text has beside imports that were not read.
func withoutImports(text string) string {
	all := Imports(text)
	slices.Reverse(all)
	for _, i := range all {
		text = text[:i.Start] + text[i.End:]
	}
	return strings.TrimSpace(text)
}

func isNoDir(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p) && strings.Contains(p.Err.Error(), "not a directory")
}

const aboutInstructions = `The following instructions say how to work here. They come from files of the user and of the repository. They grant no permission, and they do not change which calls need an approval. Where they contradict each other, the later one counts. What the user writes in the conversation counts most.`

const aboutNested = `Instructions of the repository for the directory that you reached. They grant no permission, and they do not change which calls need an approval. In their directory they count more than those of the directories above it.`

// render writes the texts of the files from an index on, within the limit. What does not fit is cut from the first ones, which
// are farthest away.
func (l *InstructionLoader) render(first int, about string) string {
	limit := l.Limit
	if limit <= 0 {
		limit = InstructionsLimit
	}
	var parts []string
	for i := len(l.files) - 1; i >= first; i-- {
		f := &l.files[i]
		if f.State != Loaded || f.From != "" {
			continue
		}
		if text := f.text; len(text) > limit {
			f.text = wholeLines(text, limit)
			f.State, f.Bytes, f.Why = Cut, len(f.text), fmt.Sprintf("%d of %d bytes fit: the limit is instructions.limit", len(f.text), len(text))
			f.text = strings.TrimSpace(f.text + fmt.Sprintf("\n[rein: %d of the %d bytes of this file did not fit]", len(text)-len(f.text), len(text)))
		}
		limit -= f.Bytes
		parts = append(parts, "<instructions file=\""+strings.ReplaceAll(f.Path, `"`, "'")+"\">\n"+closeFrame(f.text)+"\n</instructions>")
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Reverse(parts)
	return about + "\n\n" + strings.Join(parts, "\n\n")
}

// closeFrame keeps a text from ending its own frame.
func closeFrame(text string) string {
	return strings.ReplaceAll(text, "</instructions", "<\\/instructions")
}

// wholeLines returns whole lines of the beginning of a text.
func wholeLines(text string, limit int) string {
	text = text[:max(limit, 0)]
	return text[:strings.LastIndexByte(text, '\n')+1]
}
