package workspace

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// The limits of a name. A longer one is refused before the file system is used.
const (
	maxName  = 4096 // bytes
	maxDepth = 255  // elements
	maxLinks = 40   // symbolic links followed for one name
)

// place finds the tree that a name starts in, and the elements left to walk there. Nothing is cleaned: what ".."
// means after a link is known only while walking.
func (w *Workspace) place(name string) (*tree, []string, error) {
	if err := plain(name); err != nil {
		return nil, nil, err
	}
	full := filepath.ToSlash(name)
	if (full == "~" || strings.HasPrefix(full, "~/")) && w.home != "" {
		full = filepath.ToSlash(w.home) + full[1:]
	}
	if !filepath.IsAbs(full) && !strings.HasPrefix(full, "/") {
		return w.trees[0], strings.Split(full, "/"), nil
	}
	t, rest := w.nearest(full)
	if t == nil {
		return nil, nil, w.outside(name)
	}
	return t, rest, nil
}

// nearest finds the tree with the longest spelling that starts an absolute name.
func (w *Workspace) nearest(full string) (best *tree, rest []string) {
	longest := -1
	consider := func(t *tree) {
		for _, s := range t.spelt {
			if r, ok := below(filepath.ToSlash(s), full); ok && len(s) > longest && t.holds(r) {
				best, rest, longest = t, r, len(s)
			}
		}
	}
	for _, t := range w.trees {
		consider(t)
	}
	for _, t := range w.added.list() {
		consider(t)
	}
	return best, rest
}

// below strips dir from the front of an absolute name, element by element, and stops at "..".
func below(dir, full string) ([]string, bool) {
	have := strings.Split(full, "/")
	for _, want := range strings.Split(strings.Trim(dir, "/"), "/") {
		if want == "" {
			continue
		}
		for len(have) > 0 && (have[0] == "" || have[0] == ".") {
			have = have[1:]
		}
		if len(have) == 0 || have[0] != want {
			return nil, false
		}
		have = have[1:]
	}
	return have, true
}

// plain refuses a name that cannot be a path.
func plain(name string) error {
	bad := func(text, hint string) error {
		return &Error{Kind: BadName, Name: name, Text: text, Hint: hint}
	}
	switch {
	case name == "":
		return bad("the path is empty", `Send a path relative to the workspace, or "." for the workspace itself.`)
	case strings.IndexByte(name, 0) >= 0:
		return bad(quote(name)+" contains a NUL byte", "Send the path without it.")
	case len(name) > maxName:
		return bad(fmt.Sprintf("the path has %d bytes; the limit is %d", len(name), maxName), "Use a shorter path.")
	case strings.Count(name, "/") > maxDepth:
		return bad(fmt.Sprintf("the path has more than %d elements", maxDepth), "Use a shorter path.")
	case strings.HasPrefix(name, "file:"):
		return bad(quote(name)+" is a URL, not a path", "Send the plain path.")
	case address(name):
		return bad(quote(name)+" is an address, not a path", "Send the path of a file; output://… is for read_file, and a web address for web_fetch.")
	case filepath.Separator == '/' && foreign(name):
		return bad(quote(name)+" is a Windows path; this machine is not Windows", "Send a path relative to the workspace, with forward slashes.")
	}
	return nil
}

// address reports whether a name begins like a URL: nobody means a file below a directory "https:".
func address(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && scheme != "" && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz") == ""
}

// foreign reports whether a name is an absolute path of Windows.
func foreign(name string) bool {
	if strings.HasPrefix(name, `\\`) {
		return true
	}
	return len(name) > 2 && name[1] == ':' && name[2] == '\\' && (name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z')
}

// canonical names a place: relative to the workspace where it is inside, else absolute, with forward slashes.
func (w *Workspace) canonical(t *tree, elements []string) string {
	if t == w.trees[0] {
		if len(elements) == 0 {
			return "."
		}
		return strings.Join(elements, "/")
	}
	full := path.Join(append([]string{filepath.ToSlash(t.dir)}, elements...)...)
	if own, rest := w.nearest(full); own != nil && own != t {
		return w.canonical(own, rest)
	}
	return full
}

func (w *Workspace) outside(name string) error {
	hint := "Use a path inside " + w.Dir()
	if len(w.trees) > 1 {
		hint = "Use a path inside one of " + strings.Join(w.Dirs(), ", ")
	}
	ask := w.Ask
	if ask == "" {
		ask = "only the user can add a directory (--add-dir)"
	}
	return &Error{Kind: Outside, Name: name, Text: quote(name) + " is outside the workspace", Hint: hint + "; " + ask}
}
