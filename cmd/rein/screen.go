package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"rein/event"
	"rein/internal/plural"
	"rein/redact"
	"rein/tool"
)

// screen shows a person what happens, line by line. It is the plain form: nothing that was shown changes later.
type screen struct {
	out     io.Writer
	answers io.Writer // where the model's text goes; nil: out
	colour  bool
	quiet   bool           // only warnings and refusals
	times   bool           // each line with its time
	grants  bool           // also the calls that the guard allowed
	asked   bool           // the terminal shows the approval requests
	mask    *redact.Filter // hides secrets; nil hides well-known shapes of keys

	inText bool           // the last thing written was the model's text, without a line break
	words  *redact.Writer // of the model's text, which comes in pieces
	began  time.Time      // when the turn began; zero if no turn runs
	open   []tool.Call    // calls that have no result yet
	err    error
}

// show shows one event. Its error is the writer's; after one, nothing more is written.
func (s *screen) show(e event.Event) error {
	if e.Call != nil {
		call := *e.Call
		call.Args = s.mask.Bytes(call.Args) // before they are shortened
		e.Call = &call
		if e.Kind == event.Called {
			s.open = append(s.open, call)
		}
	}
	if e.Kind == event.Prompted && e.Parent == "" {
		s.began = e.Time
	}
	switch e.Kind {
	case event.Delta:
		s.text(e.Text)
	case event.Notice, event.Damaged:
		s.line(e, "yellow", "! "+printable(e.Text))
	case event.Restarted:
		s.line(e, "yellow", "! the model starts its answer anew: "+printable(e.Text))
	case event.Replied:
		s.replied(e)
	default:
		if !s.quiet {
			s.step(e)
		}
	}
	return s.err
}

func (s *screen) step(e event.Event) {
	switch e.Kind {
	case event.Started:
		s.started(e)
	case event.Prompted:
		s.line(e, "bold", "> "+printable(e.Text))
	case event.Called:
		s.line(e, "cyan", strings.TrimRight("● "+printable(e.Call.Name)+"  "+briefArgs(e.Call.Args), " "))
	case event.ApprovalRequested:
		if s.asked {
			return
		}
		s.line(e, "yellow", "  ? needs approval: "+printable(e.Verdict.Reason))
	case event.Granted:
		if e.Grant.By != "guard" || s.grants {
			s.line(e, "dim", "  ✓ approved by "+printable(e.Grant.By))
		}
	case event.Reached:
		s.line(e, "dim", "  ↗ "+printable(e.Text))
	case event.Audit:
		s.line(e, "dim", "  ! "+printable(e.Text))
	case event.Stopped:
		s.stopped(e)
	}
}

func (s *screen) started(e event.Event) {
	line := fmt.Sprintf("rein %s · mode %s", e.Start.Version, e.Start.Mode)
	if e.Start.Model != "" {
		line += " · " + e.Start.Model
	}
	if e.Start.Resumed {
		line += " · resumed"
	}
	s.line(e, "dim", line+" · "+e.Start.Dir)
}

func (s *screen) stopped(e event.Event) {
	line := "■ " + strings.ReplaceAll(string(e.Stop), "_", " ")
	if e.Stop != event.Done && e.Text != "" {
		line += ": " + printable(firstLines(e.Text, 3))
	}
	if !s.began.IsZero() && e.Parent == "" {
		line += " · " + brief(e.Time.Sub(s.began))
		s.began = time.Time{}
	}
	if u := e.Usage; u != nil && u.Input+u.Output > 0 {
		line += fmt.Sprintf(" · %s in, %d out", plural.Count(u.Input, "token"), u.Output)
	}
	s.line(e, "dim", line)
}

// text writes the model's words as they come.
func (s *screen) text(text string) {
	if text == "" || s.quiet {
		return
	}
	if s.words == nil {
		s.words = s.mask.Writer(asText(func(text string) { s.writeTo(s.answers, printable(text)) }))
	}
	_, _ = s.words.Write([]byte(text)) // it writes to us, and we keep the error
	s.inText = !strings.HasSuffix(text, "\n")
}

// asText is a function that takes text, as a writer.
type asText func(string)

func (f asText) Write(p []byte) (int, error) {
	f(string(p))
	return len(p), nil
}

var colours = map[string]string{"bold": "1", "dim": "2", "red": "31", "yellow": "33", "green": "32", "cyan": "36"}

func (s *screen) line(e event.Event, colour, text string) {
	if s.words != nil {
		_ = s.words.Flush()
	}
	if s.inText {
		s.writeTo(s.answers, "\n")
		s.inText = false
	}
	text = s.mask.String(text)
	if e.Parent != "" {
		text = "    " + strings.ReplaceAll(text, "\n", "\n    ")
	}
	if s.times {
		text = e.Time.Local().Format("15:04:05.000") + "  " + text
	}
	if s.colour {
		text = "\x1b[" + colours[colour] + "m" + text + "\x1b[0m"
	}
	s.write(text + "\n")
}

func (s *screen) write(text string) { s.writeTo(s.out, text) }

func (s *screen) writeTo(out io.Writer, text string) {
	if out == nil {
		out = s.out
	}
	if s.err == nil {
		_, s.err = io.WriteString(out, text)
	}
}
