package replay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rein/internal/plaintext"
	"rein/kit/document"
)

// Title is the call in a few words: its tool and what it works on.
func (c *Call) Title() string {
	var args map[string]any
	text := canonical(c.Args)
	if json.Unmarshal(c.Args, &args) == nil {
		for _, name := range []string{"command", "pattern", "url", "query", "task", "path", "file_path"} {
			if v, ok := args[name].(string); ok {
				text = v
				break
			}
		}
	}
	return strings.TrimSpace(c.Name + " " + shorten(text, 100))
}

// title is the step in a few words.
func (s *Step) title() string {
	if s.Call != nil {
		return s.Call.Title()
	}
	if s.Kind == StopStep {
		return "end: " + shorten(s.Text, 100)
	}
	return string(s.Kind) + ": " + cmp.Or(shorten(s.Text, 100), "(calls only)")
}

// shorten makes one line of a text, of at most most characters.
func shorten(text string, most int) string {
	line := []rune(strings.Join(strings.Fields(document.Printable(text)), " "))
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}

// same reports whether the steps of the pair are the same in both runs.
func (p *Pair) same() bool {
	for _, agent := range p.Agents {
		if !agent.Equal(true) {
			return false
		}
	}
	return p.A != nil && p.B != nil && len(p.Changes) == 0
}

// sign is how the pair is marked.
func (p *Pair) sign() string {
	switch {
	case p.Moved:
		return ">"
	case p.B == nil:
		return "-"
	case p.A == nil:
		return "+"
	case p.same():
		return "="
	}
	return "~"
}

// place says where a call that was moved stands.
func (p *Pair) place() string {
	switch {
	case !p.Moved:
		return ""
	case p.B == nil:
		return " (here in A)"
	}
	return " (here in B)"
}

// WriteText writes the differences for a terminal: what both runs used, the steps that differ, the files, and where time and money
// went.
func (d *Diff) WriteText(w io.Writer) error {
	var b strings.Builder
	d.totals(&b)
	for _, c := range d.Sent {
		x, y := around(c.A, c.B)
		fmt.Fprintf(&b, "%-18s %s → %s\n", c.What, orNothing(x), orNothing(y))
	}
	b.WriteString("\nSteps: = the same, ~ changed, - only in A, + only in B, > at another place\n")
	d.steps(&b, "  ")
	if len(d.Files) > 0 {
		b.WriteString("\nFiles:\n")
		for _, f := range d.Files {
			fmt.Fprintf(&b, "  %s: %s → %s\n", shorten(f.Path, 200), orNothing(f.A), orNothing(f.B))
		}
	}
	if slow := d.slower(5); len(slow) > 0 {
		b.WriteString("\nWhere the time differs most:\n")
		for _, p := range slow {
			fmt.Fprintf(&b, "  %s → %s  %s\n", round(p.A.Took), round(p.B.Took), p.A.title())
		}
	}
	fmt.Fprintf(&b, "\n%s\n", d.Summary())
	_, err := io.WriteString(w, b.String())
	return err
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return shorten(text, 200)
}

// Summary says in one sentence what differs.
func (d *Diff) Summary() string {
	var what []string
	for _, part := range []struct {
		differs bool
		name    string
	}{{d.Trajectory, "the trajectory"}, {d.Decisions, "a decision"}, {d.Contents, "results, answers or files"}} {
		if part.differs {
			what = append(what, part.name)
		}
	}
	if len(what) == 0 {
		return "The runs are the same."
	}
	return "What differs: " + strings.Join(what, "; ") + "."
}

// row is a line of the table of what both runs used.
type row struct{ name, a, b string }

