package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/tui/text"
)

// presses is what the meaning of a key press depends on beside the key: what was pressed before, and when.
type presses struct {
	began   time.Time // the program
	count   int
	burst   text.Burst
	chord   string // the first key of one; "": none
	chordAt time.Time
	clear   time.Time // the last Ctrl+C
	enter   time.Time // the last Enter
	esc     time.Time // the last Esc that found nothing to close
	held    text.Held
	pasted  time.Time // the last paste
}

// typedAhead is for how long after the start Ctrl+J is Enter: a terminal makes it of an Enter that is pressed before the program has
// set the terminal's mode.
const typedAhead = time.Second

func (p *presses) typedAhead(k tea.KeyPressMsg, now time.Time) tea.KeyPressMsg {
	if k.Keystroke() == "ctrl+j" && now.Sub(p.began) < typedAhead {
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	return k
}

// paste takes a key, and returns what it is within a paste, if it is an Enter or a Tab: "" is a key of its own.
func (p *presses) paste(k tea.KeyPressMsg, now time.Time) string {
	p.count++
	burst := p.burst.Pressed(now)
	switch {
	case k.Mod != 0:
	case k.Code == tea.KeyEnter && (burst || now.Sub(p.pasted) <= pasteTime):
		return "\n"
	case k.Code == tea.KeyTab && burst:
		return "\t"
	}
	return ""
}

// pasteTime is how soon after a paste an Enter is of it: what was pasted has ended the paste itself. No user is so fast.
const pasteTime = 100 * time.Millisecond

// chordTime is how long a chord waits for its second key.
const chordTime = time.Second

// chorded returns the key, after the first key of a chord where that came just before. begins is set where it is the first one.
func (p *presses) chorded(key string, k text.Keys, now time.Time) (press string, begins bool) {
	if p.chord != "" && now.Sub(p.chordAt) <= chordTime {
		key = p.chord + " " + key
	}
	if p.chord = ""; k.Begins(key) {
		p.chord, p.chordAt = key, now
	}
	return key, p.chord != ""
}

// leaveTime is how soon the second Ctrl+C must come.
const leaveTime = time.Second

// escapeTime is how soon the second Esc must come.
const escapeTime = 500 * time.Millisecond

// escaped takes an Esc that finds nothing to close, and reports whether it is the second one.
func (p *presses) escaped(now time.Time) bool {
	before := p.esc
	p.esc = now
	return now.Sub(before) <= escapeTime
}

// twice takes a Ctrl+C, and reports whether it is the second one.
func (p *presses) twice(now time.Time) bool {
	before := p.clear
	p.clear = now
	return now.Sub(before) < leaveTime
}
