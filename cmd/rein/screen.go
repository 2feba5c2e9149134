package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"rein/event"
	"rein/redact"
	"rein/spill"
	"rein/tool"
)

// screen tells a person what happens, line by line. It is the plain form, without a terminal's arts but colour.
type screen struct {
	out    io.Writer
	colour bool
	quiet  bool           // only warnings and refusals
	times  bool           // each line with its time
	grants bool           // also what the guard granted by itself
	asked  bool           // somebody else shows the questions
	mask   *redact.Filter // hides secrets; nil hides well-known shapes of keys

	inText bool           // the last thing written was the model's text, without a line break
	words  *redact.Writer // of the model's text, which comes in pieces
	err    error
}

// show tells one event. Its error is the writer's; after one, nothing more is written.
func (s *screen) show(e event.Event) error {
	if e.Call != nil {
		call := *e.Call
		call.Args = s.mask.Bytes(call.Args) // before they are shortened
		e.Call = &call
	}
	switch e.Kind {
	case event.Delta:
		s.text(e.Text)
	case event.Notice:
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
		s.line(e, "cyan", "● "+e.Call.Name+"  "+briefArgs(e.Call.Args))
	case event.ApprovalRequested:
		if s.asked {
			return
		}
		s.line(e, "yellow", "  ? needs a yes: "+printable(e.Verdict.Reason))
	case event.Granted:
		if e.Grant.By != "guard" || s.grants {
			s.line(e, "dim", "  ✓ granted by "+printable(e.Grant.By))
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

func (s *screen) replied(e event.Event) {
	r := e.Result
	switch {
	case r.Kind == tool.Waiting:
		s.line(e, "yellow", "  … waits for an approval")
	case r.Failed:
		s.line(e, "red", "  ✗ "+indent(printable(firstLines(r.Text, 3))))
	case !s.quiet:
		s.line(e, "dim", "  ✓ "+size(r)+" · "+r.Duration.Round(10*time.Microsecond).String()+preview(r.Text))
	}
}

func (s *screen) stopped(e event.Event) {
	line := "■ " + strings.ReplaceAll(string(e.Stop), "_", " ")
	if e.Stop != event.Done && e.Text != "" {
		line += ": " + printable(firstLines(e.Text, 3))
	}
	if u := e.Usage; u != nil && u.Input+u.Output > 0 {
		line += fmt.Sprintf(" · %d tokens in, %d out", u.Input, u.Output)
	}
	s.line(e, "dim", line)
}

// text writes the model's words as they come.
func (s *screen) text(text string) {
	if text == "" || s.quiet {
		return
	}
	if s.words == nil {
		s.words = s.mask.Writer(asText(func(text string) { s.write(printable(text)) }))
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

var colours = map[string]string{"bold": "1", "dim": "2", "red": "31", "yellow": "33", "cyan": "36"}

func (s *screen) line(e event.Event, colour, text string) {
	if s.words != nil {
		_ = s.words.Flush()
	}
	if s.inText {
		s.write("\n")
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

func (s *screen) write(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.out, text)
	}
}

// briefArgs writes the arguments of a call on one line: key=value, long values shortened.
func briefArgs(args json.RawMessage) string {
	dec := json.NewDecoder(strings.NewReader(string(args)))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return oneLine(string(args), 100)
	}
	var parts []string
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			break
		}
		text := string(value)
		var plain string
		if json.Unmarshal(value, &plain) == nil {
			text = plain
		}
		parts = append(parts, fmt.Sprintf("%s=%s", key, oneLine(text, 100)))
	}
	return printable(strings.Join(parts, "  "))
}

func size(r *tool.Result) string {
	total := int64(len(r.Text))
	if r.Cut != nil {
		total = r.Cut.Total
	}
	return fmt.Sprintf("%d lines, %s", strings.Count(strings.TrimSuffix(r.Text, "\n"), "\n")+1, spill.Size(total))
}

// preview shows the first lines of a result below its summary.
func preview(text string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ""
	}
	shown := firstLines(text, 4)
	if len(shown) < len(text) {
		shown += "\n…"
	}
	return "\n    " + indent(printable(shown))
}

func indent(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }

func firstLines(text string, n int) string {
	rest := text
	for i := range n {
		at := strings.IndexByte(rest, '\n')
		if at < 0 {
			return text
		}
		if i == n-1 {
			return text[:len(text)-len(rest)+at]
		}
		rest = rest[at+1:]
	}
	return text
}