func (d *Diff) rows() []row {
	x, y := d.A.Spent(), d.B.Spent()
	all := []row{
		{"session", d.A.Session, d.B.Session}, {"model", d.A.Model, d.B.Model}, {"mode", d.A.Mode, d.B.Mode},
		{"answers", fmt.Sprint(x.Answers), fmt.Sprint(y.Answers)},
	}
	for _, decision := range []Decision{Allowed, Approved, Refused, Denied, Unanswered, Invalid, Open} {
		if x.Calls[decision]+y.Calls[decision] > 0 {
			all = append(all, row{"calls " + string(decision), fmt.Sprint(x.Calls[decision]), fmt.Sprint(y.Calls[decision])})
		}
	}
	return append(all, row{"calls that failed", fmt.Sprint(x.Failed), fmt.Sprint(y.Failed)},
		row{"tokens in", fmt.Sprint(x.Usage.Input), fmt.Sprint(y.Usage.Input)}, row{"tokens out", fmt.Sprint(x.Usage.Output), fmt.Sprint(y.Usage.Output)},
		row{"cost", dollars(x.Usage.Cost), dollars(y.Usage.Cost)}, row{"time", round(x.Time), round(y.Time)}, row{"time of calls", round(x.Tools), round(y.Tools)})
}

func dollars(usd float64) string {
	if usd == 0 {
		return "not known"
	}
	return fmt.Sprintf("$%.4f", usd)
}

// round is a duration with as many digits as a person reads.
func round(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

func (d *Diff) totals(b *strings.Builder) {
	rows := d.rows()
	wide := 1
	for _, r := range rows {
		wide = max(wide, len([]rune(shorten(r.a, 60))))
	}
	fmt.Fprintf(b, "%-18s %-*s  %s\n", "", wide, "A", "B")
	for _, r := range rows {
		fmt.Fprintf(b, "%-18s %-*s  %s\n", r.name, wide, shorten(r.a, 60), shorten(r.b, 60))
	}
}

// steps writes the pairs; what is the same is counted.
func (d *Diff) steps(b *strings.Builder, indent string) {
	same := 0
	flush := func() {
		if same > 0 {
			fmt.Fprintf(b, "%s= %s\n", indent, plaintext.Counted(same, "step"))
		}
		same = 0
	}
	for i := range d.Pairs {
		p := &d.Pairs[i]
		if p.same() {
			same++
			continue
		}
		flush()
		fmt.Fprintf(b, "%s%s %s%s\n", indent, p.sign(), p.step().title(), p.place())
		for _, c := range p.Changes {
			x, y := around(c.A, c.B)
			fmt.Fprintf(b, "%s    %s: %s → %s\n", indent, c.What, orNothing(x), orNothing(y))
		}
		for _, agent := range p.Agents {
			if !agent.Equal(true) {
				fmt.Fprintf(b, "%s    sub-agent %s → %s\n", indent, agent.A.Session, agent.B.Session)
				agent.steps(b, indent+"      ")
			}
		}
	}
	flush()
}

// around returns two long texts from a little before the place where they begin to differ.
func around(a, b string) (string, string) {
	const before, long = 30, 100
	if len(a) <= long && len(b) <= long {
		return a, b
	}
	x, y := []rune(a), []rune(b)
	at := 0
	for at < min(len(x), len(y)) && x[at] == y[at] {
		at++
	}
	if at <= before {
		return shorten(a, long), shorten(b, long)
	}
	return "…" + shorten(string(x[at-before:]), long), "…" + shorten(string(y[at-before:]), long)
}

// slower returns the pairs whose times differ most: by half, and by a second at least.
func (d *Diff) slower(most int) []*Pair {
	apart := func(p *Pair) time.Duration { return max(p.A.Took-p.B.Took, p.B.Took-p.A.Took) }
	var all []*Pair
	for i := range d.Pairs {
		p := &d.Pairs[i]
		if p.A != nil && p.B != nil && apart(p) >= time.Second && 2*apart(p) >= max(p.A.Took, p.B.Took) {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(p, q *Pair) int { return int(apart(q) - apart(p)) })
	return all[:min(len(all), most)]
}
