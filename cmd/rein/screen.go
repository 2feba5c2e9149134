package main

import (
	"io"
	"strings"
	"time"

	"rein/app/session"
	"rein/app/tui/text"
	"rein/event"
	"rein/redact"
	"rein/tool"
)

// plainScreen shows a person what happens, line by line. It is the plain form: nothing that was shown changes later.
type plainScreen struct {
	Out     io.Writer
	Answers io.Writer // where the model's text goes; nil: out
	Colour  bool
	Quiet   bool           // only warnings and refusals
	Times   bool           // each line with its time
	Grants  bool           // also the calls that the guard allowed
	Asked   bool           // the terminal shows the approval requests
	Live    bool           // also what running calls write
	Words   bool           // words instead of marks, for screen readers
	Own     text.Words     // the program's texts in the language of the user
	Mask    *redact.Filter // hides secrets; nil hides well-known shapes of keys

	inText bool           // the last thing written was the model's text, without a line break
	words  *redact.Writer // of the model's text, which comes in pieces
	Began  time.Time      // when the turn began; zero if no turn runs
	open   []tool.Call    // calls that have no result yet
	lives  liveCalls
	err    error
}

// Show shows one event. Its error is the writer's; after one, nothing more is written.
func (s *plainScreen) Show(e event.Event) error {
	if e.Call != nil {
		call := *e.Call
		call.Args = s.Mask.Bytes(call.Args) // before they are shortened
		e.Call = &call
		if e.Kind == event.Called {
			s.open = append(s.open, call)
			s.lives.begin(e)
		}
	}
	if e.Kind == event.Prompted && e.Parent == "" {
		s.Began = e.Time
	}
	switch e.Kind {
	case event.Delta:
		s.Text(e.Text)
	case event.Notice, event.Damaged:
		s.line(e, "yellow", "! "+printable(s.Own.Message(e.Text)))
	case event.Restarted:
		s.line(e, "yellow", "! "+s.Own.Of("the answer starts again: %s", printable(s.Own.Message(e.Text))))
	case event.Output:
		if s.Live && !s.Quiet {
			s.output(e)
		}
	case event.Replied:
		s.replied(e)
	default:
		if !s.Quiet {
			s.step(e)
		}
	}
	return s.err
}

func (s *plainScreen) step(e event.Event) {
	switch e.Kind {
	case event.Started:
		s.started(e)
	case event.Compacted:
		s.line(e, "dim", printable(s.Own.Message(e.Text)))
	case event.SubAgentStarted:
		s.helper(e)
	case event.Prompted:
		s.line(e, "bold", "> "+printable(session.Named(e, e.Text)))
	case event.Called:
		s.line(e, "cyan", strings.TrimRight("● "+printable(e.Call.Name)+"  "+briefArgs(e.Call.Args), " "))
	case event.ApprovalRequested:
		if s.Asked {
			return
		}
		s.line(e, "yellow", "  ? "+s.Own.Of("needs approval: %s", printable(s.Own.Reason(e.Verdict.Reason))))
	case event.ApprovalVoid:
		s.void(e)
	case event.Granted:
		if e.Grant.By != "guard" || s.Grants {
			s.line(e, "dim", "  ✓ "+s.Own.Of("approved by %s", printable(s.Own.Of(e.Grant.By))))
		}
	case event.Reviewed:
		if e.Review.Verdict != "approved" {
			s.line(e, "yellow", "  ? "+s.Own.Of("the reviewer %s", printable(s.Own.Message(e.Review.String()))))
		}
	case event.Hooked:
		s.line(e, "yellow", "  ! "+printable(s.Own.Message(e.Hook.String())))
		if e.Text != "" {
			s.line(e, "yellow", "  ! "+printable(e.Text))
		}
	case event.Reached:
		s.line(e, "dim", "  ↗ "+printable(e.Text))
	case event.Audit:
		s.line(e, "dim", "  ! "+printable(s.Own.Message(e.Text)))
	case event.Stopped:
		s.stopped(e)
	}
}

