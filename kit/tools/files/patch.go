package files

import (
	"fmt"
	"slices"
	"strings"

	"rein/kit/edit"
)

// patchOp is what a patch does to one file.
type patchOp string

// The operations.
const (
	patchAdd    patchOp = "add"
	patchUpdate patchOp = "update"
	patchDelete patchOp = "delete"
)

// patchFile is what a patch does to one file.
type patchFile struct {
	Op     patchOp
	Path   string
	To     string      // where an updated file moves to; empty: it stays
	Text   string      // of an added file
	Hunks  []edit.Hunk // of an updated file, in the order of the file
	Blocks []edit.Edit // of an updated file, in any order: SEARCH/REPLACE blocks
}

// patch is the files of one patch, in its order.
type patch struct {
	Format string // "codex", "unified" or "blocks"
	Files  []patchFile
}

// patchError is a patch that cannot be read or applied. Its text is for the model.
type patchError struct {
	Text string
	Hint string
}

// patchError returns the text and, after a line break, the hint.
func (e *patchError) Error() string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + "\n" + e.Hint
}

func failed(hint, format string, args ...any) *patchError {
	return &patchError{Text: fmt.Sprintf(format, args...), Hint: hint}
}

const formHint = `Send a patch of this form:
*** Begin Patch
*** Update File: path/to/file
@@ line of the function or class around the change
 unchanged line
-removed line
+added line
*** End Patch`

// parsePatch reads a patch in whichever of the three formats it is written: that of Codex's apply_patch, a unified diff, or
// SEARCH/REPLACE blocks.
func parsePatch(text string) (patch, error) {
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	lines = unwrap(lines)
	var p patch
	var err error
	switch formatOf(lines) {
	case "codex":
		p, err = parseCodex(lines)
	case "blocks":
		p, err = parseBlocks(lines)
	case "unified":
		p, err = parseUnified(lines)
	default:
		return patch{}, failed(formHint, "this is not a patch: it has no *** Update File, no --- and +++ lines, and no <<<<<<< SEARCH.")
	}
	if err != nil {
		return patch{}, err
	}
	if len(p.Files) == 0 {
		return patch{}, failed(formHint, "the patch is empty: it names no file.")
	}
	for _, f := range p.Files {
		if f.Path == "" {
			return patch{}, failed(formHint, "the patch has a file without a name.")
		}
		if f.Op == patchUpdate && len(f.Hunks) == 0 && len(f.Blocks) == 0 && f.To == "" {
			return patch{}, failed("Give at least one @@ hunk with - or + lines.", "the update of %s is empty.", f.Path)
		}
	}
	return p, nil
}

// formatOf returns the format by the first line that belongs to one.
func formatOf(lines []string) string {
	for i, l := range lines {
		switch {
		case isCodexHeader(l):
			return "codex"
		case isUnifiedHeader(lines, i):
			return "unified"
		case mark(l) == '<' && hasBlockMark(lines[i:]):
			return "blocks"
		}
	}
	return ""
}

// Paths are the files that a patch reads and those that it writes or deletes, each once, in its order.
func (p patch) Paths() (reads, writes []string) {
	add := func(list *[]string, path string) {
		if slices.Contains(*list, path) {
			return
		}
		*list = append(*list, path)
	}
	for _, f := range p.Files {
		if f.Op != patchAdd {
			add(&reads, f.Path)
		}
		add(&writes, f.Path)
		if f.To != "" {
			add(&writes, f.To)
		}
	}
	return reads, writes
}

// unwrap removes what models write around a patch: a shell heredoc, a Markdown fence.
func unwrap(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) < 2 {
		return lines
	}
	first, last := strings.TrimSpace(lines[0]), strings.TrimSpace(lines[len(lines)-1])
	if i := strings.Index(first, "<<"); i >= 0 && !strings.HasPrefix(first, "<<<") {
		word := strings.Trim(strings.TrimPrefix(strings.TrimSpace(first[i+2:]), "-"), `'" `)
		if word != "" && strings.Trim(last, `'")`) == word {
			return unwrap(lines[1 : len(lines)-1])
		}
	}
	if strings.HasPrefix(first, "```") && last == "```" && !hasBlockMark(lines) {
		return unwrap(lines[1 : len(lines)-1])
	}
	return lines
}
