package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/tui/text"
)

// pace says when the screen is drawn. A terminal without bracketed paste sends a paste as thousands of keys: within such a burst the screen is
// drawn once in a frame. All else that happens is drawn at once.
type pace struct {
	burst text.Burst
	keeps bool // the last message was a key within a burst
	waits bool // drawAgain is on its way
	kept  tea.View
	of    drawing
}

// drawing is what is never drawn later, whatever came with it.
type drawing struct {
	screen screen
	asks   int // the requests that wait
	leaves bool
}

// drawAgain draws what came in a burst.
type drawAgain struct{}

// came takes a message, and returns the command that draws a burst.
func (p *pace) came(msg tea.Msg, now time.Time) tea.Cmd {
	_, key := msg.(tea.KeyPressMsg)
	p.keeps = key && p.burst.Pressed(now)
	if _, again := msg.(drawAgain); again {
		p.waits = false
	}
	if !p.keeps || p.waits {
		return nil
	}
	p.waits = true
	return tea.Tick(frame, func(time.Time) tea.Msg { return drawAgain{} })
}
