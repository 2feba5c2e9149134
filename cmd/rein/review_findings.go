package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// reviewSchema is what the answer of the model has to be.
const reviewSchema = `{"type": "object", "additionalProperties": false, "required": ["summary", "findings"], "properties": {
	"summary": {"type": "string"},
	"findings": {"type": "array", "items": {"type": "object", "additionalProperties": false,
		"required": ["file", "line", "severity", "kind", "title", "text"], "properties": {
			"file": {"type": "string"}, "line": {"type": "integer"}, "endLine": {"type": "integer"},
			"severity": {"type": "string", "enum": ["error", "warning", "note"]},
			"kind": {"type": "string", "enum": ["wrong-result", "unhandled-error", "race", "security", "compatibility", "missing-test", "other"]},
			"title": {"type": "string"}, "text": {"type": "string"}, "suggestion": {"type": "string"}}}}}}`

// review is what a model found in a change.
type review struct {
	Change   string          `json:"change"`
	Files    int             `json:"files"` // that have changed
	Summary  string          `json:"summary"`
	Findings []reviewFinding `json:"findings"` // the worst first
	Dropped  []reviewFinding `json:"dropped"`  // about files that do not exist
	Session  string          `json:"session,omitempty"`
}

// reviewFinding is one fault. Line is 0 where it is about the whole file.
type reviewFinding struct {
	File       string `json:"file"`
	Line       int    `json:"line,omitempty"`
	EndLine    int    `json:"endLine,omitempty"`
	Severity   string `json:"severity"`
	Kind       string `json:"kind"`
	Title      string `json:"title"`
	Text       string `json:"text"`
	Suggestion string `json:"suggestion,omitempty"`
	Note       string `json:"note,omitempty"` // what rein found out about the place
}

// severities are the words for how bad a finding is, the worst first.
var severities = []string{"error", "warning", "note"}

// read reads the answer of a model and checks where each finding is. root is the directory of the files.
func (r *review) read(answer string, c *change, root string) error {
	var got struct {
		Summary  string          `json:"summary"`
		Findings []reviewFinding `json:"findings"`
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		return fmt.Errorf("the answer of the model cannot be read: %w", err)
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	r.Summary = got.Summary
	for _, f := range got.Findings {
		f.Note = ""
		if f.place(c, dir, root) {
			r.Findings = append(r.Findings, f)
		} else {
			r.Dropped = append(r.Dropped, f)
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b reviewFinding) int {
		return cmp.Or(slices.Index(severities, a.Severity)-slices.Index(severities, b.Severity), strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	return nil
}

// place checks where a finding is, and says in its note what is wrong about that. It reports false for a file that does not exist.
func (f *reviewFinding) place(c *change, dir *os.Root, root string) bool {
	f.File = filepath.ToSlash(f.File)
	if rel, err := filepath.Rel(root, filepath.FromSlash(f.File)); err == nil && filepath.IsAbs(filepath.FromSlash(f.File)) {
		f.File = filepath.ToSlash(rel)
	}
	f.File = path.Clean(f.File)
	changed := c.file(f.File)
	if changed == nil && (strings.HasPrefix(f.File, "a/") || strings.HasPrefix(f.File, "b/")) {
		if changed = c.file(f.File[2:]); changed != nil {
			f.File = changed.Path
		}
	}
	f.EndLine = max(f.EndLine, f.Line)
	if changed != nil && f.Line > 0 && changed.What != "untracked" && changed.has(f.Line) {
		if !changed.has(f.EndLine) {
			f.EndLine = f.Line
		}
		return true
	}
	lines, err := countLines(dir, filepath.FromSlash(f.File))
	switch {
	case err != nil && changed == nil:
		f.Note = fmt.Sprintf("there is no file %s", f.File)
		return false
	case f.Line < 1 || err != nil || f.Line > lines:
		if f.Note = "about the whole file: the model named no line"; f.Line > 0 {
			f.Note = fmt.Sprintf("the model named line %d, which is not there", f.Line)
		}
		f.Line, f.EndLine = 0, 0
	case changed == nil:
		f.Note = "the change does not touch this file"
	case !changed.has(f.Line):
		f.Note = "the change does not touch this line"
	}
	f.EndLine = min(f.EndLine, lines)
	return true
}

// file returns the file of a change with this path; nil: it has none.
func (c *change) file(name string) *changedFile {
	if i := slices.IndexFunc(c.Files, func(f *changedFile) bool { return f.Path == name }); i >= 0 {
		return c.Files[i]
	}
	return nil
}

// mostCounted bounds the bytes of a file whose lines are counted.
const mostCounted = 64 << 20

func countLines(dir *os.Root, name string) (int, error) {
	info, err := dir.Stat(name)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is no file", name)
	}
	file, err := dir.Open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostCounted))
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n, err
}

// worse returns how many findings have this severity or a worse one. There is none of the severity never.
func (r *review) worse(than string) (n int) {
	for _, f := range r.Findings {
		if slices.Index(severities, f.Severity) <= slices.Index(severities, than) {
			n++
		}
	}
	return n
}
