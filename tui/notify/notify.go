// Package notify calls a user who looks elsewhere, through the terminal.
package notify

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Way is how a terminal calls its user.
type Way string

// The ways. The numbers are those of the operating system commands that the terminals take.
const (
	Off    Way = "off"
	Bell   Way = "bell"
	OSC9   Way = "osc9"   // iTerm2
	OSC99  Way = "osc99"  // kitty
	OSC777 Way = "osc777" // ghostty, WezTerm, foot, urxvt, Warp
)

// Chosen returns the way that the settings name: "auto" and "" look at the terminal. ok is false for an unknown name.
func Chosen(name string, getenv func(string) string) (w Way, ok bool) {
	switch w = Way(name); w {
	case Off, Bell, OSC9, OSC99, OSC777:
		return w, true
	}
	return Detect(getenv), name == "" || name == "auto"
}

// Detect returns the way of the terminal: the bell where no other is known. Tmux and screen keep the bell and drop the rest.
func Detect(getenv func(string) string) Way {
	program, term := getenv("TERM_PROGRAM"), getenv("TERM")
	switch {
	case getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != "":
		return Bell
	case getenv("KITTY_WINDOW_ID") != "" || term == "xterm-kitty":
		return OSC99
	case program == "iTerm.app" || getenv("LC_TERMINAL") == "iTerm2":
		return OSC9
	case program == "ghostty" || program == "WezTerm" || program == "WarpTerminal":
		return OSC777
	case term == "xterm-ghostty" || strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "rxvt-unicode"):
		return OSC777
	}
	return Bell
}

// Progress reports whether the terminal shows the progress of a program (OSC 9;4). Some others take it for a notification.
func Progress(getenv func(string) string) bool {
	program := getenv("TERM_PROGRAM")
	return getenv("TMUX") == "" && (getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON" || program == "ghostty" || program == "iTerm.app")
}

// mostText is how many bytes of a title or a text are sent.
const mostText = 200

// sequence is what the terminal gets. Below tmux it is passed on to the terminal around it, which tmux does where its option
// allow-passthrough is on.
func (w Way) sequence(title, words string, tmux bool) (seq string) {
	title, words = clean(title), clean(words)
	switch w {
	case Bell:
		return "\a"
	case OSC9:
		seq = ansi.Notify(title + ": " + words)
	case OSC99:
		seq = ansi.DesktopNotification(title, "i=rein", "d=0", "o=unfocused") + ansi.DesktopNotification(words, "i=rein", "p=body", "o=unfocused")
	case OSC777:
		seq = ansi.URxvtExt("notify", strings.ReplaceAll(title, ";", ","), words)
	default:
		return ""
	}
	if tmux {
		seq = ansi.TmuxPassthrough(seq)
	}
	return seq
}

// clean leaves out what could end a sequence, and what is too long.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
	return strings.ToValidUTF8(s[:min(len(s), mostText)], "")
}

const (
	// Idle is after how long without a key a user is taken to look elsewhere, where the terminal does not report its focus.
	Idle = 20 * time.Second
	// gap is how soon after a call the next one may follow.
	gap = 10 * time.Second
)

// Caller decides when the user is called. The zero value calls nobody.
type Caller struct {
	Way  Way
	Tmux bool // the terminal is in tmux

	known, away  bool // whether the terminal reports its focus, and what it reported
	key, last    time.Time
	waits        bool // something waits to be shown
	title, words string
}

// Focus takes what the terminal reports.
func (c *Caller) Focus(has bool) {
	c.known, c.away = true, !has
	if has {
		c.waits = false
	}
}

// Key is called for each key: the user is there.
func (c *Caller) Key(now time.Time) { c.key, c.waits = now, false }

// Request asks to call the user. Where the terminal does not report its focus, the call comes when there was no key for a while; a
// key takes it back.
func (c *Caller) Request(title, words string) {
	if !c.known || c.away {
		c.waits, c.title, c.words = true, title, words
	}
}

// Cancel takes back what was not shown yet.
func (c *Caller) Cancel() { c.waits = false }

// Take returns what the terminal gets now; "" is nothing.
func (c *Caller) Take(now time.Time) string {
	if !c.waits || !c.known && now.Sub(c.key) < Idle || now.Sub(c.last) < gap {
		return ""
	}
	c.waits, c.last = false, now
	return c.Way.sequence(c.title, c.words, c.Tmux)
}
