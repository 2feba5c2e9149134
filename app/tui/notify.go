package tui

// This file calls a user who looks elsewhere, through the terminal.

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// notifyWay is how a terminal calls its user.
type notifyWay string

// The ways. The numbers are those of the operating system commands that the terminals take.
const (
	notifyOff  notifyWay = "off"
	notifyBell notifyWay = "bell"
	osc9       notifyWay = "osc9"   // iTerm2
	osc99      notifyWay = "osc99"  // kitty
	osc777     notifyWay = "osc777" // ghostty, WezTerm, foot, urxvt, Warp
)

// notifyChosen returns the way that the settings name: "auto" and "" look at the terminal. ok is false for an unknown name.
func notifyChosen(name string, getenv func(string) string) (w notifyWay, ok bool) {
	switch w = notifyWay(name); w {
	case notifyOff, notifyBell, osc9, osc99, osc777:
		return w, true
	}
	return notifyDetect(getenv), name == "" || name == "auto"
}

// notifyDetect returns the way of the terminal: the bell where no other is known. Tmux and screen keep the bell and drop the rest.
func notifyDetect(getenv func(string) string) notifyWay {
	program, term := getenv("TERM_PROGRAM"), getenv("TERM")
	switch {
	case getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != "":
		return notifyBell
	case getenv("KITTY_WINDOW_ID") != "" || term == "xterm-kitty":
		return osc99
	case program == "iTerm.app" || getenv("LC_TERMINAL") == "iTerm2":
		return osc9
	case program == "ghostty" || program == "WezTerm" || program == "WarpTerminal":
		return osc777
	case term == "xterm-ghostty" || strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "rxvt-unicode"):
		return osc777
	}
	return notifyBell
}

// notifyProgress reports whether the terminal shows the progress of a program (OSC 9;4). Some others take it for a notification.
func notifyProgress(getenv func(string) string) bool {
	program := getenv("TERM_PROGRAM")
	return getenv("TMUX") == "" && (getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON" || program == "ghostty" || program == "iTerm.app")
}

// mostText is how many bytes of a title or a text are sent.
const mostText = 200

// sequence is what the terminal gets. Below tmux it is passed on to the terminal around it, which tmux does where its option
// allow-passthrough is on.
func (w notifyWay) sequence(title, words string, tmux bool) (seq string) {
	title, words = clean(title), clean(words)
	switch w {
	case notifyBell:
		return "\a"
	case osc9:
		seq = ansi.Notify(title + ": " + words)
	case osc99:
		seq = ansi.DesktopNotification(title, "i=rein", "d=0", "o=unfocused") + ansi.DesktopNotification(words, "i=rein", "p=body", "o=unfocused")
	case osc777:
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
	// notifyIdle is after how long without a key a user is taken to look elsewhere, where the terminal does not report its focus.
	notifyIdle = 20 * time.Second
	// gap is how soon after a call the next one may follow.
	gap = 10 * time.Second
)

// notifyCaller decides when the user is called. The zero value calls nobody.
type notifyCaller struct {
	Way  notifyWay
	Tmux bool // the terminal is in tmux

	known, away  bool // whether the terminal reports its focus, and what it reported
	key, last    time.Time
	waits        bool // something waits to be shown
	title, words string
}

// Focus takes what the terminal reports.
func (c *notifyCaller) Focus(has bool) {
	c.known, c.away = true, !has
	if has {
		c.waits = false
	}
}

// Key is called for each key: the user is there.
func (c *notifyCaller) Key(now time.Time) { c.key, c.waits = now, false }

// Request asks to call the user. Where the terminal does not report its focus, the call comes when there was no key for a while; a
// key takes it back.
func (c *notifyCaller) Request(title, words string) {
	if !c.known || c.away {
		c.waits, c.title, c.words = true, title, words
	}
}

// Cancel takes back what was not shown yet.
func (c *notifyCaller) Cancel() { c.waits = false }

// Take returns what the terminal gets now; "" is nothing.
func (c *notifyCaller) Take(now time.Time) string {
	if !c.waits || !c.known && now.Sub(c.key) < notifyIdle || now.Sub(c.last) < gap {
		return ""
	}
	c.waits, c.last = false, now
	return c.Way.sequence(c.title, c.words, c.Tmux)
}
