// Package full holds the views that take the whole screen: a pager for long texts, and a picker that lets the user choose one of
// many. An Asker asks one thing after the other without a chat. They know nothing of what they show.
package full

import (
	"strings"

	"rein/app/tui/input"
	"rein/app/tui/text"
)

// Caret is where the cursor is, in cells from the top left.
type Caret struct{ X, Y int }

// Pager shows lines that may be longer than the screen.
type Pager struct {
	Words text.Words // the language of the user
	title string
	all   []text.Line
	whole []text.Line // before it was wrapped
	width int
	top   int
	page  int
	find  input.Editor
	finds bool // the user writes what to find

	// Follow returns the lines again when they have changed, for an output that grows; nil: they do not. The view stays at the end
	// when it is there.
	Follow func() (lines []text.Line, changed bool)

	unseen map[int]bool // the lines that were not on the screen yet, where Read is to be called
	Read   func()       // called once when all have been on the screen; nil: nothing
}

// NewPager returns a pager.
func NewPager(title string, lines []text.Line) *Pager { return &Pager{title: title, whole: lines} }

// Lines lays the view out for a screen. It returns the cursor, or nil.
func (p *Pager) Lines(width, height int) ([]text.Line, *Caret) {
	atEnd, changed := p.top+p.page >= len(p.all), false
	if p.Follow != nil {
		var lines []text.Line
		if lines, changed = p.Follow(); changed {
			p.whole = lines
		}
	}
	if p.width != width || changed {
		p.width, p.all = width, nil
		for _, l := range p.whole {
			p.all = append(p.all, l.Wrap(width, text.Of(text.Plain, "    "))...)
		}
		p.unseen = map[int]bool{}
		for i := range p.all {
			if p.Read != nil {
				p.unseen[i] = true
			}
		}
	}
	p.page = max(height-2, 1)
	if changed && atEnd {
		p.top = len(p.all)
	}
	p.top = min(max(p.top, 0), max(len(p.all)-p.page, 0))
	if p.Read != nil {
		p.see()
	}
	where := p.Words.Of("%d to %d of %d", min(p.top+1, len(p.all)), min(p.top+p.page, len(p.all)), len(p.all))
	out := []text.Line{text.Spread(text.Line{text.Bold(text.Accent, p.Words.Of(p.title))}, text.Of(text.Dim, where), width)}
	out = append(out, p.all[p.top:min(p.top+p.page, len(p.all))]...)
	for len(out) < height-1 {
		out = append(out, nil)
	}
	if p.finds {
		rows, _, x := p.find.Rows(width)
		return append(out, append(text.Of(text.Accent, "/"), rows[0]...)), &Caret{x + 1, height - 1}
	}
	return append(out, p.help().Cut(width)), nil
}

// see notes which lines are on the screen.
func (p *Pager) see() {
	for i := p.top; i < p.top+p.page; i++ {
		delete(p.unseen, i)
	}
	if len(p.unseen) == 0 {
		p.Read()
		p.Read = nil
	}
}

func (p *Pager) help() text.Line {
	if p.Read != nil && p.top+p.page >= len(p.all) {
		return text.Of(text.Warn, p.Words.Of("rows above that were not on the screen yet: %d; PgUp shows them", len(p.unseen)))
	}
	if p.Read != nil {
		return text.Of(text.Warn, p.Words.Of("Enter approves only what was shown whole: PgUp PgDn show the rest   q or Esc goes back"))
	}
	return text.Of(text.Dim, p.Words.Of("arrows and PgUp PgDn move   / finds   n next   q or Esc goes back"))
}

// Key takes a key with its action and the text that it types, and reports whether the view is closed.
func (p *Pager) Key(a text.Action, key, typed string) (closed bool) {
	if p.finds {
		switch {
		case a == text.Send:
			p.finds = false
			p.next()
		case a == text.Close || a == text.Clear:
			p.finds = false
		case a == text.Backspace:
			p.find.Backspace()
		case typed != "":
			p.find.Insert(typed)
		}
		return false
	}
	switch {
	case a == text.Close || a == text.Clear || a == text.Open || key == "q" || key == "shift+?" || key == "?":
		return true
	case a == text.Up || key == "k":
		p.top--
	case a == text.Down || key == "j" || a == text.Send:
		p.top++
	case key == "pgup" || key == "b":
		p.top -= p.page
	case key == "pgdown" || key == "space":
		p.top += p.page
	case key == "g" || key == "home":
		p.top = 0
	case key == "G" || key == "shift+g" || key == "end":
		p.top = len(p.all)
	case key == "/":
		p.finds, p.find = true, input.Editor{}
	case key == "n":
		p.next()
	}
	return false
}

// next goes to the next line that has what is searched for.
func (p *Pager) next() {
	want := strings.ToLower(p.find.Text())
	for i := range p.all {
		at := (p.top + 1 + i) % len(p.all)
		if want != "" && strings.Contains(strings.ToLower(p.all[at].String()), want) {
			p.top = at
			return
		}
	}
}

// Paste takes a paste into what is searched for.
func (p *Pager) Paste(s string) {
	if p.finds {
		p.find.Insert(text.OneLine(s))
	}
}
