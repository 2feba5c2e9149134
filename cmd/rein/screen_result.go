package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rein/app/tui/block"
	"rein/event"
	"rein/tool"
)

const (
	shownLines     = 4  // of the output of a call that worked: the first ones, and of a command the last ones
	failedLines    = 6  // of the output of a command that failed: the last ones
	shownDiffLines = 40 // of a change
)

// replied shows the result of a call: whether it worked, what it did, how long it took, and the part of its output that matters most.
func (s *plainScreen) replied(e event.Event) {
	r := e.Result
	name := s.nameOf(r)
	took := ""
	if r.Duration > 0 {
		took = " · " + formatDuration(r.Duration)
	}
	text := block.Printed(r.Text)
	shown := text
	if s.endOutput(e) { // it is there already
		shown = ""
	}
	d := tool.ParseDetail(r.Detail)
	switch c := d.Command; {
	case r.Kind == tool.Waiting:
		s.line(e, "yellow", "  … "+name+": "+s.Own.Of("waits for approval"))
	case r.Kind == tool.Denied || r.Kind == tool.Unapproved: // what follows is for the model
		s.line(e, "red", "  ✗ "+name+": "+printable(firstLines(s.Own.Message(r.Text), 1))+took)
	case r.Failed:
		s.line(e, "red", "  ✗ "+name+": "+indentRest(printable(firstLines(s.Own.Message(r.Text), 3)))+took)
	case c != nil && c.Failed():
		s.line(e, "red", "  ✗ "+name+": "+s.describeEnd(c)+" · "+s.resultSize(r, text)+took+s.lastLines(r, shown, failedLines)+s.listDenied(c))
	case s.Quiet:
	case c != nil && c.Running:
		s.line(e, "dim", "  … "+name+": "+s.Own.Of("runs in the background as %s", printable(c.Job))+s.previewOutput(text))
	case c != nil:
		s.line(e, "dim", "  ✓ "+name+": "+s.describeEnd(c)+" · "+s.resultSize(r, text)+took+s.lastLines(r, shown, shownLines)+s.listDenied(c))
	case len(d.Changes) > 0:
		s.changed(e, "  ✓ "+name+": "+s.changeSizes(d.Changes)+took, d.Changes)
	default:
		if text != "" {
			text = r.Text
		}
		s.line(e, "dim", "  ✓ "+name+": "+s.resultSize(r, text)+took+s.previewOutput(text))
	}
}

// nameOf is the tool of a result; with what the call is about if several calls are at work.
func (s *plainScreen) nameOf(r *tool.Result) string {
	name := printable(r.Name)
	at := slices.IndexFunc(s.open, func(c tool.Call) bool { return c.ID == r.ID })
	if at < 0 {
		return name
	}
	call := s.open[at]
	if name == "" {
		name = printable(call.Name)
	}
	if subject := subjectOf(call.Args); len(s.open) > 1 && subject != "" {
		name += " (" + subject + ")"
	}
	s.open = slices.Delete(s.open, at, at+1)
	return name
}

// describeEnd describes how a command ended.
func (s *plainScreen) describeEnd(c *tool.CommandDetail) string {
	switch {
	case c.TimedOut:
		return s.Own.Of("stopped at its time limit")
	case c.Limit != "":
		return s.Own.Of("stopped by the limit: %s", printable(c.Limit))
	case c.Signal != "":
		return s.Own.Of("ended by the signal %s", printable(c.Signal))
	}
	return s.Own.Of("exit code %d", c.ExitCode)
}

// listDenied lists what the sandbox denied to a command, one per line, after what ended with it.
func (s *plainScreen) listDenied(c *tool.CommandDetail) string {
	var b strings.Builder
	if c.Left > 0 {
		b.WriteString("\n    " + s.Own.Of("ended with it: %s that it left running", s.Own.Count(c.Left, "program")))
	}
	for _, x := range c.Blocked {
		stopped := "the sandbox stopped: %s"
		if !x.Certain {
			stopped = "the sandbox probably stopped: %s"
		}
		b.WriteString("\n    " + s.Own.Of(stopped, printable(x.Kind+" "+x.Target)))
	}
	return b.String()
}

func (s *plainScreen) changeSizes(all []tool.Change) string {
	var sizes []string
	for _, c := range all {
		what := printable(c.Path)
		switch {
		case c.Created:
			what = s.Own.Of("created %s", what)
		case c.Deleted:
			what = s.Own.Of("deleted %s", what)
		case c.From != "":
			what = s.Own.Of("moved %s to %s", printable(c.From), what)
		}
		sizes = append(sizes, fmt.Sprintf("%s +%d -%d", what, c.Added, c.Removed))
	}
	return strings.Join(sizes, ", ")
}

// changed shows what changed in files, with the diffs.
func (s *plainScreen) changed(e event.Event, line string, all []tool.Change) {
	s.line(e, "dim", line)
	left := shownDiffLines
	for _, c := range all {
		for diff := range strings.Lines(c.Diff) {
			if left--; left < 0 {
				s.line(e, "dim", "    …")
				return
			}
			s.line(e, diffColour(diff), "    "+printable(strings.TrimRight(diff, "\r\n")))
		}
	}
}

// diffColour is the colour of a line of a diff.
func diffColour(line string) string {
	switch line[0] {
	case '+':
		return "green"
	case '-':
		return "red"
	}
	return "dim"
}

func (s *plainScreen) resultSize(r *tool.Result, text string) string {
	total := int64(len(text))
	if r.Cut != nil {
		total = r.Cut.Total
	}
	if total == 0 {
		return s.Own.Of("no output")
	}
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if r.Cut != nil {
		lines += max(int(r.Cut.Lines)-1, 0) // one line of the text tells of them
	}
	return s.Own.Count(lines, "line") + s.Own.Of(", ") + formatBytes(total)
}

// formatBytes writes a number of bytes.
func formatBytes(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// formatDuration writes a duration with the digits that matter.
func formatDuration(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// previewOutput is the first lines of an output, below its summary.
func (s *plainScreen) previewOutput(text string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ""
	}
	shown := firstLines(text, shownLines)
	if len(shown) < len(text) {
		shown += "\n… " + s.Own.Count(strings.Count(text[len(shown):], "\n"), "more line")
	}
	return "\n    " + indentRest(printable(s.shortLines(shown)))
}

// lastLines is the end of what a command printed, below its summary: an error or a summary of its own is there.
func (s *plainScreen) lastLines(r *tool.Result, text string, most int) string {
	lines := strings.Split(withoutColours(text), "\n")
	if hidden := len(lines) - most; hidden > 0 {
		lines = lines[hidden:]
		if r.Cut != nil {
			hidden += max(int(r.Cut.Lines)-1, 0) // one line of the text tells of them
		}
		lines = append([]string{"… " + s.Own.Count(hidden, "earlier line")}, lines...)
	}
	if text = strings.Join(lines, "\n"); text == "" {
		return ""
	}
	return "\n    " + indentRest(printable(s.shortLines(text)))
}

// shortLines cuts very long lines, and says how much more there is.
func (s *plainScreen) shortLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if over := len(l) - liveRest; over > 0 {
			lines[i] = strings.ToValidUTF8(l[:liveRest], "") + "… " + s.Own.Of("%s more", formatBytes(int64(over)))
		}
	}
	return strings.Join(lines, "\n")
}

// indentRest moves all lines of a text but the first to the right.
func indentRest(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }

// firstLines returns the first n lines of a text.
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
