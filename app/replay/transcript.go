package replay

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"rein/internal/plaintext"
	"rein/kit/document"
)

// WriteTranscript writes what happened: messages, calls with what was decided, results, and those of sub-agents inside their calls.
// There are no times and no numbers of events in it, so that the same run is the same bytes. most is how many lines of a result are
// written; 0 is all.
func (r *Run) WriteTranscript(w io.Writer, most int) error {
	var b strings.Builder
	r.transcript(&b, "", most)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Run) transcript(b *strings.Builder, indent string, most int) {
	for _, s := range r.Steps {
		switch s.Kind {
		case UserStep:
			writeLines(b, indent, "> ", s.Text, 0)
		case ProgramStep:
			writeLines(b, indent, "i ", s.Text, most)
		case ModelStep:
			if s.Text != "" {
				writeLines(b, indent, "", s.Text, 0)
			}
		case StopStep:
			writeLines(b, indent, "■ ", s.Text, 0)
		case CallStep:
			writeLines(b, indent, "● ", s.Call.Name+" "+canonical(s.Call.Args), most)
			writeLines(b, indent, "  ", s.Call.Decided(), 0)
			for _, agent := range s.Call.Agents {
				agent.transcript(b, indent+"  │ ", most)
			}
			if s.Call.Result != nil {
				writeLines(b, indent, "  "+outcome(s.Call)+": ", s.Call.Result.Text, most)
			}
		}
	}
}

// writeLines writes a text with a sign before its first line; the other lines stand below its beginning.
func writeLines(b *strings.Builder, indent, sign, text string, most int) {
	lines := strings.Split(strings.TrimRight(document.Printable(text), "\n"), "\n")
	left := 0
	if most > 0 && len(lines) > most {
		lines, left = lines[:most], len(lines)-most
	}
	for i, line := range lines {
		if i == 1 {
			sign = strings.Repeat(" ", len([]rune(sign)))
		}
		b.WriteString(strings.TrimRight(indent+sign+line, " ") + "\n")
	}
	if left > 0 {
		fmt.Fprintf(b, "%s%s… %s more\n", indent, strings.Repeat(" ", len([]rune(sign))), plaintext.Counted(left, "line"))
	}
}

// WriteJSON writes the run as JSON, with all of its results. What differs each time is left out: times, and the numbers of events.
func (r *Run) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r.timeless())
}

// timeless is a copy without times and numbers.
func (r *Run) timeless() *Run {
	run := *r
	run.Time, run.Steps = 0, nil
	for i, s := range r.Steps {
		step := *s
		step.Seq, step.Took = int64(i+1), 0
		if s.Call != nil {
			call := *s.Call
			call.Agents = nil
			if call.Result != nil {
				result := call.Result.Clone()
				result.Duration, result.Notes, result.Cut = 0, nil, nil
				call.Result = &result
			}
			for _, a := range s.Call.Agents {
				call.Agents = append(call.Agents, a.timeless())
			}
			step.Call = &call
		}
		run.Steps = append(run.Steps, &step)
	}
	return &run
}
