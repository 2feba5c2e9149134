package tui

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// callWay is how a terminal calls its user.
type callWay string

// The ways. The numbers are those of the operating system commands that the terminals take.
const (
	notifyOff  callWay = "off"
	notifyBell callWay = "bell"
	osc9       callWay = "osc9"   // iTerm2
	osc99      callWay = "osc99"  // kitty
	osc777     callWay = "osc777" // ghostty, WezTerm, foot, urxvt, Warp
)

// chosenWay returns the way that the settings name: "auto" and "" look at the terminal. ok is false for an unknown name.
func chosenWay(name string, getenv func(string) string) (w callWay, ok bool) {
	switch w = callWay(name); w {
	case notifyOff, notifyBell, osc9, osc99, osc777:
		return w, true
	}
	return detectWay(getenv), name == "" || name == "auto"
}

// detectWay returns the way of the terminal: the bell where no other is known. Tmux and screen keep the bell and drop the rest.
func detectWay(getenv func(string) string) callWay {
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

// showsProgress reports whether the terminal shows the progress of a program (OSC 9;4). Some others take it for a notification.
func showsProgress(getenv func(string) string) bool {
	program := getenv("TERM_PROGRAM")
	return getenv("TMUX") == "" && (getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON" || program == "ghostty" || program == "iTerm.app")
}

// mostText is how many bytes of a title or a text are sent.
const mostText = 200

// sequence is what the terminal gets. Below tmux it is passed on to the terminal around it, which tmux does where its option
// allow-passthrough is on.
func (w callWay) sequence(title, words string, tmux bool) (seq string) {
	title, words = cleanText(title), cleanText(words)
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

// cleanText leaves out what could end a sequence, and what is too long.
func cleanText(s string) string {
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

// userCaller decides when the user is called. The zero value calls nobody.
type userCaller struct {
	Way  callWay
	Tmux bool // the terminal is in tmux

	known, away  bool // whether the terminal reports its focus, and what it reported
	key, last    time.Time
	waits        bool // something waits to be shown
	title, words string
}

// Focus takes what the terminal reports.
func (c *userCaller) Focus(has bool) {
	c.known, c.away = true, !has
	if has {
		c.waits = false
	}
}

// Key is called for each key: the user is there.
func (c *userCaller) Key(now time.Time) { c.key, c.waits = now, false }

// Request asks to call the user. Where the terminal does not report its focus, the call comes when there was no key for a while; a
// key takes it back.
func (c *userCaller) Request(title, words string) {
	if !c.known || c.away {
		c.waits, c.title, c.words = true, title, words
	}
}

// Cancel takes back what was not shown yet.
func (c *userCaller) Cancel() { c.waits = false }

// Take returns what the terminal gets now; "" is nothing.
func (c *userCaller) Take(now time.Time) string {
	if !c.waits || !c.known && now.Sub(c.key) < notifyIdle || now.Sub(c.last) < gap {
		return ""
	}
	c.waits, c.last = false, now
	return c.Way.sequence(c.title, c.words, c.Tmux)
}
