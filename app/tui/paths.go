package tui

import (
	"os"
	"path/filepath"
	"strings"

	"rein/app/tui/text"
)

// homeDir is the user's home directory; "" where it is not known.
func homeDir() string {
	dir, _ := os.UserHomeDir()
	return dir
}

// shortDir is a directory, below the home directory with a tilde.
func shortDir(dir string) string {
	if home := homeDir(); home != "" && home != "/" {
		if rest, ok := strings.CutPrefix(dir, home); ok && (rest == "" || rest[0] == filepath.Separator) {
			return "~" + rest
		}
	}
	return dir
}

// relativePaths writes paths relative to a directory, or to the home directory.
func relativePaths(root string, paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		if rest, ok := strings.CutPrefix(p, root+string(filepath.Separator)); ok {
			p = rest
		}
		out[i] = shortDir(p)
	}
	return out
}

// outside are the paths that are not in the workspace.
func outside(root string, paths []string) (all []string) {
	for _, p := range paths {
		if rel, err := filepath.Rel(root, p); err == nil && !filepath.IsLocal(rel) {
			all = append(all, p)
		}
	}
	return all
}

// withTilde writes the home directory in a text as a tilde.
func withTilde(s string) string {
	if home := homeDir(); home != "" && home != "/" {
		return strings.ReplaceAll(s, home+string(filepath.Separator), "~/")
	}
	return s
}

// gitBranch reads the branch of a git work tree; "" is none.
func gitBranch(root string) string {
	head := filepath.Join(root, ".git", "HEAD")
	if raw, err := os.ReadFile(filepath.Join(root, ".git")); err == nil { // a further work tree
		dir, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "gitdir: ")
		if !ok {
			return ""
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
		head = filepath.Join(dir, "HEAD")
	}
	raw, err := os.ReadFile(head)
	if err != nil {
		return ""
	}
	s := strings.TrimSpace(string(raw))
	if ref, ok := strings.CutPrefix(s, "ref: refs/heads/"); ok {
		return text.OneLine(ref)
	}
	return s[:min(len(s), 8)]
}

// fileLines are the lines of a file, for a preview.
func fileLines(words text.Words, file string) []string {
	b, err := os.ReadFile(file)
	if err != nil {
		return []string{words.Of("there is no such file yet")}
	}
	return text.Lines(string(b[:min(len(b), 10_000)]))
}
