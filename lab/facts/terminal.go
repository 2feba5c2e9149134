package main

// This file turns the screen of a terminal into an SVG picture. It reads text with the colours of 24 bits that
// tmux writes, so the chat needs the theme dark or light:
//
//	tmux capture-pane -e -p -t NAME | go run ./lab/facts picture > docs/images/chat.svg

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

func pictureOfTerminal() {
	if err := draw(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// The sizes of a cell, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 14
	background = "#1e1e2e"
	foreground = "#d7dce2"
)

// svgHead begins a picture of a width and a height, each twice.
const svgHead = `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">` + "\n"

// cells is the width of a line with escape sequences.
func cells(line string) int { return ansi.StringWidth(line) }

// look is how the next characters are drawn.
type look struct {
	fore, back                   string
	bold, italic, under, reverse bool
}

// draw reads the screen and writes the picture.
func draw(in io.Reader, out io.Writer) error {
	var lines []string
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		lines = append(lines, scan.Text())
	}
	if err := scan.Err(); err != nil {
		return err
	}
	for len(lines) > 0 && strings.TrimSpace(ansi.Strip(lines[len(lines)-1])) == "" {
		lines = lines[:len(lines)-1]
	}
	columns := 60
	for _, l := range lines {
		columns = max(columns, cells(l))
	}
	width, height := float64(columns)*cellWidth+2*margin, len(lines)*cellHeight+2*margin
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, svgHead, width, height, width, height)
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
	var now look
	for y, l := range lines {
		now = termshotRow(w, l, y, now)
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// termshotRow draws one line, and returns the look at its end.
func termshotRow(w io.Writer, line string, y int, now look) look {
	x, start := 0, 0
	var run strings.Builder
	flush := func() {
		if s := run.String(); strings.TrimSpace(s) != "" || now.back != "" || now.reverse {
			now.text(w, s, start, y, x-start)
		}
		run.Reset()
		start = x
	}
	state := byte(0)
	for line != "" {
		seq, cells, n, next := ansi.DecodeSequence(line, state, nil)
		if cells > 0 {
			run.WriteString(seq)
			x += cells
		} else if body, ok := strings.CutPrefix(seq, "\x1b["); ok && strings.HasSuffix(seq, "m") {
			flush()
			now = now.with(strings.TrimSuffix(body, "m"))
		}
		line, state = line[n:], next
	}
	flush()
	return now
}

// text draws characters of one look.
func (l look) text(w io.Writer, s string, x, y, cells int) {
	fore, back := l.fore, l.back
	if fore == "" {
		fore = foreground
	}
	if l.reverse {
		fore, back = background, fore
	}
	left, top := margin+float64(x)*cellWidth, margin+y*cellHeight
	if back != "" {
		fmt.Fprintf(w, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", left, top, float64(cells)*cellWidth, cellHeight, back)
	}
	if strings.TrimSpace(s) == "" {
		return
	}
	style := ""
	for _, p := range []struct {
		on   bool
		attr string
	}{{l.bold, ` font-weight="bold"`}, {l.italic, ` font-style="italic"`}, {l.under, ` text-decoration="underline"`}} {
		if p.on {
			style += p.attr
		}
	}
	fmt.Fprintf(w, `<text x="%.1f" y="%d" fill="%s" textLength="%.1f" xml:space="preserve"%s>%s</text>`+"\n", left, top+13, fore, float64(cells)*cellWidth, style, html.EscapeString(s))
}

// with changes the look by the parameters of one escape sequence.
func (l look) with(params string) look {
	p := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(p) == 0 {
		return look{}
	}
	for i := 0; i < len(p); i++ {
		n, _ := strconv.Atoi(p[i])
		switch {
		case n == 0:
			l = look{}
		case n == 1:
			l.bold = true
		case n == 3:
			l.italic = true
		case n == 4:
			l.under = true
		case n == 7:
			l.reverse = true
		case n == 39:
			l.fore = ""
		case n == 49:
			l.back = ""
		case (n == 38 || n == 48) && i+4 < len(p) && p[i+1] == "2":
			colour := "#" + hex(p[i+2]) + hex(p[i+3]) + hex(p[i+4])
			if i += 4; n == 38 {
				l.fore = colour
			} else {
				l.back = colour
			}
		}
	}
	return l
}

func hex(s string) string {
	n, _ := strconv.Atoi(s)
	return fmt.Sprintf("%02x", n&255)
}
