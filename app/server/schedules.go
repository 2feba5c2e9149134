package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"rein/app/harness"
	"rein/app/schedule"
	"rein/app/server/api"
	"rein/event"
)

// shownRuns is how many of the runs of a task are shown.
const shownRuns = 50

// scheduleOperations are the tasks that run later or regularly in the workspaces.
type scheduleOperations struct {
	*workspaces
	*auditLog
	*background
	tasks   *schedule.Daemon // nil: the server has none
	options harness.Options  // of their sessions
}

func (o scheduleOperations) table() []apiOperation {
	const tag = "schedules"
	return []apiOperation{
		operationAt(RoleViewer, "GET /v1/schedules", "list-schedules", tag, "Tasks that run later or regularly, with their next times and last run", o.list),
		operationAt(RoleViewer, "GET /v1/schedules/{id}/runs", "list-runs", tag, "The newest runs of a task", o.runs),
		operationAt(roleOperator, "POST /v1/schedules/check", "check-schedule", tag, "What a task would be, with its next times; nothing is kept", o.check),
		operationAt(roleOperator, "POST /v1/schedules", "add-schedule", tag, "Add a task", o.add, http.StatusCreated),
		operationAt(roleOperator, "POST /v1/schedules/{id}/pause", "pause-schedule", tag, "Let a task not run, or run again; what was due meanwhile is left out", o.pause),
		operationAt(roleOperator, "POST /v1/schedules/{id}/run", "run-schedule", tag, "Run a task now, in this server", o.run, http.StatusConflict),
		operationAt(roleOperator, "DELETE /v1/schedules/{id}", "delete-schedule", tag, "Delete a task", o.remove),
	}
}

// scheduleID names a task in a path.
type scheduleID struct {
	ID int64 `path:"id" minimum:"1"`
}

func (o scheduleOperations) runs(ctx context.Context, in scheduleID) ([]api.Run, error) {
	if _, err := o.one(ctx, senderOf(ctx).User, in.ID); err != nil {
		return nil, err
	}
	found, err := o.tasks.Store.Runs(ctx, in.ID, shownRuns)
	all := []api.Run{}
	for _, r := range found {
		all = append(all, shownRun(r, o.mask))
	}
	return all, err
}

func (o scheduleOperations) check(ctx context.Context, in api.NewSchedule) (api.Schedule, error) {
	j, err := o.newTask(senderOf(ctx), in)
	return shownSchedule(j, nil, o.mask), err
}

func (o scheduleOperations) add(ctx context.Context, in api.NewSchedule) (api.Schedule, error) {
	c := senderOf(ctx)
	j, err := o.newTask(c, in)
	if err != nil {
		return api.Schedule{}, err
	}
	if j.ID, err = o.tasks.Store.Add(ctx, j, time.Now()); err != nil {
		return api.Schedule{}, problem(http.StatusUnprocessableEntity, "schedule", err.Error())
	}
	o.note(c, api.Entry{What: "scheduled", Dir: j.Dir, Text: j.When + " " + cmp.Or(j.Name, j.Prompt)})
	return shownSchedule(j, nil, o.mask), nil
}

type pauseInput struct {
	scheduleID
	Body api.Paused
}

func (o scheduleOperations) pause(ctx context.Context, in pauseInput) (noContent, error) {
	what := "resumed_schedule"
	if in.Body.Paused {
		what = "paused_schedule"
	}
	return o.change(ctx, in.ID, what, func(j schedule.Job) error { return o.tasks.Store.Pause(ctx, j.ID, in.Body.Paused, time.Now()) })
}

func (o scheduleOperations) run(ctx context.Context, in scheduleID) (noContent, error) {
	return o.change(ctx, in.ID, "ran_schedule", func(j schedule.Job) error {
		err := o.tasks.Begin(o.ctx, j, time.Now())
		if errors.Is(err, schedule.ErrAtWork) {
			return problem(http.StatusConflict, "working", err.Error())
		}
		o.work.Go(o.tasks.Wait)
		return err
	})
}

