package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"rein/app/harness"
	"rein/app/replay"
	"rein/app/sessions"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/kit/providers"
	"rein/kit/undo"
	"rein/model"
)

// otherRun is a recorded session that is repeated with something else: another model, other rules, another mode or message; or from a
// point of it on.
type otherRun struct {
	model, rules, mode, prompt string
	news                       string // what happens to calls that the record does not have
	until                      positiveNumber
	keep                       bool

	cmd    *cobra.Command
	store  *sessions.Store
	id     string
	record *replay.Run
	source *harness.Harness // of the workspace of the record
	copied string
}

// differs reports whether anything is other than it was.
func (o *otherRun) differs() bool {
	return o.model != "" || o.rules != "" || o.mode != "" || o.prompt != "" || o.news != ""
}

func (o *otherRun) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.model, "model", "m", "", "let another model answer (provider/name)")
	f.StringVar(&o.rules, "rules", "", "with the rules of this settings file (JSON) added to those that hold now")
	f.Var(modeFlag(&o.mode), "mode", "in another mode: read-only, plan, ask, supervised, auto or full")
	f.StringVar(&o.prompt, "prompt", "", "with the text of this file in place of the first message")
	f.Var(choiceFlag(&o.news, "refuse", "run", "ask"), "new", "calls that the record does not have: refuse them, run them in a copy of the workspace, or ask you first (default refuse)")
	f.Var(&o.until, "until", "make a session with the past up to this event, in a copy of the workspace as it was then, and go on from there")
	f.BoolVar(&o.keep, "keep", false, "keep the copy of the workspace and the new session")
}

// events reads a recorded session.
func (o *otherRun) events(id string) iter.Seq2[event.Event, error] { return o.store.Events(id, 0) }

// open reads the record and opens the harness of its workspace.
func (o *otherRun) open(cmd *cobra.Command, s *sessions.Store, id string) (err error) {
	o.cmd, o.store, o.id = cmd, s, id
	if o.record, err = replay.Read(id, o.events); err != nil {
		return withExitCode(exitInput, err)
	}
	if o.source, err = harness.Open(cmd.Context(), harness.Options{Dir: o.record.Dir, Version: programVersion(), Warn: warningsTo(cmd)}); err != nil {
		return err
	}
	return nil
}

// copyOf makes a copy of the workspace as it was before the first call that is one of those.
func (o *otherRun) copyOf(ctx context.Context, those func(undo.Call) bool) error {
	d := settings.DefaultDirs()
	o.copied = filepath.Join(d.Worktrees, "replay-"+journal.NewID(time.Now()), filepath.Base(o.record.Dir))
	if err := replay.CopyWorkspace(ctx, o.source.Root(), o.copied); err != nil {
		return withExitCode(exitInput, fmt.Errorf("the workspace cannot be copied: %w", err))
	}
	h, err := o.source.FileHistory(o.id)
	if err != nil {
		warningsTo(o.cmd)(fmt.Sprintf("the copy has the files as they are now: %v", err))
		return nil
	}
	lost := 0
	_, err = undo.Back(ctx, h.Store, those, func(v undo.Version) error {
		if err := replay.Give(o.copied, v); err != nil {
			lost++
		}
		return nil
	})
	if lost > 0 {
		warningsTo(o.cmd)(fmt.Sprintf("paths whose state of then is not kept, and which are as they are now: %d", lost))
	}
	return err
}

// trusted reports whether the user trusts what the workspace would make sessions obey: the copy has the same.
func (o *otherRun) trusted() bool { return o.source.Trust().Warning(o.source.Root()) == "" }

// effect gives the copy what a recorded call did to files.
func (o *otherRun) effect(ctx context.Context, call string) error {
	h, err := o.source.FileHistory(o.id)
	if err != nil {
		return nil // without undo nothing is known
	}
	return undo.Effects(ctx, h.Store, call, func(v undo.Version) error { return replay.Give(o.copied, v) })
}

// close removes the copy unless it is kept.
func (o *otherRun) close(ctx context.Context) (err error) {
	if o.source != nil {
		err = o.source.Close(ctx)
	}
	if o.copied != "" && !o.keep {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(o.copied)))
	}
	return err
}

