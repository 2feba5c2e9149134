package input

import (
	"slices"
	"strings"

	"rein/app/tui/text"
)

// Offer is one row of a popup: what it inserts, how it is shown, and what it is.
type Offer struct {
	Insert string
	Shown  string
	About  string
}

// Popup offers what completes the word at the cursor. The zero value is closed.
type Popup struct {
	Rows  []Offer
	row   int
	start int // of the word, in runes
	end   int
	shut  string // the word for which the user has closed it
}

// At returns a popup without rows for the word before the cursor of e. word is "" where nothing is to be offered; start is where it
// begins, in runes.
func (p *Popup) At(e *Editor) (next Popup, word string, start int) {
	runes := e.runes[:e.at]
	for start = len(runes); start > 0 && runes[start-1] != ' ' && runes[start-1] != '\n'; start-- {
	}
	next = Popup{start: start, end: len(runes)}
	if word = string(runes[start:]); word == "" || word == p.shut {
		next.shut, word = p.shut, ""
	}
	return next, word, start
}

// Open reports whether there is something to choose.
func (p *Popup) Open() bool { return len(p.Rows) > 0 }

// Move goes to another row.
func (p *Popup) Move(by int) { p.row = (p.row + by + len(p.Rows)) % len(p.Rows) }

// Chosen returns the row under the cursor, and how many runes before the cursor it replaces.
func (p *Popup) Chosen() (o Offer, replaces int) { return p.Rows[p.row], p.end - p.start }

// Keep puts the cursor on the row that another popup has it on, where there is such a row.
func (p *Popup) Keep(was Popup) {
	if !was.Open() {
		return
	}
	chosen, _ := was.Chosen()
	p.row = max(slices.IndexFunc(p.Rows, func(o Offer) bool { return o.Insert == chosen.Insert }), 0)
}

// Written is the word that is completed, in what is written before the cursor.
func (p *Popup) Written(before string) string { return string([]rune(before)[p.start:]) }

// Shut returns a popup that stays closed for a word.
func Shut(word string) Popup { return Popup{shut: word} }

// Lines lays out at most most rows around the chosen one.
func (p *Popup) Lines(most, width int) (lines []text.Line) {
	name := 0
	for _, o := range p.Rows {
		name = max(name, text.Width(o.Shown))
	}
	name = min(name, max(width/2-6, 8)) // what is said of the offers has half of the width; a longer name takes of its own row
	first := max(p.row-most+1, 0)
	for i := first; i < len(p.Rows) && i < first+most; i++ {
		o := p.Rows[i]
		mark := "    "
		if i == p.row {
			mark = "  › "
		}
		l := text.Line{text.In(text.Accent, mark), text.In(text.Plain, o.Shown)}
		if o.About != "" {
			l = append(l.Pad(name+4, text.Style{}), text.In(text.Dim, "  "+o.About))
		}
		if l = l.Cut(width); i == p.row {
			l = l.Pad(width, text.Style{}).On(text.Chosen)
		}
		lines = append(lines, l)
	}
	return lines
}

// Fitting returns the offers whose insertion begins so. One that is written whole comes first: Enter takes it.
func Fitting(all []Offer, prefix string) (rows []Offer) {
	for _, o := range all {
		switch {
		case strings.TrimSpace(o.Insert) == prefix:
			rows = slices.Insert(rows, 0, o)
		case strings.HasPrefix(o.Insert, prefix):
			rows = append(rows, o)
		}
	}
	return rows
}

// Quoted puts quotes around a name with blanks.
func Quoted(name string) string {
	if strings.ContainsAny(name, " \t") {
		return `"` + name + `"`
	}
	return name
}
