package main

import (
	"context"
	"errors"
	"fmt"

	"rein/app/harness"
	"rein/event"
	"rein/kit/undo"
)

// goOn makes a session with the past of the record up to an event, in a copy of the workspace as it was then, and goes on live.
func (o *otherRun) goOn(prompt []string) (err error) {
	ctx, stop := interruptible(o.cmd.Context())
	defer stop()
	o.keep = true // the session needs it
	defer func() { err = errors.Join(err, o.close(context.WithoutCancel(ctx))) }()
	at, done, err := o.past(int64(o.until))
	if err != nil {
		return err
	}
	if err := o.copyOf(ctx, func(c undo.Call) bool { return c.Session == o.id && !done[c.ID] }); err != nil {
		return err
	}
	id, err := o.store.ForkInto(o.id, at, o.record.Dir, o.copied)
	if err != nil {
		return sessionError(err)
	}
	fmt.Fprintf(o.cmd.ErrOrStderr(), "Session %s in %s\n", id, o.copied)
	flags := &modelFlags{model: o.model, format: "text"}
	flags.Dir, flags.mode, flags.trust = o.copied, o.mode, o.trusted()
	h, err := harness.OpenCopy(ctx, flags.harness(o.cmd, flags.person()), o.source.Root())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
	s, err := h.Resume(ctx, id, harness.NewSession{ModelName: o.model, Mode: o.mode})
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
	_, err = fmt.Fprintf(o.cmd.ErrOrStderr(), "Continue with: rein -C %s -r %s\n", o.copied, id)
	return err
}

// past returns the last event of the past up to an event, and the calls that had ended by then. Calls that were at work have their results:
// the next request is where it goes on.
func (o *otherRun) past(until int64) (at int64, done map[string]bool, err error) {
	done = map[string]bool{}
	for e, err := range o.events(o.id) {
		if err != nil {
			return 0, nil, withExitCode(exitInput, err)
		}
		switch e.Kind {
		case event.Requested, event.Prompted, event.Hinted, event.Stopped, event.Responded:
			if e.Seq > until {
				return at, done, nil
			}
		case event.Replied:
			if e.Call != nil {
				done[e.Call.ID] = true
			}
		}
		at = e.Seq
	}
	if at < until {
		err = withExitCode(exitInput, fmt.Errorf("session %s has no event %d: its last one is %d", o.id, until, at))
	}
	return at, done, err
}
