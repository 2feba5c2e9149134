package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// Diff is two runs side by side.
type Diff struct {
	A     *Run       `json:"-"`
	B     *Run       `json:"-"`
	Pairs []Pair     `json:"steps"`
	Files []FileDiff `json:"files,omitempty"` // that one run changed otherwise than the other

	Sent []Change `json:"sent,omitempty"` // of what models got beside the messages, where both runs were recorded with it

	// What differs of the whole.
	Trajectory bool `json:"trajectory"` // calls, their arguments, whether they failed, how a turn ended, or what the user said
	Decisions  bool `json:"decisions"`  // of the guards, the rules or a person
	Contents   bool `json:"contents"`   // results, answers, or files
}

// Pair is a step of both runs, or of one.
type Pair struct {
	A       *Step    `json:"a,omitempty"`
	B       *Step    `json:"b,omitempty"`
	Moved   bool     `json:"moved,omitempty"` // the other run has the same call at another place
	Changes []Change `json:"changes,omitempty"`
	Agents  []*Diff  `json:"agents,omitempty"` // sub-agents of both
}

// Change is what differs between the two steps of a pair.
type Change struct {
	What Aspect `json:"what"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Aspect is what of a step differs.
type Aspect string

// What can differ.
const (
	Arguments Aspect = "arguments"
	Decided   Aspect = "decision"
	Outcome   Aspect = "outcome" // one failed, the other did not
	Result    Aspect = "result"
	Text      Aspect = "text"
	Ended     Aspect = "end"
	Agents    Aspect = "sub-agents"
)

// FileDiff is a file that the runs changed in different ways.
type FileDiff struct {
	Path string `json:"path"`
	A    string `json:"a"` // what was done to it, "" is nothing
	B    string `json:"b"`
}

// Compare aligns two runs and says where they differ.
func Compare(a, b *Run) *Diff {
	d := &Diff{A: a, B: b, Pairs: align(a, b)}
	d.moved()
	for i := range d.Pairs {
		p := &d.Pairs[i]
		switch {
		case p.A != nil && p.B != nil:
			d.changes(p)
		case p.step().Kind == CallStep || p.step().Kind == UserStep || p.step().Kind == StopStep:
			d.Trajectory = true
		default:
			d.Contents = true
		}
	}
	d.files()
	return d
}

// step is the step of the pair, that of A where there are two.
func (p *Pair) step() *Step {
	if p.A != nil {
		return p.A
	}
	return p.B
}

// moved marks calls that each run has, at different places.
func (d *Diff) moved() {
	left := map[string][]*Pair{} // calls of A without a partner
	for i := range d.Pairs {
		if p := &d.Pairs[i]; p.B == nil && p.A.Call != nil {
			left[d.A.key(p.A.Call)] = append(left[d.A.key(p.A.Call)], p)
		}
	}
	for i := range d.Pairs {
		p := &d.Pairs[i]
		if p.A != nil || p.B.Call == nil {
			continue
		}
		key := d.B.key(p.B.Call)
		if others := left[key]; len(others) > 0 {
			left[key] = others[1:]
			p.Moved, others[0].Moved = true, true
			p.Changes = d.callChanges(others[0].A.Call, p.B.Call)
			d.note(p.Changes)
		}
	}
}

// changes compares the two steps of a pair.
func (d *Diff) changes(p *Pair) {
	a, b := p.A, p.B
	switch {
	case a.Kind == CallStep:
		p.Changes = d.callChanges(a.Call, b.Call)
		p.Agents = d.agents(p)
	case d.A.short(a.Text) == d.B.short(b.Text):
	case a.Kind == StopStep:
		p.Changes = []Change{{Ended, a.Text, b.Text}}
	default:
		p.Changes = []Change{{Text, a.Text, b.Text}}
		d.Trajectory = d.Trajectory || a.Kind == UserStep
	}
	d.note(p.Changes)
}

// note notes what changes mean for the whole.
func (d *Diff) note(changes []Change) {
	for _, c := range changes {
		switch c.What {
		case Decided:
			d.Decisions = true
		case Arguments, Outcome, Ended, Agents:
			d.Trajectory = true
		default:
			d.Contents = true
		}
	}
}

func (d *Diff) callChanges(a, b *Call) (all []Change) {
	add := func(what Aspect, x, y string) {
		if x != y {
			all = append(all, Change{what, x, y})
		}
	}
	add(Arguments, d.A.short(canonical(a.Args)), d.B.short(canonical(b.Args)))
	if a.Decision != b.Decision || a.by() != b.by() {
		all = append(all, Change{Decided, a.Decided(), b.Decided()})
	}
	add(Outcome, outcome(a), outcome(b))
	add(Result, d.A.short(textOf(a)), d.B.short(textOf(b)))
	return all
}

// by is who answered. Which person did does not count.
func (c *Call) by() string {
	switch {
	case c.Decision != Approved && c.Decision != Refused:
		return ""
	case guard.ParseWho(c.By).IsPerson():
		return "person"
	}
	return c.By
}

// Decided says what was decided about the call, by whom and why.
func (c *Call) Decided() string {
	text := string(c.Decision)
	if c.By != "" {
		text += " by " + c.By
	}
	if c.Decision != Allowed && c.Reason != "" {
		text += " (" + c.Reason + ")"
	}
	return text
}

func outcome(c *Call) string {
	switch {
	case c.Result == nil:
		return "no result"
	case c.Failed():
		return "failed"
	}
	return "ok"
}

func textOf(c *Call) string {
	if c.Result == nil {
		return ""
	}
	return c.Result.Text
}

// agents compares the sub-agents of a call of both runs, in their order.
func (d *Diff) agents(p *Pair) (all []*Diff) {
	a, b := p.A.Call.Agents, p.B.Call.Agents
	if len(a) != len(b) {
		p.Changes = append(p.Changes, Change{Agents, fmt.Sprint(len(a)), fmt.Sprint(len(b))})
	}
	for i := range min(len(a), len(b)) {
		one := Compare(a[i], b[i])
		d.Trajectory, d.Decisions, d.Contents = d.Trajectory || one.Trajectory, d.Decisions || one.Decisions, d.Contents || one.Contents
		all = append(all, one)
	}
	return all
}

// files compares what was done to each file.
func (d *Diff) files() {
	a, b := byPath(d.A.Files), byPath(d.B.Files)
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, path := range slices.Sorted(maps.Keys(names)) {
		x, y := a[path], b[path]
		switch {
		case slices.Equal(x.Done, y.Done) && slices.Equal(x.Diffs, y.Diffs):
			continue
		case slices.Equal(x.Done, y.Done):
			d.Files = append(d.Files, FileDiff{path, x.what(), "with other content: " + y.what()})
		default:
			d.Files = append(d.Files, FileDiff{path, x.what(), y.what()})
		}
		d.Contents = true
	}
}

func byPath(files []File) map[string]File {
	all := map[string]File{}
	for _, f := range files {
		all[f.Path] = f
	}
	return all
}

func (f File) what() string {
	if len(f.Done) == 0 && len(f.Diffs) > 0 {
		return "changed"
	}
	return strings.Join(slices.Compact(slices.Clone(f.Done)), ", ")
}

// Equal reports whether both runs took the same steps and the same was decided about each. With all, results, answers and files count
// too.
func (d *Diff) Equal(all bool) bool { return !d.Trajectory && !d.Decisions && !(all && d.Contents) }

// Spent is what a run used, for a table.
type Spent struct {
	Calls   map[Decision]int `json:"calls"`
	Failed  int              `json:"failed"`
	Answers int              `json:"answers"`
	Usage   event.Usage      `json:"usage"`
	Time    time.Duration    `json:"time_ns"`
	Tools   time.Duration    `json:"tools_ns"` // of the calls, one after the other
}

// Spent counts what the run used. Calls of sub-agents count.
func (r *Run) Spent() Spent {
	s := Spent{Calls: map[Decision]int{}, Usage: r.Usage, Time: r.Time}
	r.count(&s)
	return s
}

func (r *Run) count(s *Spent) {
	for _, step := range r.Steps {
		if step.Kind == ModelStep {
			s.Answers++
		}
		c := step.Call
		if c == nil {
			continue
		}
		s.Calls[c.Decision]++
		if c.Failed() && c.Result.Kind != tool.Denied && c.Result.Kind != tool.Unapproved {
			s.Failed++
		}
		if c.Result != nil {
			s.Tools += c.Result.Duration
		}
		for _, a := range c.Agents {
			a.count(s)
		}
	}
}
