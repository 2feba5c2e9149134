package view

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"rein/places"
)

const (
	// scanDepth and scanBudget bound the search for files that need protection: it is done before each program.
	scanDepth  = 3
	scanBudget = 400 // directories
)

// Protect gives the view as it is for one program: with the protected and the secret files that the writable places
// hold now. The masks that are the same for all programs come first: see Fixed.
func (v View) Protect(envFiles bool) View {
	fixed := v.Masked
	v.Locked, v.Masked = nil, nil
	v.freezeStart()
	for _, path := range v.hidden {
		v.pin(path)
	}
	s := scan{view: &v, envFiles: envFiles, budget: scanBudget}
	steering := protectedByFirstName()
	for _, b := range v.Shown {
		if !b.Work || b.Source != b.Target || !b.Dir {
			continue
		}
		if s.steering = steering; !b.Write {
			s.steering = nil // it is read-only as it is
		}
		s.dir(b.Target, 0)
	}
	v.open()
	v.Fixed, v.Masked = len(fixed), slices.Concat(fixed, v.Masked)
	return v
}

// protectedByFirstName sorts the protected names by where they start: ".git" → "hooks", "config".
func protectedByFirstName() map[string][]string {
	sorted := map[string][]string{}
	for _, name := range places.ProtectedNames() {
		first, rest, _ := strings.Cut(name, "/")
		sorted[first] = append(sorted[first], rest)
	}
	return sorted
}

// scan looks through the upper directories of a workspace.
type scan struct {
	view     *View
	envFiles bool
	steering map[string][]string
	budget   int
}

func (s *scan) dir(dir string, depth int) {
	if s.budget--; s.budget < 0 {
		return
	}
	f, err := os.Open(dir + "/.") // not a pipe in its place: opening that would wait
	if err != nil {
		return
	}
	entries, _ := f.ReadDir(-1) // what could be read of it
	f.Close()
	var below []string
	for _, e := range entries {
		s.entry(dir, e)
		if e.IsDir() && depth+1 < scanDepth && !skipped(e.Name()) {
			below = append(below, e.Name())
		}
	}
	slices.Sort(below)
	for _, name := range below {
		s.dir(filepath.Join(dir, name), depth+1)
	}
}

// skipped are directories of other people's code, large and without a say.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "vendor", "target", "dist", "build", "__pycache__", "testdata"}, name)
}

func (s *scan) entry(dir string, e os.DirEntry) {
	if e.Type()&os.ModeSymlink != 0 {
		return // what it points to is judged where it lies
	}
	base := strings.ToLower(e.Name())
	secret, steering := isCredentials(base), s.steering[base]
	if !secret && steering == nil {
		return
	}
	name := filepath.Join(dir, e.Name())
	if secret {
		if !s.envFiles || !strings.HasPrefix(base, ".env") {
			s.view.Masked = append(s.view.Masked, Bind{Target: name, Dir: e.IsDir()})
		}
		return
	}
	for _, rest := range steering {
		s.lock(name, rest, e.IsDir())
	}
}

// lock makes a protected file read-only and keeps the directories above it from being renamed away: a new one in
// their place would not be protected.
func (s *scan) lock(name, rest string, dir bool) {
	whole := filepath.Join(name, rest)
	info, err := os.Lstat(whole)
	if err != nil || info.Mode()&os.ModeSymlink != 0 {
		return
	}
	if rest != "" && dir {
		s.add(Bind{Source: name, Target: name, Write: true, Dir: true})
		for up := path.Dir(rest); up != "."; up = path.Dir(up) {
			s.add(Bind{Source: filepath.Join(name, up), Target: filepath.Join(name, up), Write: true, Dir: true})
		}
	}
	s.add(Bind{Source: whole, Target: whole, Dir: info.IsDir()})
}

func (s *scan) add(b Bind) {
	if !slices.Contains(s.view.Locked, b) {
		s.view.Locked = append(s.view.Locked, b)
	}
}

// isCredentials reports whether a file of the workspace is hidden: .env files but for their samples, and files
// that hold nothing but credentials.
func isCredentials(base string) bool {
	switch base {
	case ".git-credentials", ".netrc", "_netrc", ".pgpass", ".vault-token":
		return true
	}
	if !strings.HasPrefix(base, ".env") {
		return false
	}
	return places.Classify("/w/"+base, places.Context{Workspaces: []string{"/w"}}) == places.Private
}
