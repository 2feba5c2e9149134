package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/session"
	"rein/guard"
)

// A paste that comes as thousands of keys is not drawn for each of them. What else happens meanwhile is drawn at once, and so is its end.
func TestKeysInABurstAreNotDrawnOneByOne(t *testing.T) {
	s := newStage(t, 100, 30, "turns: [{text: hello}]")
	s.clock = s.clock.Add(time.Minute)
	draws, before := 0, ""
	drawn := func(msg tea.Msg) bool {
		s.Update(msg)
		now := s.View().Content
		changed := now != before
		if before = now; changed {
			draws++
		}
		return changed
	}
	paste := func(keys string) {
		for _, k := range strings.Split(keys, "") {
			if k == "\n" {
				k = "enter"
			}
			drawn(keyPress(k))
			s.clock = s.clock.Add(time.Millisecond)
		}
	}
	drawn(nil)
	if draws = 0; !drawn(keyPress("a")) {
		t.Error("a single key is not drawn at once")
	}
	s.clock = s.clock.Add(time.Second)
	draws = 0
	began := time.Now()
	paste(strings.Repeat("a row of a text that is pasted, with (some) words\n", 140))
	t.Logf("%d draws, %v", draws, time.Since(began))
	if draws > 2 {
		t.Errorf("%d draws", draws)
	}
	if !drawn(drawAgain{}) || !strings.Contains(before, "with (some) words") {
		t.Errorf("the end is not drawn:\n%s", before)
	}
	for what, happens := range map[string]func() bool{
		"a size": func() bool { return drawn(tea.WindowSizeMsg{Width: 70, Height: 30}) },
		"a request": func() bool {
			s.question("1", "", guard.Request{Tool: "bash", Command: "ls"}, guard.Low)
			return drawn(drained{})
		},
		"a full screen": func() bool { s.line.Clear(); return drawn(keyPress("?")) },
		"leaving":       func() bool { s.leaving = true; return drawn(keyPress("x")) },
	} {
		s.clock = s.clock.Add(time.Second)
		s.screen, s.leaving = nil, false
		if paste("xyz"); !happens() {
			t.Errorf("%s is not drawn at once", what)
		}
		s.gone(pendingGone{ID: s.session.ID() + " 1"})
		s.take(settled{s.resize.count})
	}
}

// A tab within a paste that comes as keys is a tab; one that is pressed is none.
func TestATabInAPasteIsKept(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.clock = s.clock.Add(time.Minute)
	for _, k := range []string{"a", ":", "enter", "tab", "x", "tab", "y"} {
		s.Update(keyPress(k))
		s.clock = s.clock.Add(time.Millisecond)
	}
	if got := s.line.Text(); got != "a:\n\tx\ty" {
		t.Errorf("%q", got)
	}
	s.clock = s.clock.Add(time.Second)
	if s.press("tab"); s.line.Text() != "a:\n\tx\ty" {
		t.Errorf("%q", s.line.Text())
	}
}

// A long paste that comes as keys takes a while to draw. An Enter that was waiting meanwhile is of the paste, and does not send.
func TestKeysThatCameWhileTheScreenWasDrawnAreOfTheBurst(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.clock = s.clock.Add(time.Minute)
	s.o.Place = slowPlace{s.o.Place, s}
	for _, k := range []string{"a", "b"} {
		s.Update(keyPress(k))
		s.View()
		s.clock = s.clock.Add(time.Millisecond)
	}
	before := s.clock
	s.Update(drawAgain{})
	if s.View(); s.clock.Sub(before) < drawTime {
		t.Fatal("the screen was not drawn")
	}
	if s.Update(keyPress("enter")); s.line.Text() != "ab\n" || s.turn != nil {
		t.Errorf("%q, sent: %v", s.line.Text(), s.turn != nil)
	}
}

// slowPlace makes the drawing of the screen take a time.
type slowPlace struct {
	session.Place
	stage *stage
}

const drawTime = 40 * time.Millisecond

func (p slowPlace) Root() string {
	p.stage.clock = p.stage.clock.Add(drawTime)
	return p.Place.Root()
}
