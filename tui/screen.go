package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/tui/complete"
	"rein/tui/input"
	"rein/tui/text"
)

// screen is a full-screen view. It takes all keys until it is closed.
type screen interface {
	lines(u *ui, width, height int) ([]text.Line, *caret)
	key(u *ui, a action, k tea.KeyPressMsg) (cmd tea.Cmd, closed bool)
	paste(u *ui, s string) tea.Cmd
}

func (u *ui) open(s screen) {
	u.screen = s
	u.scroll.held = true
	u.hint = ""
}

// shut closes the full-screen view. The scrollback gets what waits for it a moment later.
func (u *ui) shut() {
	u.screen = nil
	u.scroll.held = u.resize.active
	u.scroll.after = u.now().Add(settle)
}

func (u *ui) screenKey(k tea.KeyPressMsg) tea.Cmd {
	s := u.screen
	cmd, closed := s.key(u, u.keys.byKey[k.Keystroke()], k)
	if closed && u.screen == s {
		u.shut()
	}
	return cmd
}

// pager shows lines that may be longer than the screen.
type pager struct {
	title string
	all   []text.Line
	whole []text.Line // before it was wrapped
	width int
	top   int
	page  int
	find  input.Editor
	finds bool // the user writes what to find

	shown int    // the lines before this one have been on the screen
	read  func() // called once when all have been; nil: nothing
}

func newPager(title string, lines []text.Line) *pager { return &pager{title: title, whole: lines} }

func (p *pager) lines(_ *ui, width, height int) ([]text.Line, *caret) {
	if p.width != width {
		p.width, p.all, p.shown = width, nil, 0
		for _, l := range p.whole {
			p.all = append(p.all, l.Wrap(width, text.Of(text.Plain, "    "))...)
		}
	}
	p.page = max(height-2, 1)
	p.top = min(max(p.top, 0), max(len(p.all)-p.page, 0))
	if p.top <= p.shown {
		p.shown = max(p.shown, p.top+p.page)
	}
	if p.read != nil && p.shown >= len(p.all) {
		p.read()
		p.read = nil
	}
	where := fmt.Sprintf("%d to %d of %d", min(p.top+1, len(p.all)), min(p.top+p.page, len(p.all)), len(p.all))
	out := []text.Line{text.Spread(text.Line{text.Bold(text.Accent, p.title)}, text.Of(text.Dim, where), width)}
	out = append(out, p.all[p.top:min(p.top+p.page, len(p.all))]...)
	for len(out) < height-1 {
		out = append(out, nil)
	}
	if p.finds {
		rows, _, x := p.find.Rows(width)
		return append(out, append(text.Of(text.Accent, "/"), rows[0]...)), &caret{x + 1, height - 1}
	}
	return append(out, text.Of(text.Dim, "arrows and PgUp PgDn move   / finds   n next   q or Esc goes back").Cut(width)), nil
}

func (p *pager) key(_ *ui, a action, k tea.KeyPressMsg) (tea.Cmd, bool) {
	if p.finds {
		switch {
		case a == actSend:
			p.finds = false
			p.next()
		case a == actClose || a == actInterrupt:
			p.finds = false
		case a == actBackspace:
			p.find.Backspace()
		case k.Text != "":
			p.find.Insert(k.Text)
		}
		return nil, false
	}
	switch key := k.Keystroke(); {
	case a == actClose || a == actInterrupt || a == actOpen || key == "q" || key == "shift+?" || key == "?":
		return nil, true
	case a == actUp || key == "k":
		p.top--
	case a == actDown || key == "j" || a == actSend:
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
	return nil, false
}

// next goes to the next line that has what is sought.
func (p *pager) next() {
	want := strings.ToLower(p.find.Text())
	for i := range p.all {
		at := (p.top + 1 + i) % len(p.all)
		if want != "" && strings.Contains(strings.ToLower(p.all[at].String()), want) {
			p.top = at
			return
		}
	}
}

func (p *pager) paste(_ *ui, s string) tea.Cmd {
	if p.finds {
		p.find.Insert(text.OneLine(s))
	}
	return nil
}

// entry is one row of a picker.
type entry struct {
	name  string
	about string // at the right
	value any
}

// picker lets the user choose one of many, with a filter.
type picker struct {
	title   string
	help    string // of further keys
	entries []entry
	list    *complete.List
	filter  input.Editor
	found   []complete.Match
	row     int
	preview func(entry, int) []text.Line // nil: none
	choose  func(*ui, entry) tea.Cmd
	other   map[string]func(*ui, *picker, entry) tea.Cmd // further keys
}

func newPicker(title string, entries []entry, choose func(*ui, entry) tea.Cmd) *picker {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name + " " + e.about
	}
	p := &picker{title: title, entries: entries, list: complete.NewList(names), choose: choose}
	p.search()
	return p
}

