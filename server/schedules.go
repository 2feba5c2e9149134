package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"rein/event"
	"rein/harness/schedule"
	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/shown"
	"rein/server/signin"
)

// shownRuns is how many of the runs of a task are shown.
const shownRuns = 50

// ScheduleID names a task in a path. It is exported because huma fills no field of an unexported type.
type ScheduleID struct {
	ID int64 `path:"id" minimum:"1"`
}

// scheduleOperations are the tasks that run later or regularly in the workspaces.
func (s *Server) scheduleOperations(a huma.API) {
	add(a, auth.Viewer, huma.Operation{OperationID: "list-schedules", Method: http.MethodGet, Path: "/v1/schedules", Summary: "Tasks that run later or regularly, with their next times and last run", Tags: []string{"schedules"}},
		func(ctx context.Context, _ *nothing) (*body[[]api.Schedule], error) {
			all, err := s.schedules(ctx, signin.Of(ctx).User)
			return &body[[]api.Schedule]{all}, err
		})
	add(a, auth.Viewer, huma.Operation{OperationID: "list-runs", Method: http.MethodGet, Path: "/v1/schedules/{id}/runs", Summary: "The newest runs of a task", Tags: []string{"schedules"}},
		func(ctx context.Context, in *ScheduleID) (*body[[]api.Run], error) {
			if _, err := s.task(ctx, signin.Of(ctx).User, in.ID); err != nil {
				return nil, err
			}
			found, err := s.o.Tasks.Store.Runs(ctx, in.ID, shownRuns)
			all := []api.Run{}
			for _, r := range found {
				all = append(all, shown.Run(r, s.mask))
			}
			return &body[[]api.Run]{all}, err
		})
	add(a, auth.Operator, huma.Operation{OperationID: "check-schedule", Method: http.MethodPost, Path: "/v1/schedules/check", Summary: "What a task would be, with its next times; nothing is kept", Tags: []string{"schedules"}},
		func(ctx context.Context, in *body[api.NewSchedule]) (*body[api.Schedule], error) {
			j, err := s.newTask(signin.Of(ctx), in.Body)
			return &body[api.Schedule]{shown.Schedule(j, nil, s.mask)}, err
		})
	add(a, auth.Operator, huma.Operation{OperationID: "add-schedule", Method: http.MethodPost, Path: "/v1/schedules", Summary: "Add a task", Tags: []string{"schedules"}, DefaultStatus: http.StatusCreated},
		func(ctx context.Context, in *body[api.NewSchedule]) (*body[api.Schedule], error) {
			c := signin.Of(ctx)
			j, err := s.newTask(c, in.Body)
			if err != nil {
				return nil, err
			}
			if j.ID, err = s.o.Tasks.Store.Add(ctx, j, time.Now()); err != nil {
				return nil, problem(http.StatusUnprocessableEntity, "schedule", err.Error())
			}
			s.note(c, audit.Entry{What: "scheduled", Dir: j.Dir, Text: j.When + " " + cmp.Or(j.Name, j.Prompt)})
			return &body[api.Schedule]{shown.Schedule(j, nil, s.mask)}, nil
		})
	s.taskOperations(a)
}

// taskOperations are those on one task.
func (s *Server) taskOperations(a huma.API) {
	type pauseInput struct {
		ScheduleID
		Body api.Paused
	}
	add(a, auth.Operator, huma.Operation{OperationID: "pause-schedule", Method: http.MethodPost, Path: "/v1/schedules/{id}/pause", Summary: "Let a task not run, or run again; what was due meanwhile is left out", Tags: []string{"schedules"}, DefaultStatus: http.StatusNoContent},
		func(ctx context.Context, in *pauseInput) (*nothing, error) {
			what := "resumed_schedule"
			if in.Body.Paused {
				what = "paused_schedule"
			}
			return nil, s.onTask(ctx, in.ID, what, func(j schedule.Job) error { return s.o.Tasks.Store.Pause(ctx, j.ID, in.Body.Paused, time.Now()) })
		})
	add(a, auth.Operator, huma.Operation{OperationID: "run-schedule", Method: http.MethodPost, Path: "/v1/schedules/{id}/run", Summary: "Run a task now, in this server", Tags: []string{"schedules"}, DefaultStatus: http.StatusNoContent, Errors: []int{http.StatusConflict}},
		func(ctx context.Context, in *ScheduleID) (*nothing, error) {
			return nil, s.onTask(ctx, in.ID, "ran_schedule", func(j schedule.Job) error {
				err := s.o.Tasks.Begin(s.ctx, j, time.Now())
				if errors.Is(err, schedule.ErrAtWork) {
					return problem(http.StatusConflict, "working", err.Error())
				}
				s.work.Go(s.o.Tasks.Wait)
				return err
			})
		})
	add(a, auth.Operator, huma.Operation{OperationID: "delete-schedule", Method: http.MethodDelete, Path: "/v1/schedules/{id}", Summary: "Delete a task", Tags: []string{"schedules"}, DefaultStatus: http.StatusNoContent},
		func(ctx context.Context, in *ScheduleID) (*nothing, error) {
			return nil, s.onTask(ctx, in.ID, "deleted_schedule", func(j schedule.Job) error { return s.o.Tasks.Store.Remove(ctx, j.ID) })
		})
}