func (o scheduleOperations) remove(ctx context.Context, in scheduleID) (noContent, error) {
	return o.change(ctx, in.ID, "deleted_schedule", func(j schedule.Job) error { return o.tasks.Store.Remove(ctx, j.ID) })
}

var errNoTasks = problem(http.StatusConflict, "no_schedules", "this server has no store of tasks")

// visibleTo returns the tasks of the workspaces that a user sees.
func (o scheduleOperations) visibleTo(ctx context.Context, u User) (all []schedule.Job, err error) {
	if o.tasks == nil {
		return nil, errNoTasks
	}
	found, err := o.tasks.Store.Jobs(ctx)
	for _, j := range found {
		if w := o.of(j.Dir); w != nil && u.Sees(j.Dir) {
			all = append(all, j)
		}
	}
	return all, err
}

func (o scheduleOperations) one(ctx context.Context, u User, id int64) (schedule.Job, error) {
	all, err := o.visibleTo(ctx, u)
	for _, j := range all {
		if j.ID == id {
			return j, err
		}
	}
	if err == nil {
		err = problem(http.StatusNotFound, "no_schedule", schedule.ErrNoJob.Error())
	}
	return schedule.Job{}, err
}

// change does something with a task that the user sees, and notes it.
func (o scheduleOperations) change(ctx context.Context, id int64, what string, do func(schedule.Job) error) (done noContent, err error) {
	c := senderOf(ctx)
	j, err := o.one(ctx, c.User, id)
	if err == nil {
		err = do(j)
	}
	if err == nil {
		o.note(c, api.Entry{What: what, Dir: j.Dir, Text: cmp.Or(j.Name, j.Prompt)})
	}
	return done, err
}

func (o scheduleOperations) list(ctx context.Context, _ noContent) ([]api.Schedule, error) {
	all := []api.Schedule{}
	found, err := o.visibleTo(ctx, senderOf(ctx).User)
	for _, j := range found {
		runs, err := o.tasks.Store.Runs(ctx, j.ID, 1)
		if err != nil {
			return all, err
		}
		all = append(all, shownSchedule(j, runs, o.mask))
	}
	return all, err
}

// newTask makes a task of what a user sent. It runs as sessions of its workspace do: with the mode, sandbox and tools of the
// server where the user names none.
func (o scheduleOperations) newTask(c requestSender, n api.NewSchedule) (schedule.Job, error) {
	if o.tasks == nil {
		return schedule.Job{}, errNoTasks
	}
	w, err := o.find(c.User, n.Dir)
	if err != nil {
		return schedule.Job{}, err
	}
	j := schedule.Job{Name: strings.TrimSpace(n.Name), When: n.When, Zone: cmp.Or(n.Zone, time.Local.String()), Prompt: strings.TrimSpace(n.Prompt),
		Overlap: cmp.Or(n.Overlap, "skip"), Missed: cmp.Or(n.Missed, "once"),
		Terms: event.Terms{Dir: w.dir, Mode: cmp.Or(n.Mode, o.options.Mode), Model: cmp.Or(n.Model, o.options.Model), Sandbox: o.options.Sandbox, Allow: n.Allow, Ask: o.options.Ask, Deny: o.options.Deny, Only: o.options.Only, MaxUSD: n.MaxUSD}}
	if err := j.Check(time.Now(), o.tasks.Store.Limits); err != nil {
		return j, problem(http.StatusUnprocessableEntity, "schedule", err.Error())
	}
	if err := w.newest().CheckRules(n.Allow); err != nil {
		return j, problem(http.StatusUnprocessableEntity, "rules", err.Error())
	}
	if text := j.Name + j.Prompt; w.newest().Mask().String(text) != text {
		return j, problem(http.StatusUnprocessableEntity, "secret", "a task must not hold a secret: its sessions read it from the environment or a file")
	}
	return j, nil
}
