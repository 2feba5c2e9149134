package git

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"rein/tool"
)

// Changes are what differs in a directory from the last commit of its repository, staged or not.
type Changes struct {
	Repository bool // false: the directory is in none, and the other fields are empty
	Branch     string
	Commit     string // its first digits; "" before the first commit
	Upstream   string // "" where the branch has none
	Ahead      int    // commits that the upstream does not have
	Behind     int    // commits that only the upstream has
	Files      []File
	More       bool // git printed more than is read
}

// File is a file that differs. The paths start at the directory and have forward slashes.
type File struct {
	Path, From     string // From is where a moved file was
	What           string // created, changed, deleted, moved, mode, type, conflict, untracked, or closed: git could not open it
	Added, Removed int    // lines
	Diff           string // hunks of a unified diff; "" for a binary file, an untracked one, and one of a Secret name
}

// Changes compares the directory with the last commit. Before the first commit everything that is staged is new.
func (g Repository) Changes(ctx context.Context) (Changes, error) {
	a := g.at("")
	quiet, err := g.quiet(ctx, a)
	if err != nil {
		return Changes{}, err
	}
	run := func(args ...string) (string, bool, error) {
		out, cut, err := g.start(ctx, a, append(quiet[:len(quiet):len(quiet)], args...))
		return string(out), cut, err
	}
	text, _, err := run("status", "--porcelain=v2", "--branch", "-z", "--untracked-files=no", "--ignore-submodules=dirty")
	if e, ok := errors.AsType[*tool.Error](err); ok && e.Kind == tool.NotFound {
		return Changes{}, nil
	}
	if err != nil {
		return Changes{}, err
	}
	s := readStatus(text)
	out := Changes{Repository: true, Branch: s.branch, Commit: s.commit, Upstream: s.upstream}
	out.Ahead, _ = strconv.Atoi(s.ahead)
	out.Behind, _ = strconv.Atoi(s.behind)
	base := "HEAD"
	if s.commit == "(initial)" {
		out.Commit = ""
		if base, _, err = run("hash-object", "-t", "tree", "/dev/null"); err != nil {
			return out, err
		}
	}
	if out.Files, out.More, err = g.compare(ctx, a, quiet, strings.TrimSpace(base)); err != nil {
		return out, err
	}
	if len(s.groups["in conflict"]) > 0 {
		if text, _, err = run("diff", "--relative", "--name-only", "--diff-filter=U", "-z"); err != nil {
			return out, err
		}
		for name := range strings.SplitSeq(text, "\x00") {
			if i := slices.IndexFunc(out.Files, func(f File) bool { return f.Path == name }); i >= 0 {
				out.Files[i].What = "conflict"
			}
		}
	}
	text, cut, err := run("ls-files", "--others", "--exclude-standard", "-z")
	out.More = out.More || cut
	for name := range strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\x00") {
		if name != "" {
			out.Files = append(out.Files, File{Path: name, What: "untracked"})
		}
	}
	return out, err
}

// Between compares the work tree, or with staged the index, with a revision, or the two ends of a range such as main...HEAD. rev may
// be empty for HEAD where staged is set. Untracked files are left out. more is true when git printed more than is read.
func (g Repository) Between(ctx context.Context, rev string, staged bool) (files []File, more bool, err error) {
	if err := checkRevision(rev); err != nil {
		return nil, false, err
	}
	a := g.at("")
	quiet, err := g.quiet(ctx, a)
	if err != nil {
		return nil, false, err
	}
	var what []string
	if staged {
		what = append(what, "--cached")
	}
	if rev != "" {
		what = append(what, commits(rev))
	}
	return g.compare(ctx, a, quiet, what...)
}

// compare runs git diff with these arguments in front of those that give it one form.
func (g Repository) compare(ctx context.Context, a at, quiet []string, what ...string) ([]File, bool, error) {
	args := slices.Concat(quiet, []string{"diff"}, what, []string{"--relative", "--raw", "--numstat", "--patch", "-z"}, plain, []string{"--"})
	out, cut, closed, err := opened(a, func(specs []string) ([]byte, bool, error) {
		return g.start(ctx, a, append(args[:len(args):len(args)], specs...))
	})
	files := g.readChanges(string(out), cut)
	for _, name := range closed {
		files = append(files, File{Path: name, What: "closed"})
	}
	return files, cut, err
}

// kinds are git's letters for what happened to a file, as undo has the words.
var kinds = map[byte]string{'A': "created", 'C': "created", 'M': "changed", 'D': "deleted", 'R': "moved", 'T': "type", 'U': "conflict"}

// readChanges reads the list of files, their numbers of lines, and the patch.
func (g Repository) readChanges(text string, cut bool) (files []File) {
	lists, patch, _ := strings.Cut(text, "\x00\x00")
	parts := strings.Split(lists, "\x00")
	at := map[string]int{}
	for len(parts) > 1 && strings.HasPrefix(parts[0], ":") { // :MODE MODE HASH HASH LETTER
		fields := strings.Fields(parts[0])
		letter := fields[len(fields)-1][0]
		f := File{Path: parts[1], What: kinds[letter]}
		parts = parts[2:]
		if (letter == 'R' || letter == 'C') && len(parts) > 0 {
			f.From, f.Path, parts = f.Path, parts[0], parts[1:]
		}
		if _, twice := at[f.Path]; twice { // a conflict comes as one, and as the change of the file
			continue
		}
		at[f.Path] = len(files)
		files = append(files, f)
		if letter == 'M' && ":"+fields[1] != fields[0] {
			files[len(files)-1].What = "mode" // until lines have changed too
		}
	}
	for _, n := range readNumstat(strings.Join(parts, "\x00")) {
		if i, ok := at[n.name]; ok {
			f := &files[i]
			f.Added, f.Removed = n.added, n.removed
			if f.What == "mode" && (n.added+n.removed > 0 || n.binary) {
				f.What = "changed"
			}
		}
	}
	sections := strings.Split(patch, "\ndiff --git ")
	if cut { // the last one may be a part
		sections = sections[:len(sections)-1]
	}
	for _, section := range sections {
		name, hunks := readSection(section)
		if i, ok := at[name]; ok && !g.secret(name) && (files[i].From == "" || !g.secret(files[i].From)) {
			files[i].Diff += strings.ToValidUTF8(hunks, "�")
		}
	}
	return files
}

// readSection returns the hunks of one file of a patch, and its name.
func readSection(section string) (name, hunks string) {
	header, hunks, found := strings.Cut(section, "\n@@ ")
	if !found {
		return "", ""
	}
	for line := range strings.SplitSeq(header, "\n") {
		mark, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSuffix(rest, "\t") // after a name with spaces
		if unquoted, err := strconv.Unquote(rest); err == nil {
			rest = unquoted
		}
		if _, path, ok := strings.Cut(rest, "/"); ok && rest != "/dev/null" && (mark == "---" || mark == "+++") {
			name = path
		}
	}
	return name, "@@ " + strings.TrimSuffix(hunks, "\n") + "\n"
}
