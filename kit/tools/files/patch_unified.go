package files

import (
	"strconv"
	"strings"

	"rein/kit/edit"
)

func isUnifiedHeader(lines []string, i int) bool {
	return strings.HasPrefix(lines[i], "diff --git ") || strings.HasPrefix(lines[i], "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ ")
}

// hunkNumbers reads the numbers of "-12,5 +12,7 @@ func f": where the hunk begins in the old file, and what follows.
func hunkNumbers(text string) (line int, rest string, ok bool) {
	if !strings.HasPrefix(text, "-") {
		return 0, text, false
	}
	old, more, ok := strings.Cut(text[1:], " ")
	if !ok || !strings.HasPrefix(more, "+") {
		return 0, text, false
	}
	start, count, counted := strings.Cut(old, ",")
	line, err := strconv.Atoi(start)
	if err != nil || line < 0 {
		return 0, text, false
	}
	if counted && count == "0" {
		line++ // a hunk without old lines comes behind the line that it names
	}
	_, rest, _ = strings.Cut(more, "@@")
	return line, strings.TrimSpace(rest), true
}

// unifiedReader reads a diff line by line.
type unifiedReader struct {
	patch patch
	file  *patchFile
	hunk  *edit.Hunk
}

// parseUnified reads a unified diff, of diff or of git. The counts in its @@ lines are ignored, and a line
// without a mark is context.
func parseUnified(lines []string) (patch, error) {
	u := unifiedReader{patch: patch{Format: "unified"}}
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		switch {
		case strings.HasPrefix(l, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			u.begin(diffPath(l[4:]), diffPath(lines[i+1][4:]))
			i++
		case strings.HasPrefix(l, "diff --git "):
			u.end()
			u.file = nil
			if a, b, ok := strings.Cut(l[len("diff --git "):], " "); ok {
				u.git(diffPath(a), diffPath(b))
			}
		case u.file != nil && u.hunk == nil && u.gitHeader(l):
		case strings.HasPrefix(l, "@@"):
			if err := u.at(l, i+1); err != nil {
				return patch{}, err
			}
		case strings.HasPrefix(l, `\ No newline`):
		case u.hunk != nil:
			addLine(u.hunk, l)
		}
	}
	u.end()
	return u.patch, nil
}

// diffPath is the name in a header line: without the time, the a/ or b/, and quotes. Empty for /dev/null.
func diffPath(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	s = strings.TrimSpace(s)
	if q, err := strconv.Unquote(s); err == nil {
		s = q
	}
	if s == "/dev/null" {
		return ""
	}
	if rest, ok := strings.CutPrefix(s, "a/"); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(s, "b/"); ok {
		return rest
	}
	return s
}

func (u *unifiedReader) open(f patchFile) {
	u.patch.Files = append(u.patch.Files, f)
	u.file = &u.patch.Files[len(u.patch.Files)-1]
}

// git starts a file with the header of git, which has no hunks for a rename or a deletion alone.
func (u *unifiedReader) git(from, to string) {
	u.open(patchFile{Op: patchUpdate, Path: from})
	if to != from {
		u.file.To = to
	}
}

func (u *unifiedReader) gitHeader(l string) bool {
	switch {
	case strings.HasPrefix(l, "new file mode"):
		u.file.Op, u.file.To = patchAdd, ""
	case strings.HasPrefix(l, "deleted file mode"):
		u.file.Op, u.file.To = patchDelete, ""
	case strings.HasPrefix(l, "rename from "), strings.HasPrefix(l, "rename to "), strings.HasPrefix(l, "similarity index"),
		strings.HasPrefix(l, "index "), strings.HasPrefix(l, "old mode"), strings.HasPrefix(l, "new mode"):
	default:
		return false
	}
	return true
}

// begin reads the pair of --- and +++ lines.
func (u *unifiedReader) begin(from, to string) {
	u.end()
	f := patchFile{Op: patchUpdate, Path: from}
	switch {
	case from == "":
		f = patchFile{Op: patchAdd, Path: to}
	case to == "":
		f.Op = patchDelete
	case to != from:
		f.To = to
	}
	if u.file != nil && len(u.file.Hunks) == 0 && (u.file.Path == f.Path || u.file.Path == to) {
		*u.file = f // the same file that git's header has opened
		return
	}
	u.open(f)
}

func (u *unifiedReader) at(l string, n int) error {
	if u.file == nil {
		return failed(formHint, "line %d of the patch: the hunk %q belongs to no file; --- and +++ lines are missing.", n, l)
	}
	u.end()
	u.hunk = &edit.Hunk{}
	text := strings.TrimSpace(strings.TrimPrefix(l, "@@"))
	if line, _, ok := hunkNumbers(text); ok {
		u.hunk.Line = line // what follows the numbers is diff's guess of a function, often wrong
	}
	return nil
}

func (u *unifiedReader) end() {
	if u.hunk == nil {
		return
	}
	trimBlankTail(u.hunk)
	switch {
	case u.file.Op == patchAdd:
		for _, l := range u.hunk.New {
			u.file.Text += l + "\n"
		}
	case u.file.Op == patchUpdate && len(u.hunk.Old)+len(u.hunk.New) > 0:
		u.file.Hunks = append(u.file.Hunks, *u.hunk)
	}
	u.hunk = nil
}