// void says why a request is void. Of one that was cancelled the call says so; a call that was changed is no fault.
func (s *plainScreen) void(e event.Event) {
	switch why := printable(session.Named(e, s.Own.Message(e.Text))); e.Reason {
	case event.WasCancelled:
	case event.WasEdited:
		s.line(e, "dim", "  - "+why)
	default:
		s.line(e, "yellow", "  ! "+s.Own.Of("the approval request is void: %s", why))
	}
}

// helper shows that a sub-agent got a task.
func (s *plainScreen) helper(e event.Event) {
	if e.SubAgent == nil {
		return
	}
	line := "▸ " + s.Own.Of("sub-agent") + " " + e.SubAgent.Agent
	if e.SubAgent.Background {
		line += " " + s.Own.Of("in the background")
	}
	if e.SubAgent.About != "" {
		line += ": " + e.SubAgent.About
	}
	s.line(e, "dim", printable(line)+" ("+e.Child+")")
}

func (s *plainScreen) started(e event.Event) {
	if e.Parent != "" && !e.Start.Resumed {
		return // see helper
	}
	line := "rein " + e.Start.Version + " · " + s.Own.Of("mode %s", e.Start.Mode)
	if e.Start.Model != "" {
		line += " · " + e.Start.Model
	}
	if e.Start.Resumed {
		line += " · " + s.Own.Of("resumed")
	}
	s.line(e, "dim", printable(line+" · "+e.Start.Dir))
}

func (s *plainScreen) stopped(e event.Event) {
	line := "■ " + s.Own.Of(strings.ReplaceAll(string(e.Stop), "_", " "))
	if e.Stop != event.Done && e.Text != "" && e.Text != string(e.Stop) {
		line += ": " + printable(firstLines(s.Own.Message(e.Text), 3))
	}
	if !s.Began.IsZero() && e.Parent == "" {
		line += " · " + formatDuration(e.Time.Sub(s.Began))
		s.Began = time.Time{}
	}
	if u := e.Usage; u != nil && u.Input+u.Output > 0 {
		line += " · " + s.Own.Of("%s in, %d out", s.Own.Count(int(u.Input), "token"), u.Output)
	}
	s.line(e, "dim", line)
}

// Text writes the model's words as they come.
func (s *plainScreen) Text(text string) {
	if text == "" || s.Quiet {
		return
	}
	if s.words == nil {
		s.words = s.Mask.Writer(textWriter(func(text string) { s.writeTo(s.Answers, printable(text)) }))
	}
	_, _ = s.words.Write([]byte(text)) // it writes to us, and we keep the error
	s.inText = !strings.HasSuffix(text, "\n")
}

// textWriter is a function that takes text, as a writer.
type textWriter func(string)

func (f textWriter) Write(p []byte) (int, error) {
	f(string(p))
	return len(p), nil
}

var colours = map[string]string{"bold": "1", "dim": "2", "red": "31", "yellow": "33", "green": "32", "cyan": "36"}

func (s *plainScreen) line(e event.Event, colour, text string) {
	if s.words != nil {
		_ = s.words.Flush()
	}
	if s.inText {
		s.writeTo(s.Answers, "\n")
		s.inText = false
	}
	text = s.Mask.String(text)
	if s.Words {
		text = withoutMarks(text, s.Own)
	}
	if e.Parent != "" {
		text = "    " + strings.ReplaceAll(text, "\n", "\n    ")
	}
	if s.Times {
		text = e.Time.Local().Format("15:04:05.000") + "  " + text
	}
	if s.Colour {
		text = "\x1b[" + colours[colour] + "m" + text + "\x1b[0m"
	}
	s.write(text + "\n")
}

func (s *plainScreen) write(text string) { s.writeTo(s.Out, text) }

func (s *plainScreen) writeTo(out io.Writer, text string) {
	if out == nil {
		out = s.Out
	}
	if s.err == nil {
		_, s.err = io.WriteString(out, text)
	}
}

// Line shows a line of the program's own, in a colour.
func (s *plainScreen) Line(colour, text string) error {
	s.line(event.Event{}, colour, text)
	return s.err
}
