package files

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"rein/internal/plaintext"
	"rein/kit/workspace"
	"rein/tool"
)

// The limits of one glob.
const (
	globLimit = 200
	globMost  = 2000
	globBytes = 28 << 10
)

type globArgs struct {
	Pattern string `json:"pattern" jsonschema:"such as **/*.go, src/**/test_*.py or *.{yaml,yml}; without a slash it matches names in every directory; with a slash at the end it finds directories" minLength:"1" maxLength:"1000"`
	Path    string `json:"path,omitempty" jsonschema:"directory to start in; default: the workspace"`
	Sort    string `json:"sort,omitempty" enum:"path,newest" default:"path"`
	Limit   int    `json:"limit,omitempty" minimum:"1" maximum:"2000" default:"200"`
	Ignored bool   `json:"ignored,omitempty" jsonschema:"also files that .gitignore excludes"`
}

// Intent reads the directory.
func (a globArgs) Intent() tool.Intent { return tool.Intent{Reads: []string{orHere(a.start())}} }

const globDescription = `Find files by name pattern. The result has a path on each line. Files that .gitignore excludes are not found.`

// Glob returns the tool that finds files by their names. Its detail is tool.FoundDetail.
func (f Tools) Glob() *tool.Tool {
	t := tool.New("glob", globDescription, tool.Reads, f.glob)
	t.Input = t.Input.WithAliases(dirNames("glob", "pattern", "glob_pattern", "pattern", "sort_by", "sort", "order", "sort",
		"max_results", "limit", "head_limit", "limit", "no_ignore", "ignored", "include_ignored", "ignored"))
	return t
}

// start is where the search begins: an absolute pattern contains its own directory.
func (a globArgs) start() string {
	if !filepath.IsAbs(a.Pattern) && !strings.HasPrefix(a.Pattern, "~/") {
		return a.Path
	}
	base, _ := doublestar.SplitPattern(filepath.ToSlash(a.Pattern))
	return base
}

func (a globArgs) glob() string {
	if a.start() == a.Path {
		return a.Pattern
	}
	_, rest := doublestar.SplitPattern(filepath.ToSlash(a.Pattern))
	return rest
}

func (f Tools) glob(ctx context.Context, in globArgs, r *tool.Reply) error {
	pattern, dirs := in.glob(), false
	if p, ok := strings.CutSuffix(pattern, "/"); ok {
		pattern, dirs = p, true
	}
	if strings.HasPrefix(pattern, "../") || strings.Contains(pattern, "/../") {
		return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("the pattern %q contains ..", in.Pattern), Hint: "Send the directory as path."}
	}
	match, err := globMatcher(pattern)
	if err != nil {
		return err
	}
	listing, err := f.Workspace.Walk(ctx, orHere(in.start()), workspace.WalkOptions{NoIgnore: in.Ignored})
	if err != nil {
		return refusal(err)
	}
	var found []workspace.Entry
	for _, e := range listing.Entries {
		if e.Type.IsDir() == dirs && match(e.Path) {
			found = append(found, e)
		}
	}
	if in.Sort == "newest" {
		newestFirst(listing, found, f.hidden(listing.Dir))
	}
	return in.show(r, listing, found)
}

// newestFirst sorts by modification time, and files with the same time by name. Hidden ones are the oldest.
func newestFirst(l *workspace.Listing, found []workspace.Entry, hidden func(name string) bool) {
	type timed struct {
		workspace.Entry
		at time.Time
	}
	all := make([]timed, len(found))
	for i, e := range found {
		all[i] = timed{Entry: e}
		if hidden(l.Name(e)) {
			continue
		}
		if info, err := l.Info(e); err == nil {
			all[i].at = info.ModTime()
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.After(all[j].at) })
	for i, t := range all {
		found[i] = t.Entry
	}
}

func (a globArgs) show(r *tool.Reply, l *workspace.Listing, found []workspace.Entry) error {
	limit := globLimit
	if a.Limit > 0 {
		limit = min(a.Limit, globMost)
	}
	var out bytes.Buffer
	shown := 0
	for _, e := range found {
		if shown == limit || out.Len() > globBytes {
			break
		}
		out.WriteString(workspace.Listed(l.Name(e)))
		if e.Type.IsDir() {
			out.WriteByte('/')
		}
		out.WriteByte('\n')
		shown++
	}
	switch {
	case len(found) == 0 && a.Ignored:
		fmt.Fprintf(&out, "no match among %s\n", plaintext.Counted(countFiles(l), "file"))
	case len(found) == 0:
		fmt.Fprintf(&out, "no match among %s\n(files that .gitignore excludes were not searched; send ignored: true to include them)\n", plaintext.Counted(countFiles(l), "file"))
	case shown < len(found):
		fmt.Fprintf(&out, "(%d of %d shown; narrow the pattern, or send a higher limit)\n", shown, len(found))
	}
	if l.More {
		out.WriteString("(the tree is too large to list completely; send a directory as path)\n")
	}
	if l.Unread > 0 {
		fmt.Fprintf(&out, "(%s could not be read)\n", plaintext.Counted(l.Unread, "directory"))
	}
	r.Show(tool.Detail{Found: &tool.FoundDetail{Path: l.Dir, Pattern: a.Pattern, Shown: shown, Total: len(found), More: shown < len(found) || l.More}})
	_, err := r.Write(out.Bytes())
	return err
}

func countFiles(l *workspace.Listing) int {
	n := 0
	for _, e := range l.Entries {
		if e.Type&fs.ModeDir == 0 {
			n++
		}
	}
	return n
}
