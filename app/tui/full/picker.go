package full

import (
	"rein/app/tui/input"
	"rein/app/tui/text"
)

// Entry is one row of a picker.
type Entry struct {
	Name  string
	About string // at the right
	Value any
}

// Picker lets the user choose one of many, with a filter.
type Picker struct {
	Words   text.Words // the language of the user
	title   string
	Help    string // of further keys; it ends with blanks
	Column  int    // how wide what is said of entries is, where all of it begins at one place; 0: it ends at one
	entries []Entry
	list    *input.List
	filter  input.Editor
	found   []input.Match
	row     int
	Preview func(e Entry, width int) []text.Line // nil: none
}

// NewPicker returns a picker over entries, in their order.
func NewPicker(title string, entries []Entry) *Picker {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name + " " + e.About
	}
	p := &Picker{title: title, entries: entries, list: input.NewList(names)}
	p.search()
	return p
}

// search filters. Without a filter the entries keep their order.
func (p *Picker) search() {
	p.row = 0
	if p.filter.Empty() {
		p.found = nil
		for i, e := range p.entries {
			p.found = append(p.found, input.Match{Name: e.Name, Index: i})
		}
		return
	}
	p.found = p.list.Find(p.filter.Text(), 200)
}

// Lines lays the view out for a screen. It returns the cursor, or nil.
func (p *Picker) Lines(width, height int) ([]text.Line, *Caret) {
	rows, _, x := p.filter.Rows(width)
	filter := "   " + p.Words.Of("filter: ")
	left := text.Join(text.Line{text.Bold(text.Accent, p.Words.Of(p.title)), text.In(text.Dim, filter)}, rows[0])
	out := []text.Line{text.Spread(left, text.Of(text.Dim, p.Words.Of("%d of %d", len(p.found), len(p.entries))), width), nil}
	at := &Caret{min(text.Width(p.Words.Of(p.title))+text.Width(filter)+x, width-1), 0}
	room := max(height-4, 1)
	var preview []text.Line
	listWidth := width
	if p.Preview != nil && p.row < len(p.found) {
		if width >= 110 {
			listWidth = width - 62
			preview = p.Preview(p.entries[p.found[p.row].Index], 60)
		} else {
			preview = p.Preview(p.entries[p.found[p.row].Index], width-4)
			preview = preview[:min(len(preview), max(room/3, room-len(p.entries)-1))]
			room -= len(preview) + 1
		}
	}
	first := max(p.row-room+1, 0)
	var list []text.Line
	for i := first; i < len(p.found) && i < first+room; i++ {
		list = append(list, p.entryLine(i, listWidth))
	}
	if len(p.found) == 0 {
		list = append(list, text.Of(text.Dim, "  "+p.Words.Of("nothing fits")))
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
	return append(out[:height-1], text.Of(text.Dim, "  "+p.Words.Of("Enter chooses")+"   "+p.Words.Of(p.Help)+p.Words.Of("Esc goes back")).Cut(width)), at
}

func (p *Picker) entryLine(i, width int) text.Line {
	e := p.entries[p.found[i].Index]
	mark := "    "
	if i == p.row {
		mark = "  › "
	}
	about := text.Of(text.Dim, text.OneLine(e.About))
	if p.Column == 0 { // a long one leaves a name its room, up to a half
		about = about.Cut(max(width/2, width-8-text.Width(text.OneLine(e.Name))))
	}
	if e.About != "" && p.Column+12 < width { // else the longer ones have no room
		about = about.Pad(p.Column, text.Style{})
	}
	l := text.Spread(text.Line{text.In(text.Accent, mark), text.In(text.Plain, text.OneLine(e.Name))}, about, width-2)
	if i == p.row {
		l = l.Pad(width-2, text.Style{}).On(text.Chosen)
	}
	return l
}

// Filter sets the filter. Where nothing fits and strict is not set, there is no filter.
func (p *Picker) Filter(words string, strict bool) {
	p.filter.Set(words)
	if p.search(); len(p.found) == 0 && !strict {
		p.filter.Clear()
		p.search()
	}
}

// Chosen returns the entry under the cursor; false is that nothing fits the filter.
func (p *Picker) Chosen() (Entry, bool) {
	if len(p.found) == 0 {
		return Entry{}, false
	}
	return p.entries[p.found[p.row].Index], true
}

// Written returns the filter.
func (p *Picker) Written() string { return p.filter.Text() }

// Key takes a key with its action and the text that it types, and reports whether the view is closed without a choice. Enter is the
// caller's.
func (p *Picker) Key(a text.Action, key, typed string) (closed bool) {
	n := len(p.found)
	switch {
	case a == text.Close || a == text.Clear:
		return true
	case a == text.Up && n > 0:
		p.row = (p.row - 1 + n) % n
	case (a == text.Down || a == text.Complete) && n > 0:
		p.row = (p.row + 1) % n
	case key == "pgup":
		p.row = max(p.row-10, 0)
	case key == "pgdown":
		p.row = max(min(p.row+10, n-1), 0)
	case a == text.Backspace:
		p.filter.Backspace()
		p.search()
	case a == text.KillStart || a == text.KillWord:
		p.filter.Clear()
		p.search()
	case typed != "":
		p.filter.Insert(typed)
		p.search()
	}
	return false
}

// Paste takes a paste into the filter.
func (p *Picker) Paste(s string) {
	p.filter.Insert(text.OneLine(s))
	p.search()
}
