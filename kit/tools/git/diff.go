package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rein/tool"
)

type diffArgs struct {
	Path    string `json:"path,omitempty" jsonschema:"file or directory; default: the workspace"`
	Rev     string `json:"rev,omitempty" jsonschema:"compare with this revision, or a range such as main...HEAD; default: what is not staged" maxLength:"300"`
	Staged  bool   `json:"staged,omitempty" jsonschema:"what is staged, compared with rev or HEAD"`
	Stat    bool   `json:"stat,omitempty" jsonschema:"only the files and their line counts"`
	Context int    `json:"context,omitempty" jsonschema:"unchanged lines around each change" minimum:"0" maximum:"50" default:"3"`
}

func (a diffArgs) Intent() tool.Intent { return here(a.Path) }

const diffDescription = `Show differences of files in the git repository: work tree against index (default), index against HEAD (staged), work tree against a revision, or two revisions (rev: A..B). The first lines list all files with their counts of added and removed lines. Files whose names say that they hold secrets are left out.`

func (g Repository) diff() *tool.Tool {
	t := tool.New("git_diff", diffDescription, tool.Reads, func(ctx context.Context, in diffArgs, r *tool.Reply) error {
		if err := checkRevision(in.Rev); err != nil {
			return err
		}
		args := []string{"diff"}
		if in.Staged {
			args = append(args, "--cached")
		}
		if in.Rev != "" {
			args = append(args, commits(in.Rev))
		}
		return g.changes(ctx, g.at(in.Path), args, in.Stat, lines(in.Context), r)
	})
	t.Output = 2 * answerBytes
	t.Input = t.Input.WithAliases(map[string]string{"file": "path", "file_path": "path", "revision": "rev", "range": "rev", "commit": "rev", "cached": "staged", "context_lines": "context"})
	return t
}

// lines is the number of lines of context; 0 means the default.
func lines(n int) int {
	if n == 0 {
		return 3
	}
	return n
}

// plain are the options with which a diff runs nothing and has one form.
var plain = []string{"--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty", "-M"}

// changed is a file of a diff.
type changed struct {
	name, from     string
	added, removed int
	binary         bool
}

// changes writes what a command of git shows as different: the files, and unless stat is set the lines. args begin with
// the command.
func (g Repository) changes(ctx context.Context, a at, args []string, stat bool, around int, r *tool.Reply) error {
	quiet, err := g.quiet(ctx, a)
	if err != nil {
		return err
	}
	base := append(append(quiet, args...), plain...)
	out, cut, specs, err := g.hide(a, func(specs []string) ([]byte, bool, error) {
		return g.start(ctx, a, append(append(base[:len(base):len(base)], "--numstat", "-z", "--"), specs...))
	}, func(out string) (names []string) {
		for _, f := range readNumstat(out) {
			names = append(names, f.name)
			if f.from != "" {
				names = append(names, f.from)
			}
		}
		return names
	})
	if err != nil {
		return err
	}
	files := readNumstat(string(out))
	if len(files) == 0 {
		fmt.Fprintln(r, "no differences")
		return nil
	}
	writeFiles(files, cut, r)
	if stat {
		return nil
	}
	patch := append(append(base[:len(base):len(base)], "-U"+strconv.Itoa(around), "--patch", "--"), specs...)
	out, cut, err = g.start(ctx, a, patch)
	if err != nil {
		return err
	}
	fmt.Fprintln(r)
	writeLines(r, out, cut)
	return nil
}

// writeFiles writes the files of a diff.
func writeFiles(files []changed, cut bool, r *tool.Reply) {
	added, removed := 0, 0
	for _, f := range files {
		added, removed = added+f.added, removed+f.removed
	}
	more := ""
	if cut {
		more = " or more"
	}
	fmt.Fprintf(r, "files: %d%s, +%d -%d\n", len(files), more, added, removed)
	for i, f := range files {
		if i == mostFiles {
			fmt.Fprintf(r, "  … %d more: name a path\n", len(files)-mostFiles)
			break
		}
		fmt.Fprintln(r, "  "+printable(f.String()))
	}
}

func (f changed) String() string {
	name := f.name
	if f.from != "" {
		name = f.from + " → " + f.name
	}
	if f.binary {
		return name + " (binary)"
	}
	return fmt.Sprintf("%s +%d -%d", name, f.added, f.removed)
}

// readNumstat reads git's numbers of lines, with zero bytes between the entries. A renamed file has two names.
func readNumstat(text string) []changed {
	var files []changed
	parts := strings.Split(text, "\x00")
	for i := 0; i < len(parts); i++ {
		f := strings.SplitN(strings.TrimLeft(parts[i], "\n"), "\t", 3)
		if len(f) < 3 {
			continue
		}
		var c changed
		c.binary = f[0] == "-"
		c.added, _ = strconv.Atoi(f[0])
		c.removed, _ = strconv.Atoi(f[1])
		c.name = f[2]
		if c.name == "" && i+2 < len(parts) {
			c.from, c.name = parts[i+1], parts[i+2]
			i += 2
		}
		files = append(files, c)
	}
	return slices.Clip(files)
}

// writeLines writes whole lines as far as an answer may go, each not longer than a line may be, and says what is left out.
func writeLines(r *tool.Reply, out []byte, cut bool) {
	written := 0
	for len(out) > 0 {
		line, rest, _ := bytes.Cut(out, []byte("\n"))
		text := printable(string(bytes.TrimSuffix(line, []byte("\r"))))
		if written+len(text) > answerBytes {
			more := bytes.Count(out, []byte("\n"))
			if cut {
				fmt.Fprintf(r, "… lines left out: more than %d; name a path or a smaller range\n", more)
			} else {
				fmt.Fprintf(r, "… lines left out: %d; name a path or a smaller range\n", more)
			}
			return
		}
		fmt.Fprintln(r, text)
		written += len(text) + 1
		out = rest
	}
}
