package files

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"rein/internal/plaintext"
	"rein/kit/workspace"
	"rein/tool"
)

// printer writes what was found, in the order of the files.
type printer struct {
	mode    grepOutput
	limit   int
	skip    int // matching lines, or files, that are still left out
	context bool
	out     bytes.Buffer
	lines   int64 // matching lines
	files   int
	full    string // why it stopped early
}

// file takes the matches of one file, and reports whether there is room for more.
func (p *printer) file(name string, found fileMatches) bool {
	if found.Count == 0 {
		return true
	}
	if p.mode != grepContent && p.skip > 0 {
		p.skip--
		return true
	}
	if found.Matches = p.rest(found.Matches); p.mode == grepContent && len(found.Matches) == 0 {
		return true
	}
	p.files++
	name = workspace.Listed(name)
	switch p.mode {
	case grepFiles:
		fmt.Fprintln(&p.out, name)
		p.stopAt(p.files >= p.limit, plaintext.Counted(p.files, "file"))
	case grepCount:
		p.lines += found.Count
		fmt.Fprintf(&p.out, "%s: %d\n", name, found.Count)
		p.stopAt(p.files >= p.limit, plaintext.Counted(p.files, "file"))
	default:
		p.content(name, found)
	}
	p.stopAt(p.out.Len() >= grepBytes, bytesRoom)
	return p.full == ""
}

// rest leaves out the matches that are to be skipped, with their context.
func (p *printer) rest(all []lineMatch) []lineMatch {
	for p.skip > 0 && len(all) > 0 {
		first := slices.IndexFunc(all, func(m lineMatch) bool { return !m.Beside && !m.More })
		if first < 0 {
			return nil
		}
		p.skip--
		all = all[first+1:]
		if next := slices.IndexFunc(all, func(m lineMatch) bool { return !m.More }); next > 0 {
			all = all[next:]
		} else if next < 0 {
			return nil
		}
	}
	return all
}

const bytesRoom = "the size limit of a result"

func (p *printer) stopAt(reached bool, why string) {
	if reached && p.full == "" {
		p.full = why
	}
}

func (p *printer) content(name string, found fileMatches) {
	if p.out.Len() > 0 {
		p.out.WriteByte('\n')
	}
	p.out.WriteString(name)
	p.out.WriteByte('\n')
	for _, m := range found.Matches {
		if p.full != "" && (m.Gap || !m.Beside && !m.More) || p.out.Len() >= grepBytes {
			p.stopAt(true, bytesRoom)
			return
		}
		if m.Gap && p.context {
			p.out.WriteString("  --\n")
		}
		mark := byte(':')
		if m.Beside {
			mark = '-'
		} else if !m.More {
			p.lines++
			p.stopAt(p.lines >= int64(p.limit), plaintext.Counted(p.lines, "matching line"))
		}
		fmt.Fprintf(&p.out, "%5d%c ", m.Line, mark)
		writeCut(&p.out, m)
	}
}

// writeCut writes a line, and marks where it was cut.
func writeCut(out *bytes.Buffer, m lineMatch) {
	text := m.Text
	if m.Cut > 0 {
		text = bytes.ToValidUTF8(text, nil)
	}
	if m.From > 0 {
		out.WriteString("… ")
	}
	out.Write(text)
	if m.Cut > 0 {
		fmt.Fprintf(out, " … (%d bytes of the line left out)", m.Cut)
	}
	out.WriteByte('\n')
}

// finish adds what was left out, and why.
func (p *printer) finish(r *tool.Reply, in grepArgs, s *searching) error {
	d := &tool.FoundDetail{Path: orHere(in.Path), Pattern: in.Pattern, Shown: p.files, Lines: p.lines, More: p.full != "" || s.listing.More}
	if !d.More {
		d.Total = p.files
	}
	r.Show(tool.Detail{Found: d})
	if p.files == 0 {
		fmt.Fprintf(&p.out, "no match in %s\n", plaintext.Counted(len(s.files), "file"))
		if hint := p.hint(in, s); hint != "" {
			fmt.Fprintf(&p.out, "(%s)\n", hint)
		}
	}
	if p.full != "" {
		fmt.Fprintf(&p.out, "(stopped at %s; there may be more: narrow the search, or read on with offset %d)\n", p.full, in.Offset+p.shown())
	} else if p.mode == grepCount && p.files > 1 {
		fmt.Fprintf(&p.out, "(%s in %s)\n", plaintext.Counted(p.lines, "matching line"), plaintext.Counted(p.files, "file"))
	}
	if s.listing.More {
		fmt.Fprintf(&p.out, "(the tree is too large to search completely; send a directory as path)\n")
	}
	if s.large > 0 {
		fmt.Fprintf(&p.out, "(%s of more than %s not searched)\n", plaintext.Counted(s.large, "file"), tool.SizeText(readDecoded))
	}
	if s.listing.Unread > 0 {
		fmt.Fprintf(&p.out, "(%s could not be read)\n", plaintext.Counted(s.listing.Unread, "directory"))
	}
	if len(s.hidden) > 0 && p.files == 0 {
		fmt.Fprintf(&p.out, "(%s not searched, because such files hold secrets: %s)\n", plaintext.Counted(len(s.hidden), "file"), plaintext.FirstOf(s.hidden, 3))
	}
	_, err := r.Write(p.out.Bytes())
	return err
}

// shown is how many matching lines, or files, were written.
func (p *printer) shown() int {
	if p.mode == grepContent {
		return int(p.lines)
	}
	return p.files
}

// hint is a possible reason why nothing was found.
func (p *printer) hint(in grepArgs, s *searching) string {
	switch {
	case in.Offset > 0:
		return "fewer matches than offset"
	case len(s.files) == 0 && (in.Glob != "" || in.Type != ""):
		return "no file matches the glob or the type"
	case strings.Contains(in.Pattern, `\|`) && !in.Fixed:
		return `in this syntax a|b matches a or b, and \| matches a literal |`
	case s.binary > 0 && s.binary == len(s.files):
		return "binary files are not searched"
	case !in.Ignored && !s.named:
		return "files that .gitignore excludes were not searched; send ignored: true to include them"
	}
	return ""
}
