package input

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func shown(e *Editor, width int) string {
	rows, y, x := e.Rows(width)
	var out []string
	for i, r := range rows {
		s := r.String()
		if i == y {
			cells := []rune(s)
			x = min(x, len(cells))
			s = string(cells[:x]) + "|" + string(cells[x:])
		}
		out = append(out, s)
	}
	return strings.Join(out, "/")
}

func TestEditor(t *testing.T) {
	rows := []struct {
		rule string
		do   func(*Editor)
		want string
	}{
		{"typing", func(e *Editor) { e.Insert("a"); e.Insert("b") }, "ab|"},
		{"a word is undone at once", func(e *Editor) { e.Set("x "); e.Insert("a"); e.Insert("b"); e.Undo() }, "x |"},
		{"redo", func(e *Editor) { e.Insert("a"); e.Undo(); e.Redo() }, "a|"},
		{"words", func(e *Editor) { e.Set("one two"); e.WordLeft(); e.WordLeft(); e.WordRight() }, "one| two"},
		{"kill and yank", func(e *Editor) { e.Set("one two three"); e.KillWordLeft(); e.KillWordLeft(); e.LineStart(); e.Yank() }, "two three|one "},
		{"yank pop", func(e *Editor) {
			e.Set("aa bb")
			e.KillWordLeft()
			e.LineStart()
			e.KillLineEnd()
			e.Yank()
			e.YankPop()
		}, "bb|"},
		{"kill to the line's start", func(e *Editor) { e.Set("a\nbcd"); e.Left(); e.KillLineStart() }, "a/|d"},
		{"backspace takes a whole character", func(e *Editor) { e.Set("ae\u0301"); e.Backspace() }, "a|"},
		{"a joined emoji is one", func(e *Editor) { e.Set("👩‍👧x"); e.Left(); e.Left(); e.Insert("a") }, "a|👩‍👧x"},
		{"up keeps the column", func(e *Editor) { e.Set("abcd\nx\nabcd"); e.Up(20); e.Up(20) }, "abcd|/x/abcd"},
		{"a long line has several rows", func(e *Editor) { e.Set("abcdefgh"); e.Up(4) }, "abcd/|efgh"},
		{"a short paste is text", func(e *Editor) { e.Paste("a\r\nb") }, "a/b|"},
		{"a long paste is a marker", func(e *Editor) { e.Insert("x"); e.Paste(strings.Repeat("line\n", 12)); e.Insert("y") }, "x[pasted 12 lines, 60 B]y|"},
		{"a marker is removed at once", func(e *Editor) { e.Paste(strings.Repeat("line\n", 12)); e.Backspace() }, "|"},
	}
	for _, row := range rows {
		var e Editor
		row.do(&e)
		width := 40
		if strings.Contains(row.rule, "several") {
			width = 4
		}
		if got := shown(&e, width); got != row.want {
			t.Errorf("%s: %s, want %s", row.rule, got, row.want)
		}
	}
}

func TestPastesStayWhole(t *testing.T) {
	var e Editor
	long := strings.Repeat("0123456789abcdef", 65536) // 1 MiB
	e.Insert("before ")
	e.Paste(long)
	e.Insert(" after")
	if e.Text() != "before "+long+" after" {
		t.Error("a paste was changed")
	}
	if got := shown(&e, 60); got != "before [pasted 1 line, 1.0 MB] after|" {
		t.Error(got)
	}
}

// Whatever is typed, undo goes back to the empty line and no row is too wide.
func TestUndoTakesAllBack(t *testing.T) {
	ops := []func(*Editor){func(e *Editor) { e.Insert("a") }, func(e *Editor) { e.Insert("漢") }, func(e *Editor) { e.Insert(" ") }, func(e *Editor) { e.Insert("\n") },
		(*Editor).Left, (*Editor).Right, (*Editor).WordLeft, (*Editor).Backspace, (*Editor).Delete, (*Editor).KillWordLeft, (*Editor).KillLineEnd, (*Editor).Yank, (*Editor).YankPop,
		func(e *Editor) { e.Paste(strings.Repeat("x\n", 20)) }, func(e *Editor) { e.Up(10) }, func(e *Editor) { e.Down(10) }}
	rapid.Check(t, func(t *rapid.T) {
		var e Editor
		for range rapid.IntRange(0, 40).Draw(t, "n") {
			ops[rapid.IntRange(0, len(ops)-1).Draw(t, "op")](&e)
			rows, y, x := e.Rows(24)
			if y >= len(rows) || x > 24 {
				t.Fatal("the cursor is outside")
			}
		}
		for range 200 {
			e.Undo()
		}
		if !e.Empty() {
			t.Fatalf("%q is left", e.Text())
		}
	})
}

