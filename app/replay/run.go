// Package replay repeats recorded sessions and compares them: what a session did as a list of steps, two lists side by side, a
// recording of what the journal lacks, and the models and tools that answer from what is recorded.
package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rein/event"
	"rein/tool"
)

// Run is what a recorded session did: its steps in the order in which they came, those of parallel calls in the order of the answer
// that made them. What the user went back from is left out.
type Run struct {
	Session string        `json:"session"`
	Model   string        `json:"model"` // of the last answer; of the terms where there is none
	Mode    string        `json:"mode"`
	Dir     string        `json:"dir,omitempty"`
	Steps   []*Step       `json:"steps"`
	Files   []File        `json:"files,omitempty"` // that its calls changed, by their names
	Usage   event.Usage   `json:"usage"`           // with that of its sub-agents
	Time    time.Duration `json:"time_ns"`         // from each message of the user to the end of its turn
}

// Step is one thing that happened.
type Step struct {
	Kind StepKind `json:"kind"`
	Seq  int64    `json:"seq"`            // of the event with which it began
	Text string   `json:"text,omitempty"` // of a message; why a turn ended
	Call *Call    `json:"call,omitempty"`

	// Of an answer, and the time of a call.
	Usage *event.Usage  `json:"usage,omitempty"`
	Took  time.Duration `json:"took_ns,omitempty"`

	message json.RawMessage
	stop    event.Stop
}

// StepKind says what a step is.
type StepKind string

// The kinds of steps.
const (
	UserStep    StepKind = "user"    // a message of the user
	ProgramStep StepKind = "program" // a message of the program to the model
	ModelStep   StepKind = "model"   // an answer; its calls follow it
	CallStep    StepKind = "call"
	StopStep    StepKind = "stop" // the end of a turn; the end of a process is none
)

// Call is a call with what became of it.
type Call struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Args     json.RawMessage `json:"args,omitempty"`
	Within   string          `json:"within,omitempty"` // the call that made it
	Decision Decision        `json:"decision"`
	By       string          `json:"by,omitempty"`     // who answered
	Rules    []string        `json:"rules,omitempty"`  // ids of those that matched
	Reason   string          `json:"reason,omitempty"` // of the guards
	Result   *tool.Result    `json:"result,omitempty"` // nil: there is none
	Agents   []*Run          `json:"agents,omitempty"` // the sub-agents that it started

	turn    int // which answer made it
	intent  *tool.Intent
	asked   *event.Verdict
	answer  *event.Answer
	refuse  bool // by the guards
	changed []event.FileChange
}

// Decision is what was decided about a call.
type Decision string

// The decisions.
const (
	Allowed    Decision = "allowed"    // by the guards
	Approved   Decision = "approved"   // somebody was asked
	Refused    Decision = "refused"    // somebody was asked
	Denied     Decision = "denied"     // by the guards
	Unanswered Decision = "unanswered" // nobody was there to answer
	Invalid    Decision = "invalid"    // the call could not be understood, or did not run for another reason
	Open       Decision = "open"       // it waits for an approval, or the process ended
)

// File is what calls did to one file, in the order in which they did it.
type File struct {
	Path  string   `json:"path"`
	Done  []string `json:"done"` // created, changed, …
	Diffs []string `json:"-"`    // where the tool showed them
}

// Sessions reads the events of a recorded session.
type Sessions func(id string) iter.Seq2[event.Event, error]

// mostDepth bounds sub-agents of sub-agents: journals are files, and may name each other.
const mostDepth = 16

// Read reads what a session did, with its sub-agents. A sub-agent whose journal is gone is left out.
func Read(id string, recorded Sessions) (*Run, error) { return read(id, recorded, 0) }

