package files

import (
	"context"
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"

	"rein/kit/workspace"
	"rein/tool"
)

// The limits of one grep.
const (
	grepLimit     = 100 // matching lines, or files, when no limit is sent
	grepMost      = 2000
	grepLineBytes = 400
	grepContext   = 20
	grepBytes     = 28 << 10 // of the answer
)

type grepArgs struct {
	Pattern    string `json:"pattern" jsonschema:"RE2 regular expression (no lookaround, no back-references)" minLength:"1" maxLength:"10000"`
	Path       string `json:"path,omitempty" jsonschema:"default: the workspace"`
	Glob       string `json:"glob,omitempty" jsonschema:"only paths that match, such as *.go or src/**/*.ts" maxLength:"1000"`
	Type       string `json:"type,omitempty" jsonschema:"only files of a language: go, py, ts, rust, md …"`
	OutputMode string `json:"output_mode,omitempty" jsonschema:"content (lines, default), files (names) or count (lines of each file)"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Multiline  bool   `json:"multiline,omitempty" jsonschema:"a match may take several lines; . matches line breaks"`
	Fixed      bool   `json:"fixed,omitempty" jsonschema:"it is plain text"`
	Context    int    `json:"context,omitempty" jsonschema:"lines around each match" minimum:"0" maximum:"20"`
	Before     int    `json:"before,omitempty" minimum:"0" maximum:"20"`
	After      int    `json:"after,omitempty" minimum:"0" maximum:"20"`
	Limit      int    `json:"limit,omitempty" jsonschema:"most lines or files to show" minimum:"1" maximum:"2000" default:"100"`
	Offset     int    `json:"offset,omitempty" jsonschema:"of them to skip" minimum:"0" maximum:"1000000"`
	Ignored    bool   `json:"ignored,omitempty" jsonschema:"also files that .gitignore excludes"`
}

// Intent reads the directory.
func (a grepArgs) Intent() tool.Intent { return tool.Intent{Reads: []string{orHere(a.Path)}} }

func orHere(path string) string {
	if path == "" {
		return "."
	}
	return path
}

const grepDescription = `Search in files. Left out: binary files, files with secrets, and what .gitignore excludes.`

// Grep returns the tool that searches the contents of files. Its detail is tool.FoundDetail.
func (f Tools) Grep() *tool.Tool {
	t := tool.New("grep", grepDescription, tool.Reads, f.grep)
	t.Input = t.Input.WithAliases(dirNames("query", "pattern", "regex", "pattern", "search", "pattern", "include", "glob", "file_pattern", "glob", "include_pattern", "glob",
		"mode", "output_mode", "-i", "ignore_case", "case_insensitive", "ignore_case", "literal", "fixed", "fixed_strings", "fixed", "fixed_string", "fixed",
		"-C", "context", "context_lines", "context", "-B", "before", "before_context", "before", "context_before", "before",
		"-A", "after", "after_context", "after", "context_after", "after",
		"head_limit", "limit", "max_results", "limit", "max_count", "limit", "no_ignore", "ignored", "include_ignored", "ignored", "file_type", "type",
		"-U", "multiline", "multi_line", "multiline", "skip", "offset"))
	return t
}

func (f Tools) grep(ctx context.Context, in grepArgs, r *tool.Reply) error {
	mode, err := grepMode(in.OutputMode)
	if err != nil {
		return err
	}
	pattern, err := compile(in, r)
	if err != nil {
		return err
	}
	keep, err := fileFilter(in.Glob, in.Type)
	if err != nil {
		return err
	}
	listing, err := f.Workspace.Walk(ctx, orHere(in.Path), workspace.WalkOptions{NoIgnore: in.Ignored})
	if err != nil {
		return refusal(err)
	}
	s := &searching{pattern: pattern, listing: listing, want: in.want(mode)}
	s.named = !isDir(f.Workspace, in.Path)
	hidden := f.hidden(listing.Dir)
	for _, e := range listing.Entries {
		switch {
		case e.Type != 0 || !s.named && !keep(e.Path):
		case !s.named && hidden(listing.Name(e)):
			s.hidden = append(s.hidden, workspace.Listed(listing.Name(e)))
		default:
			s.files = append(s.files, e)
		}
	}
	p := &printer{mode: mode, limit: in.limit(), skip: in.Offset, context: s.want.Before+s.want.After > 0}
	err = s.run(ctx, func(e workspace.Entry, found fileMatches) bool { return p.file(listing.Name(e), found) })
	if err != nil {
		return err
	}
	return p.finish(r, in, s)
}

// isDir reports whether the start of a search is a directory.
func isDir(w *workspace.Workspace, path string) bool {
	info, err := w.Stat(orHere(path))
	return err == nil && info.IsDir()
}

// The output modes.
type grepOutput int

const (
	grepContent grepOutput = iota
	grepFiles
	grepCount
)

func grepMode(name string) (grepOutput, error) {
	switch strings.ToLower(name) {
	case "", "content", "lines":
		return grepContent, nil
	case "files", "files_with_matches", "files-with-matches", "paths":
		return grepFiles, nil
	case "count", "counts":
		return grepCount, nil
	}
	return 0, &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("unknown output_mode %q", name), Hint: "Send content, files or count."}
}

// compile parses the pattern. If only a bracket makes it invalid, as in "foo(", it is searched as plain text.
func compile(in grepArgs, r *tool.Reply) (*searchPattern, error) {
	options := patternOptions{Fixed: in.Fixed, Fold: in.IgnoreCase, Lines: in.Multiline}
	p, err := compilePattern(in.Pattern, options)
	if err == nil {
		return p, nil
	}
	bad := &tool.Error{Kind: tool.BadArguments, Text: err.Error(), Hint: "Send an RE2 expression, or fixed: true to search for plain text."}
	e, ok := errors.AsType[*syntax.Error](err)
	switch {
	case errors.Is(err, errLineBreak):
		bad.Hint = "Send multiline: true, or search for one of the lines, with context."
		return nil, bad
	case !ok:
		return nil, bad
	case e.Code == syntax.ErrInvalidPerlOp || strings.HasPrefix(e.Expr, "(?"):
		bad.Hint = "RE2 has no lookaround: search for a wider pattern, with context"
		return nil, bad
	case e.Code == syntax.ErrMissingParen || e.Code == syntax.ErrUnexpectedParen || e.Code == syntax.ErrMissingBracket || e.Code == syntax.ErrMissingRepeatArgument:
		r.Note(fmt.Sprintf("the pattern is not a regular expression (%v); it was searched as plain text", e))
		options.Fixed = true
		return compilePattern(in.Pattern, options)
	}
	return nil, bad
}

func (a grepArgs) limit() int {
	if a.Limit <= 0 {
		return grepLimit
	}
	return min(a.Limit, grepMost)
}

func (a grepArgs) want(mode grepOutput) searchLimits {
	switch mode {
	case grepFiles:
		return searchLimits{Max: 1, Line: 1}
	case grepCount:
		return searchLimits{}
	}
	return searchLimits{Max: a.limit() + a.Offset, Line: grepLineBytes,
		Before: min(max(a.Context, a.Before), grepContext), After: min(max(a.Context, a.After), grepContext)}
}
