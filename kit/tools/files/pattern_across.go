package files

import "bytes"

const (
	mostAcross  = 40      // lines that are shown of one match
	mostCounted = 1 << 20 // matches of one file
)

// Across searches a complete text for matches that may span lines.
func (p *searchPattern) Across(text []byte, want searchLimits) fileMatches {
	if bytes.Contains(text, []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\r\n"), newline)
	}
	var found fileMatches
	f := &finder{p: p, want: want, found: &found}
	most, counted, breaks, pos := want.Max, 0, int64(0), 0
	if most == 0 {
		most = mostCounted
	}
	for _, m := range p.line.FindAllIndex(text, most) {
		if found.Count++; want.Max == 0 {
			continue
		}
		start := bytes.LastIndexByte(text[:m[0]], '\n') + 1
		pos = f.follow(text, pos, start, &breaks, &counted)
		breaks += int64(bytes.Count(text[counted:max(start, counted)], newline))
		counted = max(start, counted)
		f.lead(text, min(pos, start), start, breaks+1)
		pos = f.span(text, start, m[1], breaks+1)
		f.after = want.After
	}
	if found.Ended = want.Max > 0 && found.Count >= int64(want.Max); want.Max > 0 {
		f.follow(text, pos, len(text), &breaks, &counted)
	}
	return found
}

// span keeps the lines of a match, which begins in the line at start with that number, and returns the start of the line behind it.
func (f *finder) span(text []byte, start, end int, number int64) int {
	for shown := 0; ; shown, number = shown+1, number+1 {
		next := f.past(text, start)
		if number > f.last && shown < mostAcross {
			f.keep(trimmed(text[start:next]), number, false)
			f.found.Matches[len(f.found.Matches)-1].More = shown > 0
		}
		if next >= end || next >= len(text) {
			return next
		}
		start = next
	}
}
