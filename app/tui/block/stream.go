package block

import (
	"strings"

	"rein/app/tui/text"
)

// MarkdownStream lays Markdown out while it is written. Finished blocks leave with Take and are never parsed again; only the block
// at the end is laid out again when it grows, and the finished lines of open program text are coloured once.
type MarkdownStream struct {
	o        MarkdownOptions
	renderer *MarkdownRenderer
	began    bool   // a block has left
	tail     string // the text that has not left
	cached   []text.Line
	fresh    bool // cached is the tail
	fence    *fence
}

// fence is an open block of program text.
type fence struct {
	mark   string // what closes it begins with this
	colour *Highlighter
	lines  []text.Line // finished lines that have not left
}

// NewMarkdownStream begins a text.
func NewMarkdownStream(r *MarkdownRenderer, o MarkdownOptions) *MarkdownStream {
	return &MarkdownStream{o: o, renderer: r}
}

// Resize sets the width for what has not left yet.
func (s *MarkdownStream) Resize(o MarkdownOptions) { s.o, s.fresh = o, false }

// Write adds a piece of the text.
func (s *MarkdownStream) Write(piece string) {
	s.tail += piece
	s.fresh = false
}

// Take returns the lines of the blocks that are finished. With end the text is complete and all of it leaves. A blank line
// comes before each block but the first.
func (s *MarkdownStream) Take(end bool) (out []text.Line) {
	for {
		if s.fence != nil {
			closed := s.code(end)
			out = append(out, s.fence.lines...)
			s.fence.lines = nil
			if !closed {
				return out
			}
			s.fence = nil
			continue
		}
		block, rest, ok := cutBlock(s.tail, end)
		if !ok {
			return out
		}
		s.tail, s.fresh = rest, false
		if mark, language, isFence := openFence(block); isFence {
			s.fence = &fence{mark: mark, colour: newHighlighter(language)}
			out = s.gap(out)
			continue
		}
		if lines := s.renderer.Lines(block, s.o); len(lines) > 0 {
			out = append(s.gap(out), lines...)
		}
	}
}

func (s *MarkdownStream) gap(out []text.Line) []text.Line {
	if s.began {
		out = append(out, nil)
	}
	s.began = true
	return out
}

// code takes the finished lines of open program text and reports whether its end came.
func (s *MarkdownStream) code(end bool) (closed bool) {
	for {
		line, rest, found := strings.Cut(s.tail, "\n")
		if !found && !end || s.tail == "" {
			return end
		}
		s.tail, s.fresh = rest, false
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, s.fence.mark) && strings.Trim(trimmed, s.fence.mark[:1]) == "" {
			return true
		}
		s.fence.lines = append(s.fence.lines, codeRows(s.fence.colour.Line(text.Shown(line)), s.o.Width)...)
	}
}

// Tail lays out what has not left, for the live part of the screen. A blank line comes first where one belongs.
func (s *MarkdownStream) Tail() []text.Line {
	if s.fresh {
		return s.cached
	}
	s.fresh, s.cached = true, nil
	switch {
	case strings.TrimSpace(s.tail) == "":
	case s.fence != nil:
		s.cached = codeRows(text.Of(text.Plain, text.Shown(s.tail)), s.o.Width)
	default:
		if s.began {
			s.cached = append(s.cached, nil)
		}
		s.cached = append(s.cached, s.renderer.Lines(s.tail, s.o)...)
	}
	return s.cached
}

// cutBlock cuts the first finished block off: one that a blank line ends, or the line that opens program text. A list or a
// table continues after a blank line only where the next line is indented or is another item.
func cutBlock(s string, end bool) (block, rest string, ok bool) {
	s = strings.TrimLeft(s, "\n")
	if s == "" {
		return "", "", false
	}
	at := 0
	for at < len(s) {
		n := strings.IndexByte(s[at:], '\n')
		if n < 0 {
			break
		}
		line, next := s[at:at+n], at+n+1
		_, _, fence := openFence(line)
		switch {
		case fence && at == 0:
			return line, s[next:], true
		case fence && !indented(line):
			return s[:at], s[at:], true
		case strings.TrimSpace(line) == "":
			after := strings.TrimLeft(s[next:], "\n")
			if !end && isItem(s[:at]) && len(after) < enough && !strings.Contains(after, "\n") {
				return "", "", false
			}
			if after == "" {
				return s[:at], "", end
			}
			if !goesOn(s[:at], after) {
				return s[:at], after, true
			}
		}
		at = next
	}
	if end && at < len(s) {
		if _, _, fence := openFence(s[at:]); fence && at > 0 && !indented(s[at:]) {
			return s[:at], s[at:], true
		}
	}
	return s, "", end
}

// enough is how much of a line shows whether it is an item of a list.
const enough = 5

// goesOn reports whether a block continues after a blank line: lists do, with indented text or the next item.
func goesOn(block, after string) bool {
	return isItem(block) && (indented(after) || isItem(after))
}

func indented(s string) bool { return strings.HasPrefix(s, "  ") || strings.HasPrefix(s, "\t") }

func isItem(s string) bool {
	rest := strings.TrimLeft(s, "0123456789")
	digits := len(s) - len(rest)
	if len(rest) < 2 || rest[1] != ' ' {
		return false
	}
	return digits == 0 && strings.ContainsRune("-*+", rune(rest[0])) || digits > 0 && (rest[0] == '.' || rest[0] == ')')
}

// openFence reports whether a line opens program text, with what ends it and its language.
func openFence(line string) (mark, language string, ok bool) {
	trimmed := strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		n := len(trimmed) - len(strings.TrimLeft(trimmed, c))
		if info := strings.TrimSpace(trimmed[n:]); n >= 3 && !strings.Contains(info, "`") {
			language, _, _ = strings.Cut(info, " ")
			return trimmed[:n], language, true
		}
	}
	return "", "", false
}
