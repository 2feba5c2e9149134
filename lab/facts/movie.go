package main

// This file makes a moving SVG picture of a program in a terminal. tmux runs it; keys are typed when the screen shows a text:
//
//	go run ./lab/facts movie -size 96x30 -o docs/images/demo.svg -type 'Run it?=y, Enter' -- rein demo
//
// A browser plays it three times; the last frame stays. Where the user wants less motion, only the last frame is shown.

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

const framePause = 25 * time.Millisecond

// frame is a screen and for how long it was seen.
type frame struct {
	lines []string
	held  time.Duration
}

func movieOfTerminal() {
	flags := flag.NewFlagSet("movie", flag.ExitOnError)
	size := flags.String("size", "96x30", "columns and rows")
	out := flags.String("o", "", "the file of the picture")
	most := flags.Duration("most", 90*time.Second, "the longest time")
	least := flags.Duration("least", 600*time.Millisecond, "the shortest time for which a screen is shown in the picture")
	still := flags.Bool("still", false, "a picture of the last screen only")
	hold := flags.Duration("hold", 2500*time.Millisecond, "the longest time")
	var typed typing
	flags.Var(&typed, "type", "TEXT=KEYS: when the screen shows TEXT, these keys of tmux are sent, with a comma and a blank between them (repeat)")
	_ = flags.Parse(os.Args[1:])
	frames, err := record(*size, *most, typed, flags.Args())
	if err == nil && *still {
		var picture bytes.Buffer
		err = draw(strings.NewReader(strings.Join(frames[len(frames)-1].lines, "\n")), &picture)
		frames, err = nil, errors.Join(err, os.WriteFile(*out, picture.Bytes(), 0o644))
	}
	if err == nil && frames != nil {
		for i := range frames {
			frames[i].held = max(*least, min(frames[i].held, *hold))
		}
		err = os.WriteFile(*out, moving(frames), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "movie:", err)
		os.Exit(1)
	}
}

// typing are texts of the screen, and the keys to send when they are seen.
type typing [][2]string

func (t *typing) String() string { return "" }

// Set adds TEXT=KEYS.
func (t *typing) Set(s string) error {
	text, keys, ok := strings.Cut(s, "=")
	if !ok {
		return errors.New("expected TEXT=KEYS")
	}
	*t = append(*t, [2]string{text, keys})
	return nil
}

// record runs a program in tmux until it ends, and returns what was seen.
func record(size string, most time.Duration, typed typing, program []string) ([]frame, error) {
	columns, rows, ok := strings.Cut(size, "x")
	if !ok || len(program) == 0 {
		return nil, errors.New("expected a size such as 96x30, and a program")
	}
	tmux := func(args ...string) (string, error) {
		return output(".", "tmux", append([]string{"-L", "rein-movie"}, args...)...)
	}
	if _, err := tmux("new-session", "-d", "-x", columns, "-y", rows, "-s", "m", "COLORTERM=truecolor "+strings.Join(program, " ")+"; sleep 2"); err != nil {
		return nil, fmt.Errorf("tmux: %w", err)
	}
	defer func() { _, _ = tmux("kill-server") }()
	var frames []frame
	for start := time.Now(); time.Since(start) < most; time.Sleep(framePause) {
		screen, err := tmux("capture-pane", "-e", "-p", "-t", "m")
		if err != nil {
			break // the program has ended
		}
		lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
		if n := len(frames); n > 0 && slices.Equal(frames[n-1].lines, lines) {
			frames[n-1].held += framePause
		} else {
			frames = append(frames, frame{lines, framePause})
		}
		if len(typed) > 0 && strings.Contains(screen, typed[0][0]) {
			time.Sleep(time.Second)
			if _, err := tmux(append([]string{"send-keys", "-t", "m"}, strings.Split(typed[0][1], ", ")...)...); err != nil {
				return nil, err
			}
			typed = typed[1:]
		}
	}
	if len(frames) < 2 {
		return nil, errors.New("nothing was seen")
	}
	return frames, nil
}

// moving draws each line once for the times at which it is seen.
func moving(frames []frame) []byte {
	type seen struct {
		y    int
		text string
		from time.Duration
	}
	var whole time.Duration
	columns, rows := 60, 0
	for _, f := range frames {
		whole += f.held
		rows = max(rows, len(f.lines))
		for _, l := range f.lines {
			columns = max(columns, cells(l))
		}
	}
	var body, style bytes.Buffer
	n := 0
	percent := func(t time.Duration) string { return fmt.Sprintf("%.3f%%", 100*float64(t)/float64(whole)) }
	end := func(s seen, to time.Duration) {
		var row bytes.Buffer
		termshotRow(&row, s.text, s.y, look{})
		if row.Len() == 0 {
			return
		}
		if n++; to >= whole { // it stays
			fmt.Fprintf(&style, "@keyframes k%d{0%%{visibility:hidden}%s{visibility:visible}100%%{visibility:visible}}\n", n, percent(s.from))
		} else {
			fmt.Fprintf(&style, "@keyframes k%d{0%%{visibility:hidden}%s{visibility:visible}%s{visibility:hidden}100%%{visibility:hidden}}\n", n, percent(s.from), percent(to))
		}
		fmt.Fprintf(&body, `<g style="animation-name:k%d">`+"\n%s</g>\n", n, row.Bytes())
	}
	now := make([]seen, rows)
	at := time.Duration(0)
	for _, f := range frames {
		for y := range rows {
			text := ""
			if y < len(f.lines) {
				text = f.lines[y]
			}
			if now[y].text != text {
				end(now[y], at)
				now[y] = seen{y, text, at}
			}
		}
		at += f.held
	}
	for _, s := range now {
		end(s, whole)
	}
	var b bytes.Buffer
	width, height := float64(columns)*cellWidth+2*margin, rows*cellHeight+2*margin
	fmt.Fprintf(&b, svgHead, width, height, width, height)
	fmt.Fprintf(&b, "<style>g{visibility:hidden;animation:k1 %.1fs step-end 3 forwards}\n@media(prefers-reduced-motion:reduce){g{animation-duration:1ms;animation-iteration-count:1}}\n%s</style>\n", whole.Seconds(), style.Bytes())
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
	b.Write(body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}
