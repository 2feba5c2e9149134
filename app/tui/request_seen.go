package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rein/app/tui/text"
)

// seen is how much of a long request has been on the screen. It can be approved only when all of it has.
type seen struct {
	top   int  // the first row that is shown
	page  int  // rows that are shown at once
	to    int  // the rows before this one have been shown
	rows  int  // of the content
	width int  // for which the rows were counted
	all   bool // the user has seen it in full screen
}

func (s *seen) whole() bool { return s.all || s.rows > 0 && s.to >= s.rows }

// window returns what of the content is shown in most rows: all of it, its start and its end, or what the user has scrolled to.
func (s *seen) window(lines []text.Line, most, width int, words text.Words) []text.Line {
	if s.width != width {
		s.width, s.top, s.to = width, 0, 0
	}
	s.rows = max(len(lines), 1)
	if len(lines) <= most {
		s.top, s.to = 0, s.rows
		return lines
	}
	if most < 2 {
		s.page = 0
		return []text.Line{text.Of(text.Warn, words.Of("it does not fit: open it before you approve")).Cut(width)}
	}
	if s.top == 0 {
		head, tail := most/2, (most-1)/2
		s.show(head)
		note := text.Of(text.Warn, words.Of("%d rows more: PgDn shows them", len(lines)-head-tail)).Cut(width)
		return slices.Concat(lines[:head], []text.Line{note}, lines[len(lines)-tail:])
	}
	s.top = min(s.top, len(lines)-most+1)
	s.show(most - 1)
	note := words.Of("rows %d to %d of %d", s.top+1, s.top+s.page, len(lines))
	if !s.whole() {
		note += words.Of(": PgDn shows more")
	}
	return append(slices.Clone(lines[s.top:s.top+s.page]), text.Of(text.Warn, note).Cut(width))
}

func (s *seen) show(page int) {
	s.page = page
	if s.top <= s.to {
		s.to = max(s.to, s.top+page)
	}
}

// Scroll moves what is shown of the open question by pages.
func (l *requestList) Scroll(by int) {
	if q := l.open(); q != nil {
		q.seen.top = max(q.seen.top+by*max(q.seen.page, 1), 0)
	}
}

// scrollTo shows the question with an index, of several, where not all of them fit.
func (q *request) scrollTo(n int) {
	lines, _ := q.content(q.seen.width)
	for i := q.seen.top; i < len(lines); i++ {
		if strings.HasPrefix(strings.TrimSpace(lines[i].String()), fmt.Sprintf("%d. ", n+1)) {
			q.seen.top = i
			return
		}
	}
}

// Seen notes that the user has seen all of a question in full screen. It can be answered after a pause.
func (q *request) Seen() {
	q.seen.all, q.drawn = true, time.Time{}
}

// leastPage is the least number of rows that are worth to be shown by themselves: where there is room for fewer, all is shown in full screen.
const leastPage = 3

// goOn shows what of the question was not on the screen yet, instead of approving it.
func (l *requestList) goOn(q *request, now time.Time) requestOutcome {
	if q.seen.page < leastPage {
		return requestOutcome{Kind: seeWhole, Questions: []*request{q}}
	}
	q.seen.top = q.seen.to
	q.drawn = now
	return requestOutcome{}
}
