package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"rein/app/server/api"
)

// jobOperations are those on the background jobs of the sessions that are open in this server.
type jobOperations struct{ *allSessions }

func (o jobOperations) table() []apiOperation {
	const tag = "jobs"
	return []apiOperation{
		operationAt(RoleViewer, "GET /v1/jobs", "list-jobs", tag, "Background jobs of the sessions that are open here, the newest first", o.list),
		operationAt(RoleViewer, "GET /v1/sessions/{id}/jobs/{job}", "job-output", tag, "A job, and what it wrote since a place in its output", inSeen(o.allSessions, o.output)),
		operationAt(roleOperator, "POST /v1/sessions/{id}/jobs/{job}/stop", "stop-job", tag, "End a job and all that it started", inSeen(o.allSessions, o.stop), http.StatusAccepted),
	}
}

// jobPath names a job in a path.
type jobPath struct {
	sessionPath
	Job string `path:"job" pattern:"^[A-Za-z0-9_-]{1,64}$" maxLength:"64"`
}

func (o jobOperations) list(ctx context.Context, _ noContent) ([]api.Job, error) {
	all := []api.Job{}
	for _, l := range o.open() {
		if senderOf(ctx).Sees(l.room.dir) {
			for _, j := range l.jobs() {
				all = append(all, j.Job)
			}
		}
	}
	slices.SortFunc(all, func(a, b api.Job) int { return b.Started.Compare(a.Started) })
	return all, nil
}

type outputInput struct {
	jobPath
	From int64 `query:"from" minimum:"0" doc:"in bytes of all the output; 0: all that is kept, 64 KiB at most"`
}

func (o jobOperations) output(_ context.Context, _ *servedWorkspace, in outputInput) (api.JobOutput, error) {
	j, err := o.find(in.jobPath) // before the output: what ended writes no more
	if err != nil {
		return api.JobOutput{}, err
	}
	out := api.JobOutput{Job: j.Job}
	text, from := j.tail(in.From)
	out.From, out.Next = from, from+int64(len(text))
	if out.Job.Running {
		text = wholeLines(text)
		out.Next = from + int64(len(text))
	}
	out.Text = strings.ToValidUTF8(string(o.mask(text)), "�")
	return out, nil
}

func (o jobOperations) stop(ctx context.Context, w *servedWorkspace, in jobPath) (api.Job, error) {
	j, err := o.find(in)
	if err != nil {
		return api.Job{}, err
	}
	if !j.Running {
		return j.Job, problem(http.StatusConflict, "job_ended", "the job has ended")
	}
	o.note(senderOf(ctx), api.Entry{What: "stopped_job", Dir: w.dir, Session: in.ID, Text: j.Command})
	o.work.Go(j.stop)
	return j.Job, nil
}

// job is a job of a session, with what can be done to it.
type job struct {
	api.Job
	tail func(from int64) (text []byte, start int64)
	stop func()
}

// jobs returns the jobs of a session, the oldest first.
func (l *live) jobs() (all []job) {
	title := l.summary().Title
	for _, j := range l.s.Jobs().List() {
		i := j.Info()
		all = append(all, job{api.Job{Session: l.id, Title: title, ID: j.ID, Command: l.of.masked(j.Command), Call: j.Call, Started: j.Started, Running: i.Running,
			Exit: i.ExitCode, Signal: i.Signal, Took: int64(i.Duration)}, j.Tail, func() { j.Stop(3 * time.Second) }})
	}
	return all
}

// find returns a job of an open session.
func (o jobOperations) find(p jobPath) (job, error) {
	if l := o.running(p.ID); l != nil {
		for _, j := range l.jobs() {
			if j.ID == p.Job {
				return j, nil
			}
		}
	}
	return job{}, problem(http.StatusNotFound, "no_job", "there is no such job in a session that is open here")
}
