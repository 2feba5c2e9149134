package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"rein/app/harness"
	"rein/app/sessions"
	"rein/event"
	"rein/kit/undo"
)

// goOn makes a session with the past of the record up to an event, in a copy of the workspace as it was then, and goes on live.
func (o *otherRun) goOn(prompt []string) (err error) {
	ctx, stop := interruptible(o.cmd.Context())
	defer stop()
	o.keep = true // the session needs it
	defer func() { err = errors.Join(err, o.close(context.WithoutCancel(ctx))) }()
	past, done, err := o.past(int64(o.until))
	if err != nil {
		return err
	}
	if err := o.copyOf(ctx, func(c undo.Call) bool { return c.Session == o.id && !done[c.ID] }); err != nil {
		return err
	}
	in, err := o.store.Import(bytes.ReplaceAll(past, []byte(o.record.Dir), []byte(o.copied)), sessions.Import{Dir: o.copied, Mask: harness.EnvironmentMask().Bytes})
	if err != nil {
		return withExitCode(exitInput, err)
	}
	fmt.Fprintf(o.cmd.ErrOrStderr(), "Session %s in %s\n", in.ID, o.copied)
	flags := &modelFlags{model: o.model, format: "text"}
	flags.Dir, flags.mode = o.copied, o.mode
	h, err := harness.OpenCopy(ctx, flags.harness(o.cmd, flags.person()), o.source.Root())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
	s, err := h.Resume(ctx, in.ID, harness.NewSession{ModelName: o.model, Mode: o.mode})
	if err != nil {
		return err
	}
	out := flags.output(o.cmd, s.ID(), s)
	switch {
	case len(prompt) > 0:
		return out.drain(ctx, s.Send(ctx, harness.Message(prompt[0])...))
	case s.Waiting() || s.CutOff():
		return out.drain(ctx, s.Resume(ctx))
	}
	_, err = fmt.Fprintf(o.cmd.ErrOrStderr(), "Continue with: rein -C %s -r %s\n", o.copied, in.ID)
	return err
}

// past is the session up to an event, as rein sessions export --json writes it, and the calls that had ended by then. Calls that were at
// work have their results: the next request is where it goes on.
func (o *otherRun) past(until int64) (text []byte, done map[string]bool, err error) {
	d := struct {
		Program string        `json:"program"`
		Version int           `json:"version"`
		ID      string        `json:"id"`
		Events  []event.Event `json:"events"`
	}{Program: "rein", Version: 1, ID: o.id}
	done = map[string]bool{}
	last := int64(0)
	for e, err := range o.events(o.id) {
		if err != nil {
			return nil, nil, withExitCode(exitInput, err)
		}
		last = e.Seq
		if e.Seq > until && (e.Kind == event.Requested || e.Kind == event.Prompted || e.Kind == event.Hinted || e.Kind == event.Stopped || e.Kind == event.Responded) {
			break
		}
		if e.Kind == event.Replied && e.Call != nil {
			done[e.Call.ID] = true
		}
		d.Events = append(d.Events, e)
	}
	if last < until {
		return nil, nil, withExitCode(exitInput, fmt.Errorf("session %s has no event %d: its last one is %d", o.id, until, last))
	}
	text, err = json.Marshal(d)
	return text, done, err
}
