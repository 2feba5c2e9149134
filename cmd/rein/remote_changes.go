package main

import (
	"context"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"rein/app/client"
	"rein/app/harness"
	"rein/app/server/api"
	"rein/app/session"
	"rein/tool"
)

func (s *remoteSession) Changes(ctx context.Context) ([]tool.Change, error) {
	all, err := s.place.client.Changes(ctx, s.id)
	return toolChanges(all.Files), err
}

func toolChanges(files []api.File) (all []tool.Change) {
	for _, f := range files {
		all = append(all, tool.Change{Path: f.Path, From: f.From, Created: f.What == "created", Deleted: f.What == "deleted", Mode: f.What == "mode", Added: f.Added, Removed: f.Removed, Diff: f.Diff})
	}
	return all
}

func (s *remoteSession) PlanUndo(ctx context.Context, what session.Undoing) (*session.Undo, error) {
	ask := api.Undoing{Last: what.Last, Redo: what.Redo, Message: what.Message}
	if what.Which != "" {
		ask.Last = 0
		if n, err := strconv.Atoi(what.Which); err == nil {
			ask.Last = n
		} else if what.Which == "turn" {
			s.mu.Lock()
			ask.Message = s.message
			s.mu.Unlock()
		} else {
			ask.Call = what.Which
		}
	}
	plan, err := s.place.client.Undo(ctx, s.id, ask)
	if p, ok := err.(*client.Problem); ok && p.Kind() == "nothing" {
		return nil, session.ErrNothing
	}
	return &session.Undo{ShownUndo: shownUndo(plan), Do: func(ctx context.Context, _ ...string) (harness.ShownUndo, error) {
		ask.Hash = plan.Hash
		did, err := s.place.client.Undo(ctx, s.id, ask)
		return shownUndo(did), err
	}}, err
}

// WholeOutput reads what the server has of an output.
func (s *remoteSession) WholeOutput(ctx context.Context, r tool.Result, most int64) ([]byte, error) {
	out, err := s.place.client.WholeOutput(ctx, s.id, r.ID)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	return io.ReadAll(io.LimitReader(out, most))
}

func shownUndo(u api.Undone) harness.ShownUndo {
	out := harness.ShownUndo{Changes: toolChanges(u.Files), Stays: u.Running}
	for _, c := range u.Conflicts {
		out.Stays = append(out.Stays, c.Path+" stays as it is: "+c.Why)
	}
	for _, f := range u.Failed {
		out.Stays = append(out.Stays, f+" could not be written")
	}
	return out
}

// jobsPause is how often the jobs, and the output of one that is looked at, are read.
const jobsPause = time.Second

// readJobs reads which commands run, again and again while some do.
func (s *remoteSession) readJobs() {
	s.mu.Lock()
	before := s.reads
	s.reads = true
	s.mu.Unlock()
	for !before {
		all, err := s.place.client.Jobs(s.ctx)
		all = slices.DeleteFunc(all, func(j api.Job) bool { return j.Session != s.id || !j.Running })
		s.mu.Lock()
		s.jobs = nil
		for _, j := range all {
			s.jobs = append(s.jobs, s.job(j))
		}
		before = err != nil || len(all) == 0
		s.reads = !before
		s.mu.Unlock()
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(jobsPause):
		}
	}
}

func (s *remoteSession) Jobs() []session.Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.jobs)
}

// job is a job whose output is read from when it is looked at first.
func (s *remoteSession) job(j api.Job) session.Job {
	o := &remoteOutput{}
	return session.Job{ID: j.ID, Command: j.Command, Started: j.Started,
		Tail: func(int64) ([]byte, int64) {
			o.once.Do(func() { go o.read(s, j.ID) })
			o.mu.Lock()
			defer o.mu.Unlock()
			return o.text, o.start
		},
		Ended: func() bool {
			o.mu.Lock()
			defer o.mu.Unlock()
			return o.ended
		},
		Stop: func() {
			go func() {
				if _, err := s.place.client.StopJob(s.ctx, s.id, j.ID); err != nil {
					s.place.person.Warn("the job was not stopped: " + err.Error())
				}
			}()
		}}
}

// remoteOutput is what a job wrote, as far as it was read.
type remoteOutput struct {
	once  sync.Once
	mu    sync.Mutex
	text  []byte
	start int64
	ended bool
}

// mostOutput is how much of a job's output is kept, in bytes.
const mostOutput = 1 << 20

// read reads the output until the job has ended.
func (o *remoteOutput) read(s *remoteSession, id string) {
	for from := int64(0); s.ctx.Err() == nil; {
		out, err := s.place.client.JobOutput(s.ctx, s.id, id, from)
		_, gone := err.(*client.Problem)
		o.mu.Lock()
		if err == nil {
			if from = out.Next; len(o.text) == 0 {
				o.start = out.From
			}
			o.text = append(o.text, out.Text...)
			if over := len(o.text) - mostOutput; over > 0 {
				o.text, o.start = o.text[over:], o.start+int64(over)
			}
		}
		o.ended = gone || err == nil && !out.Job.Running
		ended := o.ended
		o.mu.Unlock()
		if ended {
			return
		}
		select {
		case <-s.ctx.Done():
		case <-time.After(jobsPause):
		}
	}
}
