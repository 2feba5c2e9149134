package files

import (
	"strings"

	"rein/kit/edit"
)

// The header lines of the Codex format; blanks around them do not count.
const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	addFile    = "*** Add File:"
	updateFile = "*** Update File:"
	deleteFile = "*** Delete File:"
	moveTo     = "*** Move to:"
	endOfFile  = "*** End of File"
)

func isCodexHeader(l string) bool {
	t := strings.TrimSpace(l)
	return t == beginPatch || strings.HasPrefix(t, addFile) || strings.HasPrefix(t, updateFile) || strings.HasPrefix(t, deleteFile)
}

// codexReader reads a patch line by line.
type codexReader struct {
	patch patch
	file  *patchFile
	hunk  *edit.Hunk
	open  bool // the hunk has lines already
}

// parseCodex reads the format of apply_patch. A missing *** End Patch, a context line without its leading space, and header
// lines with spaces around them are accepted.
func parseCodex(lines []string) (patch, error) {
	c := codexReader{patch: patch{Format: "codex"}}
	for i, l := range lines {
		t := strings.TrimSpace(l)
		if t == endPatch && !c.context(l) && !(strings.HasPrefix(l, " ") && c.file != nil && c.file.Op == patchUpdate) {
			break
		}
		if err := c.line(l, t, i+1); err != nil {
			return patch{}, err
		}
	}
	c.endHunk()
	return c.patch, nil
}

// context reports whether a line is one of context: within a hunk, also as its first line, a blank is the mark of it.
func (c *codexReader) context(l string) bool { return c.hunk != nil && strings.HasPrefix(l, " ") }

func (c *codexReader) line(l, t string, n int) error {
	structural := !c.context(l)
	switch {
	case structural && t == beginPatch:
	case structural && c.header(t):
	case structural && t == endOfFile && c.hunk != nil:
		c.hunk.AtEnd = true
	case c.file == nil:
		if t != "" {
			return failed(formHint, "line %d of the patch is before the first *** Update File, *** Add File or *** Delete File: %q.", n, t)
		}
	case c.file.Op == patchAdd:
		return c.added(l, n)
	case c.file.Op == patchDelete:
		if t != "" {
			return failed("", "line %d of the patch: *** Delete File has no lines below it: %q.", n, t)
		}
	case strings.HasPrefix(l, "@@"):
		c.scope(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(l[2:]), "@@")))
	case strings.HasPrefix(t, "*** ") && strings.HasPrefix(l, "***"):
		return failed(formHint, "line %d of the patch is not a known header: %q.", n, t)
	default:
		c.body(l)
	}
	return nil
}

// header begins a new file.
func (c *codexReader) header(t string) bool {
	for _, h := range []struct {
		mark string
		op   patchOp
	}{{addFile, patchAdd}, {updateFile, patchUpdate}, {deleteFile, patchDelete}} {
		if path, ok := strings.CutPrefix(t, h.mark); ok {
			c.endHunk()
			c.patch.Files = append(c.patch.Files, patchFile{Op: h.op, Path: strings.TrimSpace(path)})
			c.file = &c.patch.Files[len(c.patch.Files)-1]
			return true
		}
	}
	if path, ok := strings.CutPrefix(t, moveTo); ok && c.file != nil && c.file.Op == patchUpdate && c.hunk == nil {
		c.file.To = strings.TrimSpace(path)
		return true
	}
	return false
}

func (c *codexReader) added(l string, n int) error {
	switch {
	case strings.HasPrefix(l, "+"):
		c.file.Text += l[1:] + "\n"
	case strings.TrimSpace(l) == "":
		c.file.Text += "\n"
	default:
		return failed("Begin every line of a new file with +.", "line %d of the patch, in the new file %s, has no +: %q.", n, c.file.Path, l)
	}
	return nil
}

// scope reads an @@ line: several in a row name an outer and an inner line. Those of a unified diff carry numbers.
func (c *codexReader) scope(text string) {
	if c.hunk == nil || c.open {
		c.endHunk()
		c.hunk = &edit.Hunk{}
	}
	if line, rest, ok := hunkNumbers(text); ok {
		c.hunk.Line, text = line, rest
	}
	if text != "" {
		c.hunk.Scopes = append(c.hunk.Scopes, text)
	}
}

func (c *codexReader) body(l string) {
	if c.hunk == nil {
		c.hunk = &edit.Hunk{}
	}
	c.open = true
	addLine(c.hunk, l)
}

// addLine adds a line of a hunk. A line without a mark is a line of context that lost its leading space.
func addLine(h *edit.Hunk, l string) {
	switch {
	case l == "":
		h.Old, h.New = append(h.Old, ""), append(h.New, "")
	case l[0] == '+':
		h.New = append(h.New, l[1:])
	case l[0] == '-':
		h.Old = append(h.Old, l[1:])
	default:
		text := strings.TrimPrefix(l, " ")
		h.Old, h.New = append(h.Old, text), append(h.New, text)
	}
}

func (c *codexReader) endHunk() {
	if c.hunk != nil && c.open {
		trimBlankTail(c.hunk)
		c.file.Hunks = append(c.file.Hunks, *c.hunk)
	}
	c.hunk, c.open = nil, false
}

// trimBlankTail drops blank lines of context at the end of a hunk: they separate it from the next header.
func trimBlankTail(h *edit.Hunk) {
	for len(h.Old) > 0 && len(h.New) > 0 && h.Old[len(h.Old)-1] == "" && h.New[len(h.New)-1] == "" {
		h.Old, h.New = h.Old[:len(h.Old)-1], h.New[:len(h.New)-1]
	}
}