var errNoTasks = problem(http.StatusConflict, "no_schedules", "this server has no store of tasks")

// tasks returns the tasks of the workspaces that a user sees.
func (s *Server) tasks(ctx context.Context, u auth.User) (all []schedule.Job, err error) {
	if s.o.Tasks == nil {
		return nil, errNoTasks
	}
	found, err := s.o.Tasks.Store.Jobs(ctx)
	for _, j := range found {
		if w := s.workspace(j.Dir); w != nil && u.Sees(j.Dir) {
			all = append(all, j)
		}
	}
	return all, err
}

func (s *Server) task(ctx context.Context, u auth.User, id int64) (schedule.Job, error) {
	all, err := s.tasks(ctx, u)
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

// onTask does something with a task that the user sees, and notes it.
func (s *Server) onTask(ctx context.Context, id int64, what string, do func(schedule.Job) error) error {
	c := signin.Of(ctx)
	j, err := s.task(ctx, c.User, id)
	if err == nil {
		err = do(j)
	}
	if err == nil {
		s.note(c, audit.Entry{What: what, Dir: j.Dir, Text: cmp.Or(j.Name, j.Prompt)})
	}
	return err
}

func (s *Server) schedules(ctx context.Context, u auth.User) ([]api.Schedule, error) {
	all := []api.Schedule{}
	found, err := s.tasks(ctx, u)
	for _, j := range found {
		runs, err := s.o.Tasks.Store.Runs(ctx, j.ID, 1)
		if err != nil {
			return all, err
		}
		all = append(all, shown.Schedule(j, runs, s.mask))
	}
	return all, err
}

// newTask makes a task of what a user sent. It runs as sessions of its workspace do: with the mode, sandbox and tools of the
// server where the user names none.
func (s *Server) newTask(c signin.Client, n api.NewSchedule) (schedule.Job, error) {
	if s.o.Tasks == nil {
		return schedule.Job{}, errNoTasks
	}
	w, err := s.room(c.User, n.Dir)
	if err != nil {
		return schedule.Job{}, err
	}
	o := s.o.Harness
	j := schedule.Job{Name: strings.TrimSpace(n.Name), When: n.When, Zone: cmp.Or(n.Zone, time.Local.String()), Prompt: strings.TrimSpace(n.Prompt),
		Overlap: cmp.Or(n.Overlap, "skip"), Missed: cmp.Or(n.Missed, "once"),
		Start: event.Start{Dir: w.dir, Mode: cmp.Or(n.Mode, o.Mode), Model: cmp.Or(n.Model, o.Model), Sandbox: o.Sandbox, Allow: n.Allow, Ask: o.Ask, Deny: o.Deny, MaxUSD: n.MaxUSD}}
	if err := j.Check(time.Now(), s.o.Tasks.Store.Limits); err != nil {
		return j, problem(http.StatusUnprocessableEntity, "schedule", err.Error())
	}
	if err := w.newest().CheckRules(n.Allow); err != nil {
		return j, problem(http.StatusUnprocessableEntity, "schedule", err.Error())
	}
	if text := j.Name + j.Prompt; w.newest().Mask().String(text) != text {
		return j, problem(http.StatusUnprocessableEntity, "secret", "a task must not hold a secret: its sessions read it from the environment or a file")
	}
	return j, nil
}