func read(id string, recorded Sessions, depth int) (*Run, error) {
	r := &reader{run: &Run{Session: id}, calls: map[string]*Call{}, files: map[string]*File{}, recorded: recorded, depth: depth}
	for e, err := range recorded(id) {
		if err != nil {
			return nil, fmt.Errorf("session %s: %w", id, err)
		}
		r.see(&e)
	}
	for _, s := range r.run.Steps {
		r.used(s)
	}
	r.inOrder()
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		r.run.Files = append(r.run.Files, *r.files[name])
	}
	return r.run, nil
}

// reader makes a run of events.
type reader struct {
	run      *Run
	calls    map[string]*Call // by id
	files    map[string]*File
	began    time.Time // of the turn; zero: none is at work
	recorded Sessions
	depth    int
}

// used counts what a step used and changed.
func (r *reader) used(s *Step) {
	if s.Usage != nil {
		r.run.Usage = r.run.Usage.Plus(*s.Usage)
	}
	c := s.Call
	if c == nil {
		return
	}
	c.decide()
	for _, change := range c.changed {
		f := r.file(change.Path)
		f.Done = append(f.Done, change.What)
	}
	if c.Result != nil {
		s.Took = c.Result.Duration
		for _, change := range tool.ParseDetail(c.Result.Detail).Changes {
			f := r.file(change.Path)
			f.Diffs = append(f.Diffs, change.Diff)
		}
	}
	for _, a := range c.Agents {
		r.run.Usage = r.run.Usage.Plus(a.Usage)
	}
}

func (r *reader) see(e *event.Event) {
	switch e.Kind {
	case event.Started, event.Changed:
		if e.Start != nil {
			r.run.Model, r.run.Mode, r.run.Dir = e.Start.Model, e.Start.Mode, e.Start.Dir
		}
	case event.Rewound:
		r.rewind(e.At)
	case event.Prompted:
		if r.began.IsZero() {
			r.began = e.Time
		}
		r.step(UserStep, e)
	case event.Hinted:
		r.step(ProgramStep, e)
	case event.Responded:
		r.responded(e)
	case event.Stopped:
		r.stopped(e)
	case event.Called, event.ApprovalRequested, event.Granted, event.Refused, event.Replied:
		if e.Call != nil {
			r.call(e)
		}
	case event.SubAgentStarted:
		r.subAgent(e)
	case event.FilesModified:
		if e.Files != nil && e.Call != nil && e.Child == "" && r.calls[e.Call.ID] != nil {
			c := r.calls[e.Call.ID]
			c.changed = append(c.changed, e.Files.Changes...)
		}
	}
}

func (r *reader) step(kind StepKind, e *event.Event) {
	r.run.Steps = append(r.run.Steps, &Step{Kind: kind, Seq: e.Seq, Text: e.Text})
}

func (r *reader) responded(e *event.Event) {
	r.step(ModelStep, e)
	last := r.run.Steps[len(r.run.Steps)-1]
	last.Usage, last.message, last.stop = e.Usage, e.Message, e.Stop
	if e.Request != nil {
		last.Took = e.Request.Duration
		r.run.Model = cmp.Or(e.Request.Model, r.run.Model)
	}
}

// stopped ends a turn. One that waits for an approval goes on with the next process.
func (r *reader) stopped(e *event.Event) {
	if !r.began.IsZero() && e.Time.After(r.began) {
		r.run.Time += e.Time.Sub(r.began)
	}
	r.began = time.Time{}
	if e.Stop == event.Waiting {
		return
	}
	step := &Step{Kind: StopStep, Seq: e.Seq, Text: string(e.Stop)}
	if e.Stop == event.Failed {
		step.Text += ": " + e.Text
	}
	r.run.Steps = append(r.run.Steps, step)
}

// rewind drops what the user went back from.
func (r *reader) rewind(at int64) {
	for i, s := range r.run.Steps {
		if s.Seq >= at {
			r.run.Steps = r.run.Steps[:i]
			return
		}
	}
}

