package harness

import (
	"context"
	"slices"

	"rein/event"
	"rein/guard"
	"rein/internal/plainfile"
	"rein/kit/sandbox"
	"rein/tool"
	"rein/toolcall"
)

// snapshot is the step before a granted call runs: it keeps the files, and notes which of them run programs or steer tools later. What the
// call makes or changes of these is shown to the user, the most dangerous first, whatever program or tool server did it.
func (g *guarded) snapshot(ctx context.Context, a toolcall.Granted) (end func(*tool.Reply), err error) {
	var kept func(*tool.Reply)
	if g.keeper != nil {
		if kept, err = g.keeper.Step(ctx, a); err != nil {
			return nil, err
		}
	}
	if a.Mode() <= guard.Plan || a.Effect()&tool.Runs == 0 && !a.Intent().Unknown || a.Intent().RequestsAccess {
		return kept, nil
	}
	told, partly := g.watchSteering(ctx, "The call of "+a.Call().Name), g.shownInPart(a.Call().ID, a.Intent())
	return func(r *tool.Reply) {
		if partly != "" {
			r.Note("programs see of " + partly + " only what the sandbox shows, so this is no list of what is there")
		}
		if kept != nil {
			kept(r)
		}
		if text := told(); text != "" {
			r.Note("the user was shown that this call made or changed files that run programs or steer tools later: " + text)
		}
		if job := g.jobOf(a.Call().ID); job != nil {
			g.afterJob(job, a.Call().Name)
		}
	}, nil
}

// shownInPart is a directory that a command that begins lists and of which the sandbox shows only what is shown in it; "" where there is none.
func (g *guarded) shownInPart(call string, i tool.Intent) string {
	if i.Command == "" || g.isolation() != guard.FullIsolation {
		return ""
	}
	for _, path := range g.guards.Programs.Read(guard.Case{Root: g.workspace.Dir(), Intent: i}).Reads {
		if !g.box.ShowsPart(path) {
			continue
		}
		if !slices.ContainsFunc(g.access.OfCommand(call), func(dir string) bool { return plainfile.IsWithin(dir, path) }) {
			return path
		}
	}
	return ""
}

// afterJob shows the user what a job changed after its call.
func (g *guarded) afterJob(job <-chan struct{}, name string) {
	told := g.watchSteering(context.Background(), "A background job of "+name)
	go func() { // it ends with the job, at the latest when the session does
		<-job
		told()
	}()
}

// watchSteering notes the files that run programs or steer tools later. The function that it returns shows the user those that were made or
// changed since, as the work of who, and returns what it showed.
func (c *confined) watchSteering(ctx context.Context, who string) (told func() string) {
	changed := c.box.Steering(ctx)
	return func() string {
		text := sandbox.SteeringNote(changed(), c.workspace.Dir())
		if text != "" {
			c.record.report(event.Event{Kind: event.Notice, Text: who + " made or changed files that run programs or steer tools later. Check them before you use them: " + text})
		}
		return text
	}
}
