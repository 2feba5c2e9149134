package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"rein/app/harness"
	"rein/app/settings"
	"rein/app/stats"
	"rein/event"
	"rein/kit/undo"
	"rein/kit/workspace"
	"rein/model"
)

// Status is how an attempt ended.
type Status string

// How an attempt ends.
const (
	Passed  Status = "passed"  // all checks hold
	Failed  Status = "failed"  // a check does not hold
	Errored Status = "error"   // the attempt could not be made, or the model failed: nothing is known. It counts as not passed
	Skipped Status = "skipped" // a program is not there, or the budget of the whole was used up. It does not count
)

// Attempt is one attempt at a case.
type Attempt struct {
	Case   string      `json:"case"`
	Number int         `json:"number"` // from 1
	Status Status      `json:"status"`
	Error  string      `json:"error,omitempty"` // why it ended as Errored or Skipped
	Checks []CheckDone `json:"checks,omitempty"`

	Answer string      `json:"answer"` // the model's last one
	Stop   event.Stop  `json:"stop"`
	Usage  event.Usage `json:"usage"` // of the session and its sub-agents
	Judges event.Usage `json:"judges,omitzero"`

	Requests    int     `json:"requests"`
	Calls       int     `json:"calls"`
	FailedCalls int     `json:"failed_calls"`
	Denied      int     `json:"denied"`
	Questions   int     `json:"questions"` // that a person would have been asked
	Seconds     float64 `json:"seconds"`   // of the conversation

	Session string `json:"session,omitempty"` // id
	Home    string `json:"home,omitempty"`    // REIN_HOME with which rein sessions, rein replay and rein diff find it
	Kept    string `json:"kept,omitempty"`    // the workspace, where it was kept
	Cached  bool   `json:"cached,omitempty"`  // it was made by an earlier run
}

// CheckDone is a check that was made.
type CheckDone struct {
	Check string `json:"check"`
	Fault string `json:"fault,omitempty"` // what does not hold; "": it holds
}

// trial makes one attempt.
type trial struct {
	run    *runner
	c      *Case
	a      *Attempt
	work   string   // a new directory: workspace and what rein keeps
	part   spending // of the limits of the whole
	h      *harness.Harness
	s      *harness.Session
	aside  *harness.Session // runs commands of the case
	model  *watched
	person *person
	files  *workspace.Workspace

	calls   callsOf
	counter stats.Counter
	answers []string
	before  map[string]string // sums of files, by path
}

// attempt makes attempt n of a case, within its part of the limits.
func (r *runner) attempt(ctx context.Context, c *Case, n int, part spending) (a *Attempt) {
	a = &Attempt{Case: c.Name, Number: n}
	t := &trial{run: r, c: c, a: a, part: part}
	for _, program := range c.Needs {
		if _, err := exec.LookPath(program); err != nil {
			a.Status, a.Error = Skipped, program+" is not installed"
			return a
		}
	}
	if c.unmet != "" {
		a.Status, a.Error = Skipped, c.unmet
		return a
	}
	err := t.prepare(ctx)
	if err == nil {
		err = t.converse(ctx)
	}
	if err == nil {
		err = t.check(ctx)
	}
	if err = errors.Join(err, t.close(context.WithoutCancel(ctx))); err != nil {
		a.Status, a.Error = Errored, err.Error()
	}
	if ctx.Err() != nil {
		a.Status, a.Error = Skipped, "the run was stopped"
	}
	return a
}

// prepare makes the copy of the files and opens the session.
func (t *trial) prepare(ctx context.Context) (err error) {
	if t.work, err = os.MkdirTemp(t.run.Work, "rein-eval-"); err != nil {
		return err
	}
	dir := filepath.Join(t.work, "workspace")
	if err := t.c.Workspace.copyTo(t.c.dir, dir); err != nil {
		return fmt.Errorf("the workspace: %w", err)
	}
	if t.model, err = t.run.modelFor(ctx, t.c, t.a.Number); err != nil {
		return err
	}
	t.person = &person{answers: t.c.Answers}
	o := t.run.options(t.c, t.part)
	ref := t.model.Info().String()
	o.Dir, o.Dirs, o.Person, o.Model, o.Models = dir, t.dirs(), t.person, ref, map[string]model.Model{ref: t.model}
	for i := range t.c.Tools {
		own, err := t.c.Tools[i].tool()
		if err != nil {
			return err
		}
		o.Tools = append(o.Tools, own)
	}
	if t.files, err = workspace.Open(dir); err != nil {
		return err
	}
	if t.h, err = harness.Open(ctx, o); err != nil {
		return err
	}
	if g := t.c.Workspace.Git; g != nil {
		command, err := g.copyTo(t.c.dir, dir)
		if err == nil {
			err = t.mustRun(ctx, command)
		}
		if err != nil {
			return fmt.Errorf("the workspace: %w", err)
		}
		if err := writeAll(t.files, t.c.Workspace.Files); err != nil {
			return err
		}
	}
	for _, command := range t.c.Workspace.Setup {
		if err := t.mustRun(ctx, command); err != nil {
			return fmt.Errorf("setup: %w", err)
		}
	}
	if t.before, err = sums(dir); err != nil {
		return err
	}
	t.counter.Begin()
	t.s, err = t.h.Start(ctx, harness.NewSession{Quiet: true})
	if err == nil {
		t.a.Session = t.s.ID()
	}
	return err
}