func (r *reader) call(e *event.Event) {
	c := r.calls[e.Call.ID]
	if c == nil {
		c = &Call{ID: e.Call.ID, Name: e.Call.Name, Within: e.Within, turn: e.Turn}
		r.calls[c.ID] = c
		r.run.Steps = append(r.run.Steps, &Step{Kind: CallStep, Seq: e.Seq, Call: c})
	}
	switch e.Kind {
	case event.Called:
		c.Args, c.intent = e.Call.Args, e.Intent
	case event.ApprovalRequested:
		c.asked = e.Verdict
		c.explain(e.Verdict)
		c.answer = nil
	case event.Granted:
		c.Decision, c.answer = Allowed, e.Answer
		c.explain(e.Verdict)
		if e.Answer != nil {
			c.Decision, c.By = Approved, e.Answer.By
		}
	case event.Refused:
		c.Decision, c.answer = Refused, e.Answer
		if e.Answer != nil {
			c.By = e.Answer.By
		}
	case event.Replied:
		c.Result = e.Result
		c.refuse = e.Verdict != nil && e.Verdict.Decision == "deny"
		c.explain(e.Verdict)
	}
}

func (c *Call) explain(v *event.Verdict) {
	if v != nil {
		c.Rules, c.Reason = v.Rules, v.Reason
	}
}

// decide names the decision when all of the call is known.
func (c *Call) decide() {
	switch {
	case c.refuse:
		c.Decision, c.By = Denied, ""
	case c.Result != nil && c.Result.Kind == tool.Unapproved:
		c.Decision, c.By = Unanswered, ""
	case c.Decision == "" && c.Result == nil:
		c.Decision = Open
	case c.Decision == "" && !c.Result.Failed:
		c.Decision = Allowed // of another program, whose session was imported
	case c.Decision == "":
		c.Decision, c.Rules, c.Reason = Invalid, nil, ""
	}
}

// Failed reports whether the call has a result that is a failure: of the call, or of the command that it ran.
func (c *Call) Failed() bool {
	if c.Result == nil {
		return false
	}
	command := tool.ParseDetail(c.Result.Detail).Command
	return c.Result.Failed || command != nil && !command.Running && command.Failed()
}

// inOrder sorts the calls of each answer by the order in which they were called first; a call that another one made follows it.
func (r *reader) inOrder() {
	var sorted []*Step
	for _, s := range r.run.Steps {
		if s.Call == nil || s.Call.Within == "" {
			sorted = append(sorted, s)
			continue
		}
		at := len(sorted)
		for at > 0 && sorted[at-1].Call != nil && sorted[at-1].Call.ID != s.Call.Within && sorted[at-1].Call.Within != s.Call.Within {
			at--
		}
		if at == 0 || sorted[at-1].Call == nil {
			at = len(sorted)
		}
		sorted = slices.Insert(sorted, at, s)
	}
	r.run.Steps = sorted
}

func (r *reader) subAgent(e *event.Event) {
	if e.Call == nil || e.Child == "" || r.depth >= mostDepth {
		return
	}
	c := r.calls[e.Call.ID]
	if c == nil || slices.ContainsFunc(c.Agents, func(a *Run) bool { return a.Session == e.Child }) {
		return
	}
	if agent, err := read(e.Child, r.recorded, r.depth+1); err == nil {
		c.Agents = append(c.Agents, agent)
	}
}

func (r *reader) file(path string) *File {
	path = r.run.short(path)
	if r.files[path] == nil {
		r.files[path] = &File{Path: path}
	}
	return r.files[path]
}

// short is a text in which the workspace has no name of its own: two runs may have worked in two copies.
func (r *Run) short(text string) string {
	if len(r.Dir) < 2 {
		return text
	}
	text = strings.ReplaceAll(text, r.Dir+string(filepath.Separator), "")
	return strings.ReplaceAll(text, r.Dir, ".")
}

// key is what a call is compared by: its tool and its arguments, whatever the order of their names.
func (r *Run) key(c *Call) string { return c.Name + " " + r.short(canonical(c.Args)) }

// canonical is JSON in one form: names in their order, no blanks. What is no JSON stays as it is.
func canonical(args json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(args)
	}
	return encode(v)
}

func encode(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
