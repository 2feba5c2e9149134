package command

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

const (
	// firstLook is how long a call watches a job that it starts in the background: an early failure is reported at once.
	firstLook = 400 * time.Millisecond
	// longestWait is the longest time that job_output waits.
	longestWait = 300 * time.Second
	// untilWait is how long job_output waits for a match if the call sets no time.
	untilWait = 30 * time.Second
	killGrace = 2 * time.Second
)

// runJob runs a command as a job: in the background from the start, or when it takes too long.
func (s Shell) runJob(ctx context.Context, in jobArgs, r *tool.Reply) error {
	out := &tail{w: r}
	live := &careful{w: out, mask: s.Mask}
	job, err := s.Jobs.Start(ctx, s.box(), s.spec(in.Command, r.Call()), sandbox.JobOptions{Command: in.Command, Call: r.Call(), Terminal: in.TTY, Live: live})
	if err != nil {
		return failed(err)
	}
	wait, stop := s.patience(in)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	late := false
	select {
	case <-job.Done():
	case <-ctx.Done():
		job.Stop(0)
	case <-job.Left():
		s.detach(job, live, out, r)
		fmt.Fprintln(r, "[the user moved it to the background: continue with other work]")
		return nil
	case <-timer.C:
		if !stop {
			s.detach(job, live, out, r)
			return nil
		}
		select {
		case <-job.Done(): // at this very moment
		default:
			late = true
			job.Stop(killGrace)
		}
	}
	result, err := job.Result()
	_, _ = out.Write(live.take())
	s.Jobs.Forget(job)
	if err != nil {
		return failed(err)
	}
	result.TimedOut = late && ctx.Err() == nil
	return s.finish(in.bashArgs, result, out, r)
}

// detach leaves a command in the background.
func (s Shell) detach(job *sandbox.Job, live *careful, out *tail, r *tool.Reply) {
	job.Detach(live.take)
	if s.Hold != nil {
		release := s.Hold(r.Call())
		go func() { // it ends with the job
			<-job.Done()
			release()
		}()
	}
	out.endLine()
	fmt.Fprintf(r, "[running in the background as %s (%s so far)]\n", job.ID, brief(time.Since(job.Started)))
	writePrompt(job, r)
	show(r, s.running(job))
}

// running is the data of a job that still runs.
func (s Shell) running(job *sandbox.Job) tool.CommandDetail {
	return tool.CommandDetail{Job: job.ID, Running: true, Cwd: s.Dir, Duration: time.Since(job.Started)}
}

// patience is how long a call waits for its command, and whether the command is stopped then; else it goes to the
// background.
func (s Shell) patience(in jobArgs) (wait time.Duration, stop bool) {
	background := s.background()
	switch {
	case in.Background || in.TTY:
		return firstLook, false
	case background > 0 && in.timeout() > background:
		return background, false
	}
	return in.timeout(), true
}

// writePrompt reports that a job seems to wait for an answer.
func writePrompt(job *sandbox.Job, r *tool.Reply) {
	if line, asks := job.Prompt(); asks {
		fmt.Fprintf(r, "[it seems to wait for an answer to: %s]\n[answer with job_input, or stop it with job_kill; only the user can give a password]\n", line)
	}
}

type jobOutputArgs struct {
	Job   string `json:"job" minLength:"1"`
	Wait  int    `json:"wait,omitempty" jsonschema:"seconds to wait for the end of the job, or for a match of until" minimum:"0" maximum:"300" default:"0"`
	Until string `json:"until,omitempty" jsonschema:"regular expression (RE2): wait until new output matches; at most wait seconds, default 30"`
}

// Intent is empty: the command was judged when the job was started.
func (a jobOutputArgs) Intent() tool.Intent { return tool.Intent{} }