// dirs are where rein keeps things during the attempt. Only sessions stay.
func (t *trial) dirs() settings.Dirs {
	home := filepath.Join(t.work, "home")
	d := settings.Dirs{Config: t.run.Dirs.Config, Sessions: filepath.Join(home, "sessions"), Output: filepath.Join(home, "output"),
		Private: filepath.Join(home, "private"), State: filepath.Join(home, "state"), Worktrees: filepath.Join(home, "worktrees")}
	if t.run.Out != "" {
		t.a.Home, d.Sessions = t.run.Out, filepath.Join(t.run.Out, "sessions")
	}
	return d
}

// close ends the sessions and removes the copy.
func (t *trial) close(ctx context.Context) (err error) {
	if t.h != nil {
		err = t.h.Close(ctx)
	}
	if t.files != nil {
		err = errors.Join(err, t.files.Close())
	}
	switch {
	case t.work == "":
	case t.run.Keep:
		t.a.Kept = filepath.Join(t.work, "workspace")
	default:
		_ = removeAll(t.work) // what cannot be removed lies in the directory for temporary files
	}
	return err
}

// converse takes the conversation step by step.
func (t *trial) converse(ctx context.Context) error {
	began := time.Now()
	defer func() {
		a, c := t.a, &t.counter
		a.Seconds, a.Usage, a.Requests = time.Since(began).Seconds(), c.Usage, c.Requests
		a.Calls, a.FailedCalls, a.Denied, a.Questions = len(t.calls.list), c.Failed, c.Denied, t.person.asked()
		if len(t.answers) > 0 {
			a.Answer = t.answers[len(t.answers)-1]
		}
	}()
	for _, s := range t.c.steps() {
		if err := t.step(ctx, s); err != nil {
			return err
		}
	}
	if t.c.User != nil {
		return t.dialogue(ctx, t.c.User)
	}
	return nil
}

func (t *trial) step(ctx context.Context, s Step) (err error) {
	switch {
	case s.Say != "":
		return t.say(ctx, s.Say)
	case s.Undo > 0:
		return t.undo(ctx, undo.Selection{Last: s.Undo})
	case s.Redo > 0:
		return t.undo(ctx, undo.Selection{Last: s.Redo, Redo: true})
	case s.Mode != "":
		return t.s.SetMode(s.Mode)
	case s.Compact != "":
		for e, err := range t.s.Compact(ctx, s.Compact) {
			if t.see(e); err != nil {
				return err
			}
		}
		return nil
	case s.Restart:
		if err := t.s.Close(ctx); err != nil {
			return err
		}
		t.s, err = t.h.Resume(ctx, t.s.ID(), harness.NewSession{Quiet: true})
		return err
	case s.Write != nil:
		return writeAll(t.files, s.Write)
	}
	return t.mustRun(ctx, s.Run)
}

// say sends a message. That the model failed ends the attempt, unless the case has a check for how it ends.
func (t *trial) say(ctx context.Context, text string) error {
	if used := spentBy(t.counter.Usage); t.part.usd > 0 && used.usd > t.part.usd/2 || t.part.tokens > 0 && used.tokens > t.part.tokens/2 {
		t.a.Stop = event.Budget // each message may spend half of the part: see runner.options
		return nil
	}
	for e, err := range t.s.SendLine(ctx, text) {
		t.see(e)
		if e.Kind != event.Stopped || e.Parent != "" {
			continue
		}
		t.a.Stop = e.Stop
		t.answers = append(t.answers, e.Text)
		if e.Stop == event.Failed && !t.c.checksStop() {
			return fmt.Errorf("the turn failed: %s", cmp.Or(e.Text, fmt.Sprint(err)))
		}
	}
	return nil
}

func (c *Case) checksStop() bool {
	for _, k := range c.Checks {
		if k.Stop != "" {
			return true
		}
	}
	return false
}

func (t *trial) see(e event.Event) {
	t.counter.See(e)
	t.calls.see(e)
}

func (t *trial) undo(ctx context.Context, sel undo.Selection) error {
	history, err := t.s.FileHistory()
	if err != nil {
		return err
	}
	plan, err := history.Plan(ctx, sel)
	if err == nil {
		_, err = history.Undo(ctx, plan, nil)
	}
	return err
}

// dialogue lets the user answer the model until the user is done.
func (t *trial) dialogue(ctx context.Context, u *User) error {
	used := make([]bool, len(u.Replies))
	next := func() (string, error) {
		last := ""
		if n := len(t.answers); n > 0 {
			last = t.answers[n-1]
		}
		for i, r := range u.Replies {
			if !used[i] && (r.When.Regexp == nil || r.When.MatchString(last)) {
				used[i] = true
				return r.Say, nil
			}
		}
		return "", nil
	}
	if u.Model != "" {
		played, err := t.run.playedUser(ctx, u, t.a)
		if err != nil {
			return err
		}
		next = func() (string, error) { return played.next(ctx, t.answers) }
	}
	for range cmp.Or(u.Most, 20) {
		text, err := next()
		if err != nil || text == "" {
			return err
		}
		if err := t.say(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
