package files

import (
	"strings"

	"rein/kit/edit"
)

// mark reports which marker line of a SEARCH/REPLACE block a line is: '<', '=', '>', or zero. Markers have five to nine
// characters; the words are needed for the outer ones only.
func mark(l string) byte {
	t := strings.TrimSpace(l)
	if t == "" {
		return 0
	}
	c := t[0]
	n := 0
	for n < len(t) && t[n] == c {
		n++
	}
	word := strings.ToUpper(strings.TrimSpace(t[n:]))
	if n < 5 || n > 9 {
		return 0
	}
	switch {
	case c == '<' && (word == "SEARCH" || word == "ORIGINAL" || word == "HEAD" || word == "SEARCH>"),
		c == '=' && word == "",
		c == '>' && (word == "REPLACE" || word == "UPDATED" || word == "REPLACE>"):
		return c
	}
	return 0
}

func hasBlockMark(lines []string) bool {
	search := false
	for _, l := range lines {
		switch mark(l) {
		case '<':
			search = true
		case '>':
			return search
		}
	}
	return false
}

// blockReader reads SEARCH/REPLACE blocks.
type blockReader struct {
	patch patch
	path  string
	state byte // what came last: '<', '=', or zero between blocks
	old   []string
	new   []string
}

// parseBlocks reads SEARCH/REPLACE blocks. The file's name is on a line above the block, or above the fence around it;
// a block without one belongs to the file before.
func parseBlocks(lines []string) (patch, error) {
	b := blockReader{patch: patch{Format: "blocks"}}
	for i, l := range lines {
		if err := b.line(l, i+1); err != nil {
			return patch{}, err
		}
	}
	if b.state != 0 {
		return patch{}, failed("End each block with >>>>>>> REPLACE.", "the last SEARCH/REPLACE block has no end.")
	}
	return b.patch, nil
}

func (b *blockReader) line(l string, n int) error {
	m := mark(l)
	switch {
	case b.state == 0 && m == '<':
		if b.path == "" {
			return failed("Write the file's path on a line of its own above the block.", "line %d of the patch: the block belongs to no file.", n)
		}
		b.state, b.old, b.new = '<', nil, nil
	case b.state == 0 && m == 0:
		b.name(l)
	case b.state == '<' && m == '=':
		b.state = '='
	case b.state == '=' && m == '>':
		b.close()
	case m != 0 && !(b.state == '=' && m == '='):
		return failed("A block is <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE.", "line %d of the patch: %q is out of place.", n, strings.TrimSpace(l))
	case b.state == '<':
		if !b.preamble(l) {
			b.old = append(b.old, l)
		}
	default:
		b.new = append(b.new, l)
	}
	return nil
}

// preamble is the line number and the ruler that some models write above the search text.
func (b *blockReader) preamble(l string) bool {
	t := strings.TrimSpace(l)
	return len(b.old) == 0 && (strings.HasPrefix(t, ":start_line:") || strings.HasPrefix(t, ":end_line:") || t == "-------")
}

func (b *blockReader) name(l string) {
	t := strings.TrimSpace(l)
	if t == "" || strings.HasPrefix(t, "```") {
		return
	}
	b.path = strings.Trim(strings.TrimSuffix(strings.TrimSpace(strings.TrimLeft(t, "#*> ")), ":"), "`*\"' ")
}

func (b *blockReader) close() {
	b.state = 0
	text := func(lines []string) string { return strings.Join(lines, "\n") }
	if strings.TrimSpace(text(b.old)) == "" {
		b.patch.Files = append(b.patch.Files, patchFile{Op: patchAdd, Path: b.path, Text: text(b.new) + "\n"})
		return
	}
	e := edit.Edit{Old: text(b.old), New: text(b.new)}
	if n := len(b.patch.Files); n > 0 && b.patch.Files[n-1].Path == b.path && b.patch.Files[n-1].Op == patchUpdate {
		b.patch.Files[n-1].Blocks = append(b.patch.Files[n-1].Blocks, e)
		return
	}
	b.patch.Files = append(b.patch.Files, patchFile{Op: patchUpdate, Path: b.path, Blocks: []edit.Edit{e}})
}