// run repeats the session with what is other, and compares both.
func (o *otherRun) run(asJSON bool) (err error) {
	ctx, stop := interruptible(o.cmd.Context())
	defer stop()
	defer func() { err = errors.Join(err, o.close(context.WithoutCancel(ctx))) }()
	if err := o.copyOf(ctx, func(c undo.Call) bool { return c.Session == o.id }); err != nil {
		return err
	}
	other := &replay.Other{Record: o.record, Copy: o.copied, New: replay.New(cmp.Or(o.news, "refuse")), Effect: o.effect}
	options, err := o.options(other)
	if err != nil {
		return err
	}
	h, err := harness.OpenCopy(ctx, options, o.source.Root())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
	n := harness.NewSession{Ephemeral: !o.keep, Replace: other.Tool, Quiet: true, Mode: cmp.Or(o.mode, o.record.Mode), ModelName: o.model}
	if o.model == "" {
		n.Model = other
		other.Live = func() (model.Model, error) {
			return providers.Open(ctx, o.record.Model, harness.ProviderOptions(h.Settings()))
		}
	}
	s, err := h.Start(ctx, n)
	if err != nil {
		return err
	}
	if err := o.send(ctx, s, other); err != nil {
		return err
	}
	return o.compare(s, other, asJSON)
}

// options are those of the harness of the copy.
func (o *otherRun) options(other *replay.Other) (harness.Options, error) {
	missing, err := other.Missing(settings.ToolNames())
	if err != nil {
		return harness.Options{}, err
	}
	terms := harness.Terms{StrictMCP: true}
	if o.rules != "" {
		if terms.Allow, terms.Ask, terms.Deny, err = readRules(o.rules); err != nil {
			return harness.Options{}, err
		}
	}
	program, _ := os.Executable()
	p := recordedPerson{other: other}
	if replay.New(o.news) == replay.AskNew {
		p.next = personHere()
	}
	return harness.Options{Dir: o.copied, Terms: terms, Program: program, Version: programVersion(), Warn: warningsTo(o.cmd), Person: p,
		Trust: o.trusted(), Tools: missing, Guards: []guard.Guard{other.Guard()}, Hooks: other.Hooks()}, nil
}

// readRules reads the rules of a settings file as the command line takes them.
func readRules(file string) (allow, ask, deny []string, err error) {
	text, err := settings.PlainJSON(file)
	if err != nil {
		return nil, nil, nil, withExitCode(exitInput, err)
	}
	var rules struct {
		Permissions struct{ Allow, Ask, Deny []string }
	}
	if err := json.Unmarshal(text, &rules); err != nil {
		return nil, nil, nil, withExitCode(exitConfig, fmt.Errorf("%s: %w", file, err))
	}
	p := rules.Permissions
	return p.Allow, p.Ask, p.Deny, nil
}

// recordedPerson answers as somebody answered then. Other requests go to the person who is here, if anybody is.
type recordedPerson struct {
	other *replay.Other
	next  harness.Person
}

// Ask implements harness.Person.
func (p recordedPerson) Ask(ctx context.Context, r *harness.Request) (guard.Answer, error) {
	if answer, ok := p.other.Answer(r.Case.Call.Name, r.Case.Call.Args); ok {
		return answer, nil
	}
	if p.next == nil {
		return guard.Answer{By: guard.ByNobody()}, guard.ErrNobody
	}
	return p.next.Ask(ctx, r)
}

// send sends the recorded messages of the user, the first one perhaps in other words.
func (o *otherRun) send(ctx context.Context, s *harness.Session, other *replay.Other) error {
	first := true
	for _, step := range o.record.Steps {
		if step.Kind != replay.UserStep {
			continue
		}
		text := step.Text
		if first && o.prompt != "" {
			own, err := readFile(o.prompt)
			if err != nil {
				return withExitCode(exitInput, err)
			}
			text = string(own)
		}
		first = false
		for e, err := range s.Send(ctx, harness.Message(text)...) {
			if _, ended := other.Fresh(); err != nil && !ended && e.Stop == event.Failed {
				return err
			}
		}
		if _, ended := other.Fresh(); ended || ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// compare shows how the new run differs from the record.
func (o *otherRun) compare(s *harness.Session, other *replay.Other, asJSON bool) error {
	run, err := replay.Read(s.ID(), o.events)
	if err != nil {
		return err
	}
	d := replay.Compare(o.record, run)
	if err := showDiff(o.cmd, d, "", asJSON, false); err != nil {
		return err
	}
	fresh, ended := other.Fresh()
	out := o.cmd.ErrOrStderr()
	fmt.Fprintf(out, "Calls that the record does not have: %d.\n", fresh)
	if ended {
		fmt.Fprintln(out, "The run ended where the record had no answer. --new run asks the model, and runs new calls in the copy.")
	}
	if o.keep {
		fmt.Fprintf(out, "Session %s in %s\n", s.ID(), o.copied)
	}
	if !d.Equal(false) {
		return withExitCode(exitError, asSeen(errors.New(d.Summary())))
	}
	return nil
}
