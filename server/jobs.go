package server

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/signin"
	"rein/server/touched"
)

// JobPath names a job in a path. It is exported because huma fills no field of an unexported type.
type JobPath struct {
	SessionPath
	Job string `path:"job" pattern:"^[A-Za-z0-9_-]{1,64}$" maxLength:"64"`
}

// jobOperations show the background jobs of the sessions that are open in this server.
func (s *Server) jobOperations(a huma.API) {
	add(a, auth.Viewer, huma.Operation{OperationID: "list-jobs", Method: http.MethodGet, Path: "/v1/jobs", Summary: "Background jobs of the sessions that are open here, the newest first", Tags: []string{"jobs"}},
		func(ctx context.Context, _ *nothing) (*body[[]api.Job], error) {
			return &body[[]api.Job]{s.jobsFor(signin.Of(ctx).User)}, nil
		})
	type outputInput struct {
		JobPath
		From int64 `query:"from" minimum:"0" doc:"in bytes of all the output; 0: all that is kept, 64 KiB at most"`
	}
	add(a, auth.Viewer, huma.Operation{OperationID: "job-output", Method: http.MethodGet, Path: "/v1/sessions/{id}/jobs/{job}", Summary: "A job, and what it wrote since a place in its output", Tags: []string{"jobs"}},
		inSeen(s, func(_ context.Context, _ *workspace, in outputInput) (api.JobOutput, error) {
			j, err := s.job(in.JobPath) // before the output: what ended writes no more
			if err != nil {
				return api.JobOutput{}, err
			}
			out := api.JobOutput{Job: j.Job}
			text, from := j.tail(in.From)
			out.From, out.Next = from, from+int64(len(text))
			if out.Job.Running {
				text = touched.WholeLines(text)
				out.Next = from + int64(len(text))
			}
			out.Text = strings.ToValidUTF8(string(s.mask(text)), "�")
			return out, nil
		}))
	add(a, auth.Operator, huma.Operation{OperationID: "stop-job", Method: http.MethodPost, Path: "/v1/sessions/{id}/jobs/{job}/stop", Summary: "End a job and all that it started", Tags: []string{"jobs"}, DefaultStatus: http.StatusAccepted},
		inSeen(s, func(ctx context.Context, w *workspace, in JobPath) (api.Job, error) {
			j, err := s.job(in)
			if err != nil {
				return api.Job{}, err
			}
			if !j.Running {
				return j.Job, problem(http.StatusConflict, "job_ended", "the job has ended")
			}
			s.note(signin.Of(ctx), audit.Entry{What: "stopped_job", Dir: w.dir, Session: in.ID, Text: j.Command})
			s.work.Go(j.stop)
			return j.Job, nil
		}))
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
	for _, j := range l.s.AllJobs() {
		i := j.Info()
		all = append(all, job{api.Job{Session: l.id, Title: title, ID: j.ID, Command: string(l.server.mask([]byte(j.Command))), Call: j.Call, Started: j.Started, Running: i.Running,
			Exit: i.ExitCode, Signal: i.Signal, Took: int64(i.Duration)}, j.Tail, func() { j.Stop(3 * time.Second) }})
	}
	return all
}

// jobsFor returns the jobs that a user sees.
func (s *Server) jobsFor(u auth.User) []api.Job {
	all := []api.Job{}
	s.mu.Lock()
	open := slices.Collect(maps.Values(s.live))
	s.mu.Unlock()
	for _, l := range open {
		if u.Sees(l.room.dir) {
			for _, j := range l.jobs() {
				all = append(all, j.Job)
			}
		}
	}
	slices.SortFunc(all, func(a, b api.Job) int { return b.Started.Compare(a.Started) })
	return all
}

// job returns a job of an open session.
func (s *Server) job(p JobPath) (job, error) {
	if l := s.running(p.ID); l != nil {
		for _, j := range l.jobs() {
			if j.ID == p.Job {
				return j, nil
			}
		}
	}
	return job{}, problem(http.StatusNotFound, "no_job", "there is no such job in a session that is open here")
}
