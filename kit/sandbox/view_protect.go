package sandbox

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rein/kit/places"
)

// Protect returns the view as it is for one program: with the protected and the secret files that the writable places
// hold now. The masks that are the same for all programs come first: see Fixed.
func (v view) Protect(envFiles bool) view {
	fixed := v.Masked
	v.Locked, v.Masked = nil, nil
	v.freezeStart()
	for _, path := range v.hidden {
		v.pin(path)
	}
	paths, kinds := v.index.update()
	for i, path := range paths {
		switch kind := kinds[i]; {
		case kind == secretFile || kind == secretDir:
			if masks(path, envFiles) {
				v.Masked = append(v.Masked, viewBind{Target: path, Dir: kind == secretDir})
			}
		case kind == bareHead:
			v.lockBare(filepath.Dir(path))
		case kind < deepFile && v.Writable(path): // else it is read-only as it is
			v.lockSteering(path, kind == steeringDir)
		}
	}
	v.open()
	v.Fixed, v.Masked = len(fixed), slices.Concat(fixed, v.Masked)
	return v
}

// masks reports whether a file of secrets is closed.
func masks(path string, envFiles bool) bool {
	return !envFiles || !strings.HasPrefix(strings.ToLower(filepath.Base(path)), ".env")
}

// Secrets returns the files of secrets in the user's directories that programs may not open, as they are now.
func (v *view) Secrets(envFiles bool) []viewBind {
	var all []viewBind
	paths, kinds := v.index.update()
	for i, path := range paths {
		opened := slices.Contains(v.unlocked, path) || slices.Contains(v.unmasked, path)
		if kind := kinds[i]; (kind == secretFile || kind == secretDir) && masks(path, envFiles) && !opened {
			all = append(all, viewBind{Target: path, Dir: kind == secretDir})
		}
	}
	return all
}

// WaitForChange returns when something in the user's directories changed, or after a while.
func (v *view) WaitForChange(most time.Duration) {
	v.index.mu.Lock()
	w := v.index.watch
	v.index.mu.Unlock()
	w.wait(most)
}

// byFirstName sorts protected names by where they start: ".git" → "hooks", "config".
func byFirstName(names []string) map[string][]string {
	sorted := map[string][]string{}
	for _, name := range names {
		first, rest, _ := strings.Cut(name, "/")
		sorted[first] = append(sorted[first], rest)
	}
	return sorted
}

// skipped are directories of other people's code, large and without a say.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "vendor", "target", "dist", "build", "__pycache__", "testdata"}, name)
}

// lockSteering locks what is protected of an entry with a protected name.
func (v *view) lockSteering(name string, dir bool) {
	base := strings.ToLower(filepath.Base(name))
	if base == ".git" {
		v.lockRepository(name, dir)
	}
	for _, rest := range v.index.names[base] {
		if dir && (base == ".hg" || base == ".jj") { // what is made there is not in the user's tree
			v.makeMissing(name, rest, false)
		}
		v.lock(name, rest, dir)
	}
}

// lock makes a protected file read-only and keeps the directories above it from being renamed away: a new one in
// their place would not be protected.
func (v *view) lock(name, rest string, dir bool) {
	whole := filepath.Join(name, rest)
	info, err := os.Lstat(whole)
	if err != nil || info.Mode()&os.ModeSymlink != 0 {
		return
	}
	if rest != "" && dir {
		v.lockOnce(viewBind{Source: name, Target: name, Write: true, Dir: true})
		for up := path.Dir(rest); up != "."; up = path.Dir(up) {
			v.lockOnce(viewBind{Source: filepath.Join(name, up), Target: filepath.Join(name, up), Write: true, Dir: true})
		}
	}
	v.lockOnce(viewBind{Source: whole, Target: whole, Dir: info.IsDir()})
}

// Hides reports whether programs in the sandbox may not open a file of the workspace, by its name or that of a directory above it.
func Hides(name string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(filepath.ToSlash(name)), "/"), isCredentials)
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
