package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rein/kit/places"
)

// maskSecrets hides stores of credentials that the view would show: in the home directory, and on the machine.
func (v *view) maskSecrets(p backendPolicy) {
	for _, name := range places.SecretNames() {
		v.mask(filepath.Join(p.Home, name))
	}
	seen := listings{}
	for _, pattern := range places.MachineSecretNames() {
		for _, path := range seen.anyCase("/", strings.Split(strings.Trim(pattern, "/"), "/")) {
			v.mask(path)
		}
	}
	if os.Geteuid() == 0 {
		v.maskUnreadable(p)
	}
}

// listings are directories that were read: most patterns lead through the same few.
type listings map[string][]fs.DirEntry

func (l listings) read(dir string) []fs.DirEntry {
	entries, known := l[dir]
	if !known {
		entries, _ = os.ReadDir(dir)
		l[dir] = entries
	}
	return entries
}

// anyCase returns the paths below a directory that fit a path of patterns, in whatever case they are spelled there.
func (l listings) anyCase(dir string, patterns []string) []string {
	if path := filepath.Join(append([]string{dir}, patterns...)...); !strings.Contains(path, "*") && exists(path) {
		return []string{path}
	}
	var all []string
	for _, e := range l.read(dir) {
		if ok, err := filepath.Match(patterns[0], strings.ToLower(e.Name())); err != nil || !ok {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if len(patterns) == 1 {
			all = append(all, path)
		} else if e.IsDir() {
			all = append(all, l.anyCase(path, patterns[1:])...)
		}
	}
	return all
}

// rootOnly are where root keeps what other users may not read: host keys, passwords of services, their data. The number is
// how deep it is looked for.
var rootOnly = map[string]int{"/etc": 8, "/var/lib": 2, "/var/cache": 2, "/var/spool": 2, "/var/backups": 1}

// maskUnreadable hides from root's programs what an ordinary user could not read either, but for what the user named.
func (v *view) maskUnreadable(p backendPolicy) {
	for top, depth := range rootOnly {
		_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return fs.SkipDir
			}
			if d.Type()&fs.ModeSymlink != 0 {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return nil
			}
			closed := info.Mode().Perm()&0o004 == 0 || d.IsDir() && info.Mode().Perm()&0o001 == 0
			if closed && !slices.ContainsFunc(p.Readable, func(dir string) bool { return isAbove(dir, path) }) && !p.Grants(path) {
				v.mask(path)
			}
			if d.IsDir() && (closed || strings.Count(path, "/")-strings.Count(top, "/") >= depth) {
				return fs.SkipDir
			}
			return nil
		})
	}
}

// hide masks our own files and directories wherever programs would see them. In a place that they may write, a
// directory that is missing is made, so that they cannot make it, and what leads there stays where it is.
func (v *view) hide(p backendPolicy) error {
	for _, path := range p.Hidden {
		granted := p.Grants(path)
		if granted && !exists(path) {
			if err := os.MkdirAll(path, 0o700); err != nil {
				return fmt.Errorf("sandbox: make %s, which programs must not make: %w", path, err)
			}
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue // it is not there, and programs cannot make it
		}
		if granted && real != path {
			return fmt.Errorf("sandbox: %s is reached through a link in a place that programs may write: it cannot be protected", path)
		}
		if p.Grants(real) {
			v.hidden = append(v.hidden, real)
		}
		v.mask(real)
	}
	return nil
}
