package client

import (
	"context"
	"net/http"

	"rein/app/server/api"
)

// Schedules returns the tasks that run later or regularly, with their next times and last run.
func (c *Client) Schedules(ctx context.Context) (all []api.Schedule, err error) {
	return all, c.get(ctx, at("schedules"), &all)
}

// CheckSchedule returns what a task would be, with its next times. Nothing is kept.
func (c *Client) CheckSchedule(ctx context.Context, n api.NewSchedule) (s api.Schedule, err error) {
	return s, c.post(ctx, at("schedules", "check"), n, &s)
}

// AddSchedule adds a task.
func (c *Client) AddSchedule(ctx context.Context, n api.NewSchedule) (s api.Schedule, err error) {
	return s, c.post(ctx, at("schedules"), n, &s)
}

// PauseSchedule lets a task not run, or run again. What was due meanwhile is left out.
func (c *Client) PauseSchedule(ctx context.Context, id int64, p api.Paused) error {
	return c.post(ctx, at("schedules", id, "pause"), p, nil)
}

// RunSchedule begins to run a task now, in the server.
func (c *Client) RunSchedule(ctx context.Context, id int64) error {
	return c.post(ctx, at("schedules", id, "run"), nil, nil)
}

// Runs returns the newest runs of a task.
func (c *Client) Runs(ctx context.Context, id int64) (all []api.Run, err error) {
	return all, c.get(ctx, at("schedules", id, "runs"), &all)
}

// DeleteSchedule deletes a task.
func (c *Client) DeleteSchedule(ctx context.Context, id int64) error {
	return c.do(ctx, http.MethodDelete, at("schedules", id), nil, nil)
}
