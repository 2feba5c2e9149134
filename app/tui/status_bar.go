package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rein/app/tui/block"
	"rein/app/tui/text"
)

// statusBar is what the line shows. The zero values of all but Mode are left out.
type statusBar struct {
	Words   text.Words
	Mode    string
	Vi      string    // what vi's normal mode shows
	Waits   int       // approval requests
	Own     text.Line // what the user's own command printed: with it only the parts above are shown
	Model   string
	Dir     string
	Branch  string
	Context int64   // tokens of the conversation
	Window  int64   // tokens that the model takes; 0: not known
	Cost    float64 // in US dollars
	Jobs    int

	Works  bool // a turn runs
	For    time.Duration
	Tokens int64  // that the model wrote in this turn
	Stops  string // how the turn is stopped
}

// The widths from which on the line has more than the mode, what waits and how full the window is, and from which on it has all.
const (
	medium     = 60
	statusWide = 100
)

// statusFact is one fact of the line. Those of a lower rank stay where the room is short.
type statusFact struct {
	rank int
	line text.Line
}

// Line lays the line out in width columns.
func (b statusBar) Line(width int) text.Line {
	gap := text.In(text.Plain, strings.Repeat(" ", 4))
	if width < medium {
		gap.Text = gap.Text[1:]
	}
	parts := b.parts(width)
	for {
		line := text.Of(text.Plain, "  ")
		for i, p := range parts {
			if i > 0 {
				line = append(line, gap)
			}
			line = append(line, p.line...)
		}
		if line.Width() < width || len(parts) == 1 {
			return line.Cut(width - 1)
		}
		last := 0
		for i, p := range parts {
			if p.rank >= parts[last].rank {
				last = i
			}
		}
		parts = slices.Delete(parts, last, last+1)
	}
}

func (b statusBar) parts(width int) []statusFact {
	all := []statusFact{{0, text.Line{b.mode(width < medium)}}}
	add := func(on bool, rank int, r text.Role, s string) {
		if on {
			all = append(all, statusFact{rank, text.Of(r, s)})
		}
	}
	add(b.Vi != "", 2, text.Accent, b.Vi)
	add(b.Waits > 0, 1, text.Warn, b.waitingText())
	if len(b.Own) > 0 {
		return append(all, statusFact{0, b.Own})
	}
	add(b.Model != "" && width >= statusWide, 9, text.Dim, b.Model)
	add(b.Dir != "" && width >= statusWide, 10, text.Dim, b.Dir)
	add(b.Branch != "" && width >= medium, 8, text.Dim, b.Branch)
	add(b.Context > 0, 3, text.Dim, b.context(width))
	add(b.Cost > 0 && width >= medium, 5, text.Dim, block.Money(b.Cost))
	add(b.Jobs > 0 && width >= medium, 6, text.Dim, b.Words.Count(b.Jobs, "job"))
	if b.Works && width >= medium {
		add(b.Tokens > 0, 7, text.Dim, b.Words.Of("%s tokens", block.Tokens(b.Tokens)))
		add(true, 3, text.Dim, block.Since(b.For))
		add(b.Stops != "", 4, text.Dim, b.Stops)
	}
	return all
}

// usedFacts says what a turn has used: the tokens that the model wrote, where there are some, and the time.
func usedFacts(words text.Words, d time.Duration, written int64) (facts []string) {
	if written > 0 {
		facts = append(facts, words.Of("%s tokens", block.Tokens(written)))
	}
	return append(facts, block.Since(d))
}

// mode is the mode in its colour.
func (b statusBar) mode(short bool) text.Span {
	words := b.Words.Of(block.Mode(b.Mode))
	if short {
		words = b.Mode
	}
	role := map[string]text.Role{"plan": text.Accent, "read-only": text.Accent, "full": text.Error}[b.Mode]
	return text.Span{Text: words, Style: text.Style{Role: role, Bold: b.Mode != "supervised"}}
}

func (b statusBar) waitingText() string {
	if b.Waits == 1 {
		return b.Words.Of("1 waits")
	}
	return b.Words.Of("%d wait", b.Waits)
}

// context says how full the window of the model is; where its size is not known, how many tokens the conversation has.
func (b statusBar) context(width int) string {
	if b.Window <= 0 {
		return b.Words.Of("context %s", block.Tokens(b.Context))
	}
	percent := fmt.Sprintf("%d %%", b.Context*100/b.Window)
	if width >= statusWide {
		return b.Words.Of("context %s of %s", percent, block.Tokens(b.Window))
	}
	return percent
}