// A paste that comes as keys is laid out once for each of them.
func TestALongTextIsLaidOutByRowsNotByLetters(t *testing.T) {
	var e Editor
	e.Insert(strings.Repeat("All of it is written: 7 KB as keys. ", 200))
	if rows, _, _ := e.Rows(76); len(rows) != 95 {
		t.Errorf("%d rows", len(rows))
	}
	if n := testing.AllocsPerRun(5, func() { e.Rows(76) }); n > 500 {
		t.Errorf("7200 letters are laid out with %.0f allocations", n)
	}
	for _, joined := range []string{"e\u0301", "e\u0301\u0302", "1\uFE0F"} { // what joins a letter stays with it
		e.Set("abc" + joined + "d")
		if rows, _, _ := e.Rows(4); rows[0].String() != "abc"+joined && rows[1].String() != joined+"d" {
			t.Errorf("%q", rows)
		}
	}
}

func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "history")
	h := OpenHistory(file)
	for _, s := range []string{"one", "two\nlines", "two\nlines", "three"} {
		if err := h.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	h = OpenHistory(file)
	var got []string
	for s, ok := h.Older("draft"); ok; s, ok = h.Older(s) {
		got = append(got, s)
	}
	for s, ok := h.Newer(got[len(got)-1]); ok; s, ok = h.Newer(s) {
		got = append(got, s)
	}
	if want := "three|two\nlines|one|two\nlines|three|draft"; strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
	h.Older("draft")
	h.Older("three")
	if s, ok := h.Newer("two, and more"); ok { // what was changed is not thrown away
		t.Errorf("%q instead of what was written", s)
	}
	if s, _ := h.Older("two, and more"); s != "draft" {
		t.Errorf("%q", s)
	}
	if s, _ := h.Newer("draft"); s != "two, and more" {
		t.Errorf("%q instead of what was written", s)
	}
	if found := h.Search("LINES two"); len(found) != 1 || found[0] != "two\nlines" {
		t.Errorf("%q", found)
	}
}

// What undo goes back to stays as it was, whatever is done to the text; letters that are added at the end copy nothing.
func TestUndoKeepsItsTexts(t *testing.T) {
	var e Editor
	var vi Vi
	r := rand.New(rand.NewPCG(1, 2))
	ops := []func(){
		func() { e.Insert("a") }, func() { e.Insert(" ") }, func() { e.Insert("word ") }, e.Backspace, e.Delete, e.KillWordLeft, e.KillLineEnd, e.Yank, e.Undo, e.Redo, e.Left, e.WordLeft, e.End,
		func() { vi.Key(&e, 'r'); vi.Key(&e, 'x') }, func() { vi.Key(&e, '~') }, func() { vi.Key(&e, 'J') }, func() { e.Insert("\n") },
	}
	kept := map[*state]string{}
	var all []*state
	for range 600 {
		ops[r.IntN(len(ops))]()
		for _, s := range slices.Concat(e.undo, e.redo) {
			if len(all) < 100 {
				all = append(all, &s)
				kept[&s] = string(s.runes)
			}
		}
		for _, s := range all {
			if string(s.runes) != kept[s] {
				t.Fatalf("%q became %q", kept[s], string(s.runes))
			}
		}
		if len(all) == 100 {
			all = nil
		}
	}
	e.Set(strings.Repeat("x", 10000))
	e.Insert(" ")
	e.Insert(" ")
	if last := e.undo[len(e.undo)-1]; &last.runes[0] != &e.runes[0] {
		t.Error("the whole text is copied for a word")
	}
}

// A history that is to forget has what was written for this chat, and its file does not.
func TestAHistoryThatForgets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	h := OpenHistory(file)
	h.Forget()
	if err := h.Add("secret"); err != nil {
		t.Fatal(err)
	}
	if s, ok := h.Older(""); !ok || s != "secret" || !OpenHistory(file).Empty() {
		t.Errorf("%q, %v", s, ok)
	}
}
