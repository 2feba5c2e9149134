package sandbox

import (
	"bufio"
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"rein/internal/plainfile"
	"rein/kit/places"
)

// mostSteeringFiles bounds the files of one protected directory that are looked at for a change.
const mostSteeringFiles = 500

// Steering describes the files of the user's directories that run programs later, or that tools and agents obey (settings
// of editors, hooks, instructions for agents): for each its path, and which file with which content it is, as far as the
// system's times show it. Changes between two calls are what a program did. Of a repository these are what git would execute or what
// leads it elsewhere, not what it keeps.
func (v *view) Steering() map[string]string {
	all := map[string]string{}
	paths, kinds := v.index.update()
	for i, path := range paths {
		base := strings.ToLower(filepath.Base(path))
		switch {
		case kinds[i] == bareHead:
			v.describeRepository(all, filepath.Dir(path))
		case base == ".git":
			v.describeRepository(all, path)
		default:
			for _, rest := range v.index.told[base] {
				v.describe(all, "", filepath.Join(path, rest))
			}
		}
	}
	return all
}

// repositoryParts are the parts of a directory of git that are looked at.
var repositoryParts = []string{"hooks", "config", "config.worktree", "commondir", blockedCommon, "info/attributes", "rebase-merge", "worktrees", "modules"}

// describeRepository adds what git would execute or follow of a repository.
func (v *view) describeRepository(all map[string]string, git string) {
	if info, err := os.Lstat(git); err == nil && !info.IsDir() {
		v.describe(all, "", git) // it leads elsewhere
		return
	}
	for _, part := range repositoryParts {
		v.describe(all, git, filepath.Join(git, part))
	}
}

// gitFollows reports whether git executes or follows a file of its directory.
func gitFollows(git, file string) bool {
	dir, base := filepath.Base(filepath.Dir(file)), filepath.Base(file)
	below := strings.TrimPrefix(file, git)
	switch {
	case base == "git-rebase-todo":
		return runsPrograms(file)
	case strings.Contains(below, "/rebase-merge/"):
		return false
	case dir == "hooks":
		return !strings.HasSuffix(base, ".sample")
	case base == "config" || base == "config.worktree":
		return !plainGitSettings(file)
	case strings.HasPrefix(below, "/modules/"):
		return false
	case strings.HasPrefix(below, "/worktrees/"):
		return base == "commondir" || base == "gitdir"
	}
	return true
}

// harmlessGitSettings are settings that make git run nothing and lead it nowhere, by section.
var harmlessGitSettings = map[string][]string{
	"core":       {"repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "precomposeunicode", "symlinks", "autocrlf", "eol", "safecrlf", "quotepath", "compression", "longpaths", "sparsecheckout", "sparsecheckoutcone"},
	"remote":     {"url", "fetch", "push", "pushurl", "mirror", "tagopt", "prune", "promisor", "partialclonefilter"},
	"branch":     {"remote", "merge", "rebase", "pushremote", "description"},
	"user":       {"name", "email"},
	"extensions": {"objectformat", "partialclone", "worktreeconfig", "refstorage"},
	"submodule":  {"url", "active", "branch"},
	"init":       {"defaultbranch"}, "pull": {"rebase", "ff"}, "push": {"default", "autosetupremote", "followtags"}, "merge": {"ff", "conflictstyle"}, "rebase": {"autostash", "autosquash"},
	"fetch": {"prune"}, "color": {"ui"}, "advice": nil, "gc": {"auto"}, "maintenance": {"auto"}, "lfs": {"repositoryformatversion"},
}

// plainGitSettings reports whether a file of git's settings is known to have no effect but on what git says and where branches belong.
func plainGitSettings(file string) bool {
	text, err := plainfile.Read(file)
	if err != nil {
		return os.IsNotExist(err)
	}
	section, lines := "", bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section, _, _ = strings.Cut(strings.ToLower(strings.Trim(line, "[]")), " ")
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch known, ok := harmlessGitSettings[section]; {
		case line == "" || line[0] == '#' || line[0] == ';':
		case !ok || known != nil && !slices.Contains(known, key) || strings.HasSuffix(line, "\\") || strings.Contains(value, "::") || strings.HasPrefix(value, "!"):
			return false
		}
	}
	return lines.Err() == nil
}

// execLine matches a line of what is left to do of a rebase that runs a program.
var execLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*(x|exec)\s`) })

// runsPrograms reports whether the rest of a rebase runs a program when the user continues it.
func runsPrograms(todo string) bool {
	text, err := plainfile.Read(todo)
	return err != nil && !os.IsNotExist(err) || execLine().Match(text)
}

// describe adds the files at and below a path. git is the directory of git in which it is, "" if it is in none.
func (v *view) describe(all map[string]string, git, path string) {
	if !v.Writable(path) {
		return
	}
	n := 0
	_ = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if n++; err != nil || n > mostSteeringFiles {
			return fs.SkipAll
		}
		if git != "" && d.IsDir() && (d.Name() == "objects" || d.Name() == "refs" || d.Name() == "logs") {
			return fs.SkipDir
		}
		if d.IsDir() || git != "" && !gitFollows(git, file) {
			return nil
		}
		if info, err := os.Lstat(file); err == nil && (info.Size() > 0 || !info.Mode().IsRegular()) { // an empty one runs nothing, and may be ours: see lockRepository
			all[file] = identity(info)
		}
		return nil
	})
}

// changedFiles returns the paths that are new or other files than before, the most dangerous first.
func changedFiles(before, after map[string]string) []string {
	var changed []string
	for path, now := range after {
		if before[path] != now {
			changed = append(changed, path)
		}
	}
	slices.SortFunc(changed, func(a, b string) int {
		return cmp.Or(cmp.Compare(places.RunKind(a), places.RunKind(b)), strings.Compare(a, b))
	})
	return changed
}