// search filters. Without a filter the entries keep their order.
func (p *picker) search() {
	p.row = 0
	if p.filter.Empty() {
		p.found = nil
		for i, e := range p.entries {
			p.found = append(p.found, complete.Match{Name: e.name, Index: i})
		}
		return
	}
	p.found = p.list.Find(p.filter.Text(), 200)
}

func (p *picker) lines(_ *ui, width, height int) ([]text.Line, *caret) {
	rows, _, x := p.filter.Rows(width)
	left := text.Join(text.Line{text.Bold(text.Accent, p.title), text.In(text.Dim, "   filter: ")}, rows[0])
	out := []text.Line{text.Spread(left, text.Of(text.Dim, fmt.Sprintf("%d of %d", len(p.found), len(p.entries))), width), nil}
	at := &caret{text.Width(p.title) + len("   filter: ") + x, 0}
	room := max(height-4, 1)
	var preview []text.Line
	listWidth := width
	if p.preview != nil && p.row < len(p.found) {
		if width >= 110 {
			listWidth = width - 62
			preview = p.preview(p.entries[p.found[p.row].Index], 60)
		} else {
			preview = p.preview(p.entries[p.found[p.row].Index], width-4)
			preview = preview[:min(len(preview), room/3)]
			room -= len(preview) + 1
		}
	}
	first := max(p.row-room+1, 0)
	var list []text.Line
	for i := first; i < len(p.found) && i < first+room; i++ {
		list = append(list, p.entryLine(i, listWidth))
	}
	if len(p.found) == 0 {
		list = append(list, text.Of(text.Dim, "  nothing fits"))
	}
	if listWidth < width {
		for y := range max(len(list), min(len(preview), room)) {
			var l, r text.Line
			if y < len(list) {
				l = list[y]
			}
			if y < len(preview) {
				r = preview[y]
			}
			out = append(out, text.Join(l.Pad(listWidth+2, text.Style{}), r.Cut(60)))
		}
	} else {
		out = append(out, list...)
		for len(preview) > 0 && len(out) < 2+room {
			out = append(out, nil)
		}
		if len(preview) > 0 {
			out = append(append(out, nil), text.Indent(preview, 4)...)
		}
	}
	for len(out) < height-1 {
		out = append(out, nil)
	}
	return append(out[:height-1], text.Of(text.Dim, "  Enter chooses   "+p.help+"Esc goes back").Cut(width)), at
}

func (p *picker) entryLine(i, width int) text.Line {
	e := p.entries[p.found[i].Index]
	mark := "    "
	if i == p.row {
		mark = "  › "
	}
	l := text.Spread(text.Line{text.In(text.Accent, mark), text.In(text.Plain, text.OneLine(e.name))}, text.Of(text.Dim, text.OneLine(e.about)), width-2)
	if i == p.row {
		l = l.Pad(width-2, text.Style{}).On(text.Chosen)
	}
	return l
}

func (p *picker) key(u *ui, a action, k tea.KeyPressMsg) (tea.Cmd, bool) {
	n := len(p.found)
	if do := p.other[k.Keystroke()]; do != nil && n > 0 {
		return do(u, p, p.entries[p.found[p.row].Index]), false
	}
	switch key := k.Keystroke(); {
	case a == actClose || a == actInterrupt:
		return nil, true
	case a == actSend && n > 0:
		chosen := p.entries[p.found[p.row].Index]
		u.shut()
		return p.choose(u, chosen), false
	case a == actUp && n > 0:
		p.row = (p.row - 1 + n) % n
	case (a == actDown || a == actTab) && n > 0:
		p.row = (p.row + 1) % n
	case key == "pgup":
		p.row = max(p.row-10, 0)
	case key == "pgdown":
		p.row = max(min(p.row+10, n-1), 0)
	case a == actBackspace:
		p.filter.Backspace()
		p.search()
	case a == actKillStart || a == actKillWord:
		p.filter.Clear()
		p.search()
	case k.Text != "":
		p.filter.Insert(k.Text)
		p.search()
	}
	return nil, false
}

func (p *picker) paste(_ *ui, s string) tea.Cmd {
	p.filter.Insert(text.OneLine(s))
	p.search()
	return nil
}
