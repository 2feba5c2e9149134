package harness

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rein/guard"
	"rein/guard/shell"
	"rein/internal/plainfile"
	"rein/spill"
	"rein/tool"
	"rein/workspace"
)

// around looks at what matters on the disk where a command would run: files that its wildcards would turn into options, and
// programs that a repository's settings name. Nil where there is nothing of the kind, which is nearly always.
func around(r *shell.Report) *tool.Surroundings {
	var a tool.Surroundings
	for _, dir := range r.Wild {
		a.Dashed = append(a.Dashed, dashedIn(dir)...)
	}
	for _, name := range r.Writes { // what the line itself makes
		if len(r.Wild) > 0 && strings.HasPrefix(filepath.Base(name), "-") {
			a.Dashed = append(a.Dashed, name)
		}
	}
	for _, dir := range r.Git {
		for _, key := range gitPrograms(dir) {
			if !slices.Contains(a.Git, key) {
				a.Git = append(a.Git, key)
			}
		}
	}
	if len(a.Dashed)+len(a.Git) == 0 {
		return nil
	}
	return &a
}

// dashedIn gives the files of a directory whose names begin with a dash; none where it cannot be read.
func dashedIn(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	var all []string
	names, _ := d.Readdirnames(-1) // what was read until an error counts
	for _, n := range names {
		if strings.HasPrefix(n, "-") {
			all = append(all, filepath.Join(dir, n))
		}
	}
	return all
}

// gitPrograms names the settings that make git run programs when it is started in a directory, and "hooks".
func gitPrograms(dir string) []string {
	git := gitDir(dir)
	if git == "" {
		return nil
	}
	files := []string{"config", "config.worktree"}
	if common, err := plainfile.Read(filepath.Join(git, "commondir")); err == nil {
		files = append(files, filepath.Join(strings.TrimSpace(string(common)), "config"))
	}
	for _, pattern := range []string{"modules/*/config", "modules/*/*/config"} {
		more, _ := filepath.Glob(filepath.Join(git, pattern)) // the pattern is a good one
		for _, m := range more {
			files = append(files, strings.TrimPrefix(m, git+"/"))
		}
	}
	var all []string
	for _, f := range files {
		if !filepath.IsAbs(f) {
			f = filepath.Join(git, f)
		}
		all = append(all, programsIn(f)...)
	}
	if hasHooks(filepath.Join(git, "hooks")) && !slices.Contains(all, "hooks") {
		all = append(all, "hooks")
	}
	return all
}

// gitDir finds the repository that git would find from a directory, also a bare one; "" where there is none.
func gitDir(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		if info, err := os.Stat(git); err == nil && info.IsDir() {
			return git
		} else if err == nil {
			text, _ := plainfile.Read(git) // a file that cannot be read names no directory
			to := strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:"))
			if !filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			return to
		}
		if isFile(filepath.Join(dir, "HEAD")) && isFile(filepath.Join(dir, "config")) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func hasHooks(dir string) bool {
	all, _ := os.ReadDir(dir) // none where it cannot be read
	for _, e := range all {
		if info, err := e.Info(); err == nil && !strings.HasSuffix(e.Name(), ".sample") && info.Mode().Perm()&0o111 != 0 {
			return true
		}
	}
	return false
}

// programsIn names the settings of one file of git's configuration that run programs.
func programsIn(file string) []string {
	f, err := plainfile.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	var all []string
	section := ""
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			head, rest, _ := strings.Cut(line[1:], "]")
			name, sub, _ := strings.Cut(head, " ")
			if section = strings.ToLower(strings.TrimSpace(name)); sub != "" {
				section += "." + strings.Trim(strings.TrimSpace(sub), `"`)
			}
			line = strings.TrimSpace(rest)
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = section+"."+strings.ToLower(strings.TrimSpace(key)), strings.Trim(strings.TrimSpace(value), `"`)
		switch {
		case key == "core.hookspath" && value != "" && value != os.DevNull:
			all = append(all, "hooks")
		case shell.GitRuns(key, value):
			all = append(all, key)
		}
	}
	if lines.Err() != nil {
		all = append(all, "a line that is too long")
	}
	return all
}

// Files lists the files of the workspace that ignore files do not exclude, relative to it, at most most of them. A face
// offers them for completion.
func (s *Session) Files(ctx context.Context, most int) ([]string, error) {
	found, err := s.workspace.Walk(ctx, ".", workspace.WalkOptions{MaxEntries: most})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range found.Entries {
		if e.Type == 0 {
			names = append(names, e.Path)
		}
	}
	return names, nil
}

// normalize names files by their one canonical name, so that a guard judges the target of a link and not the name
// of the link. It reads the text of a command: a command that only reads need not wait for others as if it wrote everywhere.
func (s *Session) normalize(i tool.Intent) tool.Intent {
	i.Reads, i.Writes = s.canonical(i.Reads), s.canonical(i.Writes)
	if i.Command == "" {
		return i
	}
	r := s.guards.Programs.Read(guard.Case{Root: s.workspace.Dir(), Intent: i})
	if i.Surroundings = around(r); i.Surroundings != nil {
		r = s.guards.Programs.Read(guard.Case{Root: s.workspace.Dir(), Intent: i})
	}
	if r.Class() <= shell.Own && len(r.Writes)+len(r.Removes) == 0 {
		i.Unknown = false
	}
	return i
}

// canonical names files as the workspace does; names outside it, and references to outputs, stay as they are.
func (s *Session) canonical(names []string) []string {
	if len(names) == 0 {
		return names
	}
	all := make([]string, len(names))
	for k, name := range names {
		if all[k] = name; !strings.HasPrefix(name, spill.Scheme) {
			all[k] = s.key(name)
		}
	}
	return all
}
