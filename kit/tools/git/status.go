package git

import (
	"context"
	"fmt"
	"strings"

	"rein/tool"
)

// mostFiles is how many files a status lists, and how many a diff.
const mostFiles = 300

type statusArgs struct {
	Path string `json:"path,omitempty" jsonschema:"file or directory; default: the workspace"`
}

func (a statusArgs) Intent() tool.Intent { return here(a.Path) }

const statusDescription = `Show the state of the git repository: branch, commit, distance to the upstream branch, an operation in progress, and the files that are staged, changed, in conflict or untracked, but for those whose names say that they hold secrets.`

func (g Repository) status() *tool.Tool {
	return tool.New("git_status", statusDescription, tool.Reads, func(ctx context.Context, in statusArgs, r *tool.Reply) error {
		a := g.at(in.Path)
		args := []string{"status", "--porcelain=v2", "--branch", "--show-stash", "-z", "--ignore-submodules=dirty", "--untracked-files=normal", "--"}
		out, cut, _, err := g.hide(a, func(specs []string) ([]byte, bool, error) {
			return g.run(ctx, a, append(args[:len(args):len(args)], specs...)...)
		}, func(out string) []string { return readStatus(out).names })
		if err != nil {
			return err
		}
		s := readStatus(string(out))
		s.write(r)
		if cut {
			r.Note("there are more files than git's output that is read")
		}
		return nil
	})
}

// state is the state of a repository.
type state struct {
	branch, commit, upstream, ahead, behind, stash string
	groups                                         map[string][]string // lines, by the heading
	names                                          []string            // of all files
}

// The headings, in the order in which they are shown.
var headings = []string{"in conflict", "staged", "changed", "untracked"}

// readStatus reads the second format of git status, with zero bytes between the entries.
func readStatus(text string) state {
	s := state{groups: map[string][]string{}}
	entries := strings.Split(text, "\x00")
	for i := 0; i < len(entries); i++ {
		e := entries[i]
		switch {
		case strings.HasPrefix(e, "# "):
			s.header(e[2:])
		case strings.HasPrefix(e, "1 "):
			if f := strings.SplitN(e, " ", 9); len(f) == 9 {
				s.changed(f[1], f[8])
				s.names = append(s.names, f[8])
			}
		case strings.HasPrefix(e, "2 ") && i+1 < len(entries):
			if f := strings.SplitN(e, " ", 10); len(f) == 10 {
				s.changed(f[1], entries[i+1]+" → "+f[9])
				s.names = append(s.names, entries[i+1], f[9])
			}
			i++
		case strings.HasPrefix(e, "u "):
			if f := strings.SplitN(e, " ", 11); len(f) == 11 {
				s.add("in conflict", f[1]+" "+f[10])
				s.names = append(s.names, f[10])
			}
		case strings.HasPrefix(e, "? "):
			s.add("untracked", e[2:])
			s.names = append(s.names, e[2:])
		}
	}
	return s
}

func (s *state) header(line string) {
	key, value, _ := strings.Cut(line, " ")
	switch key {
	case "branch.oid":
		s.commit = value[:min(len(value), 12)]
	case "branch.head":
		s.branch = value
	case "branch.upstream":
		s.upstream = value
	case "branch.ab":
		ahead, behind, _ := strings.Cut(value, " ")
		s.ahead, s.behind = strings.TrimPrefix(ahead, "+"), strings.TrimPrefix(behind, "-")
	case "stash":
		s.stash = value
	}
}

// words are git's letters for what happened to a file.
var words = map[byte]string{'M': "modified", 'T': "type changed", 'A': "added", 'D': "deleted", 'R': "renamed", 'C': "copied"}

// changed adds a file with its two letters: in the index, and in the work tree.
func (s *state) changed(xy, name string) {
	if w := words[xy[0]]; w != "" {
		s.add("staged", w+" "+name)
	}
	if w := words[xy[1]]; w != "" {
		if _, to, renamed := strings.Cut(name, " → "); renamed && xy[1] != 'R' {
			name = to
		}
		s.add("changed", w+" "+name)
	}
}

func (s *state) add(heading, line string) { s.groups[heading] = append(s.groups[heading], line) }

// write writes the state as lines.
func (s *state) write(r *tool.Reply) {
	where := "branch " + s.branch
	if s.branch == "(detached)" {
		where = "no branch (detached)"
	}
	switch {
	case s.commit == "(initial)":
		where += ", no commits yet"
	case s.commit != "":
		where += " at " + s.commit
	}
	if s.upstream != "" {
		where += ", upstream " + s.upstream
		if s.ahead != "" {
			where += fmt.Sprintf(" (%s ahead, %s behind)", s.ahead, s.behind)
		}
	}
	fmt.Fprintln(r, where)
	if s.stash != "" {
		fmt.Fprintf(r, "stash: %s entries\n", s.stash)
	}
	if len(s.groups) == 0 {
		fmt.Fprintln(r, "nothing is changed")
	}
	for _, h := range headings {
		lines := s.groups[h]
		if len(lines) == 0 {
			continue
		}
		fmt.Fprintf(r, "%s (%d):\n", h, len(lines))
		for i, line := range lines {
			if i == mostFiles {
				fmt.Fprintf(r, "  … %d more: name a path\n", len(lines)-mostFiles)
				break
			}
			fmt.Fprintln(r, "  "+printable(line))
		}
	}
}

// printable is a line without control characters, and not longer than a line may be.
func printable(line string) string {
	line = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return '�'
		}
		return r
	}, strings.ToValidUTF8(line, "�"))
	if len(line) > lineBytes {
		return strings.ToValidUTF8(line[:lineBytes], "") + fmt.Sprintf("… (%d bytes)", len(line))
	}
	return line
}