// JobOutput returns the tool that reads what a job has printed since the last call.
func (s Shell) JobOutput() *tool.Tool {
	t := tool.New("job_output", "Get the output of a background job since the last call, and whether it still runs. It can wait for the end of the job, or until the output matches a pattern. For an unknown id, the error lists the jobs.", tool.Reads, s.jobOutput)
	t.Input = t.Input.WithAliases(map[string]string{"id": "job", "job_id": "job", "bash_id": "job", "pattern": "until", "timeout": "wait"})
	t.Timeout = longestWait + 20*time.Second
	return t
}

func (s Shell) jobOutput(ctx context.Context, in jobOutputArgs, r *tool.Reply) error {
	job, err := s.Jobs.Get(in.Job)
	if err != nil {
		return unknownJob(err)
	}
	var until *regexp.Regexp
	wait := time.Duration(in.Wait) * time.Second
	if in.Until != "" {
		if until, err = regexp.Compile(in.Until); err != nil {
			return &tool.Error{Kind: tool.BadArguments, Text: "until is not a regular expression: " + err.Error(), Hint: "Send an RE2 expression."}
		}
		if wait == 0 {
			wait = untilWait
		}
	}
	matched := wait > 0 && job.Await(ctx, until, min(wait, longestWait))
	s.writeJob(job, r)
	if until != nil && !matched && !job.Ended() {
		fmt.Fprintf(r, "[no output matched %q within %s]\n", in.Until, brief(wait))
	}
	return nil
}

func unknownJob(err error) error {
	return &tool.Error{Kind: tool.NotFound, Text: err.Error()}
}

// writeJob writes what is new about a job.
func (s Shell) writeJob(job *sandbox.Job, r *tool.Reply) {
	ended := job.Ended() // before reading: then the output until the end is complete
	s.writeOutput(job, ended, r)
	if !ended {
		show(r, s.running(job))
		fmt.Fprintf(r, "[%s is running (%s so far)]\n", job.ID, brief(time.Since(job.Started)))
		writePrompt(job, r)
		return
	}
	result, err := job.Result()
	if err != nil {
		show(r, tool.CommandDetail{Job: job.ID, Cwd: s.Dir, ExitCode: -1})
		fmt.Fprintf(r, "[%s is lost: %v]\n", job.ID, err)
		return
	}
	c := s.ended(result, nil)
	c.Job = job.ID
	show(r, c)
	fmt.Fprintf(r, "%s (%s)]\n", strings.TrimSuffix(ending(result), "]"), job.ID)
	fmt.Fprint(r, leftNote(result))
}

// writeOutput writes what a job has printed since the last call.
func (s Shell) writeOutput(job *sandbox.Job, ended bool, r *tool.Reply) {
	text, dropped := job.Read()
	if dropped > 0 {
		fmt.Fprintf(r, "[%d bytes of earlier output are lost: they were not read in time]\n", dropped)
	}
	if !ended {
		rest := text[len(text)-pending(s.Mask, text):]
		job.Unread(rest)
		text = text[:len(text)-len(rest)]
	}
	out := &tail{w: r}
	_, _ = out.Write([]byte(strings.ReplaceAll(string(text), "\r\n", "\n")))
	if out.any {
		out.endLine()
	} else {
		fmt.Fprintln(r, "(no new output)")
	}
}

type jobKillArgs struct {
	Job string `json:"job" minLength:"1"`
}

// Intent is empty: only a job of this session can be stopped.
func (a jobKillArgs) Intent() tool.Intent { return tool.Intent{} }

// JobKill returns the tool that stops a job. Its effect is Reads: it changes nothing but the session's own job.
func (s Shell) JobKill() *tool.Tool {
	t := tool.New("job_kill", "Stop a background job and every process that it started, and get its last output.", tool.Reads, s.jobKill)
	t.Input = t.Input.WithAliases(map[string]string{"id": "job", "job_id": "job", "bash_id": "job", "shell_id": "job"})
	return t
}

func (s Shell) jobKill(_ context.Context, in jobKillArgs, r *tool.Reply) error {
	job, err := s.Jobs.Get(in.Job)
	if err != nil {
		return unknownJob(err)
	}
	job.Stop(killGrace)
	s.writeJob(job, r)
	return nil
}
