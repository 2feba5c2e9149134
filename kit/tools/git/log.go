package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rein/tool"
)

type logArgs struct {
	Path   string `json:"path,omitempty" jsonschema:"only commits that changed this file or directory"`
	Rev    string `json:"rev,omitempty" jsonschema:"where to begin, or a range such as v1.0..HEAD; default: HEAD" maxLength:"300"`
	Limit  int    `json:"limit,omitempty" jsonschema:"number of commits" minimum:"1" maximum:"500" default:"20"`
	Skip   int    `json:"skip,omitempty" jsonschema:"commits to leave out at the beginning" minimum:"0"`
	Author string `json:"author,omitempty" jsonschema:"only commits whose author matches this text" maxLength:"300"`
	Grep   string `json:"grep,omitempty" jsonschema:"only commits whose message matches this text" maxLength:"300"`
	Search string `json:"search,omitempty" jsonschema:"only commits that change how often this text occurs in the files, but for those that may hold secrets" maxLength:"1000"`
	Since  string `json:"since,omitempty" jsonschema:"only later commits, such as 2026-01-31 or 2 weeks ago" maxLength:"100"`
	Until  string `json:"until,omitempty" jsonschema:"only earlier commits" maxLength:"100"`
	Full   bool   `json:"full,omitempty" jsonschema:"the whole messages"`
	Stat   bool   `json:"stat,omitempty" jsonschema:"the files that each commit changed"`
}

func (a logArgs) Intent() tool.Intent { return here(a.Path) }

const logDescription = `List commits of the git repository, the newest first: hash, date, author, first line of the message, branches and tags. Filter by path, author, message, changed text and date.`

func (g Repository) log() *tool.Tool {
	t := tool.New("git_log", logDescription, tool.Reads, func(ctx context.Context, in logArgs, r *tool.Reply) error {
		if err := checkRevision(in.Rev); err != nil {
			return err
		}
		if in.Limit == 0 {
			in.Limit = 20
		}
		a := g.at(in.Path)
		out, cut, err := g.run(ctx, a, in.arguments(a, g.SecretNames)...)
		if err != nil {
			return err
		}
		in.write(string(out), func(name string) bool { return !a.secret && g.secret(name) }, r)
		if cut {
			r.Note("there is more than is read of git's output: set a smaller limit")
		}
		return nil
	})
	t.Output = 2 * answerBytes
	t.Input = t.Input.WithAliases(map[string]string{"file": "path", "file_path": "path", "revision": "rev", "range": "rev", "max_count": "limit", "count": "limit", "n": "limit", "message": "grep", "pickaxe": "search", "after": "since", "before": "until"})
	return t
}

// format has the parts of a commit with marks between them that no message has: the end of the message, and of a commit.
const format = "%x1e%h%x1f%aI%x1f%an%x1f%D%x1f%s%x1f%b%x1f"

func (a logArgs) arguments(where at, secret []string) []string {
	// One commit more than is shown tells whether there are more.
	args := append([]string{"log", "--no-show-signature", "--decorate=short", "--format=" + format, "-n", strconv.Itoa(a.Limit + 1), "--skip=" + strconv.Itoa(a.Skip)}, append(plain[:len(plain):len(plain)], "--no-renames")...)
	for name, value := range map[string]string{"author": a.Author, "grep": a.Grep, "since": a.Since, "until": a.Until} {
		if value != "" {
			args = append(args, "--"+name+"="+value)
		}
	}
	if a.Grep != "" || a.Author != "" {
		args = append(args, "--fixed-strings", "--regexp-ignore-case")
	}
	if a.Search != "" {
		args = append(args, "-S"+a.Search)
	}
	if a.Stat {
		args = append(args, "--numstat")
	}
	if a.Rev != "" {
		args = append(args, commits(a.Rev))
	}
	if a.Search != "" && !where.secret {
		// What is hidden is not searched. By pattern: which names the history has is not known.
		args = append(args, "--full-history", "--", ":(top)")
		if where.spec != "" {
			args = append(args[:len(args)-1], where.pathspec()...)
		}
		for _, name := range secret {
			args = append(args, ":(top,exclude,icase,glob)**/"+name, ":(top,exclude,icase,glob)**/"+name+"/**")
		}
		return args
	}
	return append(append(args, "--"), where.pathspec()...)
}

func (a logArgs) write(out string, hidden func(name string) bool, r *tool.Reply) {
	commits := strings.Split(out, "\x1e")[1:]
	if len(out) == 0 || len(commits) == 0 {
		fmt.Fprintln(r, "no commits")
		return
	}
	written := 0
	for i, text := range commits {
		c := strings.SplitN(text, "\x1f", 7)
		if i == a.Limit || written > answerBytes {
			fmt.Fprintf(r, "… more commits: skip=%d\n", a.Skip+i)
			return
		}
		if len(c) < 7 {
			continue
		}
		piece := a.commit(c, hidden)
		written += len(piece)
		_, _ = r.WriteString(piece)
	}
}

// commit is one commit as lines. c are the fields of format, and then the files, without those that are hidden.
func (a logArgs) commit(c []string, hidden func(name string) bool) string {
	var b strings.Builder
	line := fmt.Sprintf("%s  %s  %s  %s", c[0], day(c[1]), c[2], c[4])
	if c[3] != "" {
		line += "  (" + c[3] + ")"
	}
	b.WriteString(printable(line) + "\n")
	if a.Full {
		for l := range strings.SplitSeq(strings.TrimSpace(c[5]), "\n") {
			if l = strings.TrimRight(l, " \r"); b.Len() < answerBytes && (l != "" || c[5] != "") {
				b.WriteString("    " + printable(l) + "\n")
			}
		}
	}
	if a.Stat {
		for i, l := range strings.Split(strings.Trim(c[6], "\n"), "\n") {
			if f := strings.SplitN(l, "\t", 3); len(f) == 3 && i < mostFiles && !hidden(unquoted(f[2])) {
				b.WriteString("    " + printable(fmt.Sprintf("+%s -%s %s", f[0], f[1], f[2])) + "\n")
			}
		}
	}
	return b.String()
}

// unquoted is a name as it is, which git quotes where it has control characters.
func unquoted(name string) string {
	if plain, err := strconv.Unquote(name); err == nil {
		return plain
	}
	return name
}

// day is the date of a commit to the minute.
func day(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return t.Format("2006-01-02 15:04 -0700")
}
