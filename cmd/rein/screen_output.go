package main

import (
	"strings"
	"time"
	"unicode/utf8"

	"rein/app/tui/block"
	"rein/event"
	"rein/tool"
)

// Bounds of what running calls write: a piece comes a few times in a second.
const (
	liveAfter = time.Second // what ends sooner is shown at its end only
	liveLines = 20          // of one piece: the last ones
	liveRest  = 2000        // bytes of a line that are shown
	liveKept  = 64 << 10    // bytes that wait until they are shown
)

// liveCalls are the calls that write: when each began, and what of its output is not shown yet.
type liveCalls struct {
	began map[string]time.Time
	rest  map[string]string
	shown map[string]bool
	last  string // the call whose lines were shown last
}

// begin remembers when a call began.
func (l *liveCalls) begin(e event.Event) {
	if l.began == nil {
		*l = liveCalls{began: map[string]time.Time{}, rest: map[string]string{}, shown: map[string]bool{}}
	}
	l.began[e.Call.ID] = e.Time
}

// output shows the whole lines of what a call writes that has been running for a while.
func (s *plainScreen) output(e event.Event) {
	id := e.Call.ID
	began, ok := s.lives.began[id]
	if !ok {
		return
	}
	text := s.lives.rest[id] + e.Text
	if e.Time.Sub(began) < liveAfter {
		s.lives.rest[id] = text[max(0, len(text)-liveKept):]
		return
	}
	end := strings.LastIndexByte(text, '\n') + 1
	if len(text)-end > liveRest {
		end = len(text)
		for end > 0 && !utf8.ValidString(text[:end]) && len(text)-end < utf8.UTFMax {
			end--
		}
	}
	s.lives.rest[id] = text[end:]
	if end > 0 {
		s.outputLines(e, strings.TrimSuffix(text[:end], "\n"))
	}
}

// outputLines shows lines of a call, and which call where several are at work.
func (s *plainScreen) outputLines(e event.Event, text string) {
	id := e.Call.ID
	s.lives.shown[id] = true
	for _, c := range s.open {
		if c.ID == id && len(s.open) > 1 && s.lives.last != id {
			s.line(e, "dim", "  … "+printable(c.Name)+"  "+briefArgs(c.Args))
		}
	}
	s.lives.last = id
	if text = withoutColours(block.Printed(text)); text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	if len(lines) > liveLines {
		lines = append([]string{"…"}, lines[len(lines)-liveLines:]...)
	}
	for _, l := range lines {
		l = strings.TrimSuffix(l, "\r")
		l = l[strings.LastIndexByte(l, '\r')+1:] // a line that was written over
		s.line(e, "dim", "    "+printable(s.shortLines(l)))
	}
}

// withoutColours leaves out the escapes with which a program sets colours: a line has the colour of what it reports. Others stay,
// and are shown as text.
func withoutColours(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if after := strings.TrimLeft(rest, "0123456789;:"); strings.HasPrefix(after, "m") {
			s = after[1:]
			continue
		}
		b.WriteString("\x1b[")
		s = rest
	}
}

// endOutput shows the last line of a call that ends without a line break. It reports whether the call's output was shown.
func (s *plainScreen) endOutput(e event.Event) bool {
	id := e.Result.ID
	rest, shown := s.lives.rest[id], s.lives.shown[id]
	delete(s.lives.rest, id)
	delete(s.lives.shown, id)
	delete(s.lives.began, id)
	if shown && rest != "" {
		e.Call = &tool.Call{ID: id}
		s.outputLines(e, rest)
	}
	return shown
}
