package command

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"rein/sandbox"
	"rein/tool"
)

const (
	// firstLook is how long a job is watched before the model is told that it runs: what fails at once is told at once.
	firstLook = 400 * time.Millisecond
	// longestWait is the most that job_output waits.
	longestWait = 300 * time.Second
	killGrace   = 2 * time.Second
)

// jobTools are the tools for jobs, where there are any.
func (s Shell) jobTools() []*tool.Tool {
	if s.Jobs == nil {
		return nil
	}
	return []*tool.Tool{s.JobOutput(), s.JobInput(), s.JobKill()}
}

// runJob runs a command as a job: in the background from the start, or when it takes too long.
func (s Shell) runJob(ctx context.Context, in jobArgs, r *tool.Reply) error {
	seen := &lastByte{w: r}
	live := &careful{w: seen, mask: s.Mask}
	job, err := s.Jobs.Start(ctx, s.box(), s.spec(in.Command, r.Call()), sandbox.JobOptions{Command: in.Command, Terminal: in.TTY, Live: live})
	if err != nil {
		return notStarted(err)
	}
	wait, up := s.patience(in)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-job.Done():
	case <-ctx.Done():
		job.Stop(0)
	case <-timer.C:
		if !up {
			job.Detach(live.take)
			seen.endLine()
			fmt.Fprintf(r, "[running in the background as %s since %s]\n", job.ID, brief(time.Since(job.Started)))
			s.tellPrompt(job, r)
			r.Show(jobDetail{Job: job.ID, Running: true})
			return nil
		}
		job.Stop(killGrace)
	}
	result, err := job.Result()
	_, _ = seen.Write(live.take())
	s.Jobs.Forget(job)
	if err != nil {
		return notStarted(err)
	}
	result.TimedOut = up && time.Since(job.Started) >= wait && ctx.Err() == nil && result.Signal != 0
	return s.tell(in.bashArgs, result, seen, r)
}

// patience is how long a command is waited for, and whether its time is then up; else it goes to the background.
func (s Shell) patience(in jobArgs) (wait time.Duration, up bool) {
	background := s.background()
	switch {
	case in.Background || in.TTY:
		return firstLook, false
	case background > 0 && in.timeout() > background:
		return background, false
	}
	return in.timeout(), true
}

// jobDetail is what the screen gets.
type jobDetail struct {
	Job     string `json:"job"`
	Running bool   `json:"running"`
}

// tellPrompt tells the model that a job seems to wait for an answer.
func (s Shell) tellPrompt(job *sandbox.Job, r *tool.Reply) {
	if line, asks := job.Prompt(); asks {
		fmt.Fprintf(r, "[it seems to wait for an answer to: %s]\n[answer with job_input, or end it with job_kill; a password is the user's to give]\n", line)
	}
}

type jobOutputArgs struct {
	Job   string `json:"job" jsonschema:"id of the job" minLength:"1"`
	Wait  int    `json:"wait,omitempty" jsonschema:"seconds to wait for the end of the job, or for until" minimum:"0" maximum:"300" default:"0"`
	Until string `json:"until,omitempty" jsonschema:"regular expression (RE2): wait at most 30 s, or wait, for output that matches"`
}

// Intent is nothing: the job was judged when it was started.
func (a jobOutputArgs) Intent() tool.Intent { return tool.Intent{} }

// JobOutput returns the tool that reads what a job has printed since the last time.
func (s Shell) JobOutput() *tool.Tool {
	t := tool.New("job_output", "Get the new output of a background job: what it printed since the last call, and whether it still runs. Can wait for its end, or until its output matches a pattern. Without a job's id in mind, any wrong one gets the list.", tool.Reads, s.jobOutput)
	t.Input = t.Input.WithAliases(map[string]string{"id": "job", "job_id": "job", "bash_id": "job", "pattern": "until", "timeout": "wait"})
	t.Timeout = longestWait + 20*time.Second
	return t
}

func (s Shell) jobOutput(ctx context.Context, in jobOutputArgs, r *tool.Reply) error {
	job, err := s.Jobs.Get(in.Job)
	if err != nil {
		return &tool.Error{Kind: tool.NotFound, Text: err.Error()}
	}
	var until *regexp.Regexp
	wait := time.Duration(in.Wait) * time.Second
	if in.Until != "" {
		if until, err = regexp.Compile(in.Until); err != nil {
			return &tool.Error{Kind: tool.BadArguments, Text: "until: " + err.Error()}
		}
		if wait == 0 {
			wait = 30 * time.Second
		}
	}
	matched := wait > 0 && job.Await(ctx, until, min(wait, longestWait))
	s.tellJob(job, r)
	if until != nil && !matched && !job.Ended() {
		fmt.Fprintf(r, "[no match of %q within %s]\n", in.Until, brief(wait))
	}
	return nil
}

// tellJob writes what is new about a job.
func (s Shell) tellJob(job *sandbox.Job, r *tool.Reply) {
	ended := job.Ended() // before reading: what came until then is complete
	text, dropped := job.Read()
	if dropped > 0 {
		fmt.Fprintf(r, "[%d bytes of output before this were not read in time and are lost]\n", dropped)
	}
	if !ended {
		rest := text[len(text)-pending(s.Mask, text):]
		job.Unread(rest)
		text = text[:len(text)-len(rest)]
	}
	seen := &lastByte{w: r}
	_, _ = seen.Write([]byte(strings.ReplaceAll(string(text), "\r\n", "\n")))
	if seen.any {
		seen.endLine()
	} else {
		fmt.Fprintln(r, "(no new output)")
	}
	r.Show(jobDetail{Job: job.ID, Running: !ended})
	if !ended {
		fmt.Fprintf(r, "[%s runs since %s]\n", job.ID, brief(time.Since(job.Started)))
		s.tellPrompt(job, r)
		return
	}
	result, err := job.Result()
	if err != nil {
		fmt.Fprintf(r, "[%s is lost: %v]\n", job.ID, err)
		return
	}
	fmt.Fprintf(r, "%s %s]\n", strings.TrimSuffix(ending(result), "]"), "("+job.ID+")")
}

type jobKillArgs struct {
	Job string `json:"job" jsonschema:"id of the job" minLength:"1"`
}

// Intent is nothing: what is ended is the session's own.
func (a jobKillArgs) Intent() tool.Intent { return tool.Intent{} }

// JobKill returns the tool that ends a job.
func (s Shell) JobKill() *tool.Tool {
	t := tool.New("job_kill", "End a background job and everything it started, and get its last output.", tool.Reads, s.jobKill)
	t.Input = t.Input.WithAliases(map[string]string{"id": "job", "job_id": "job", "bash_id": "job", "shell_id": "job"})
	return t
}

func (s Shell) jobKill(_ context.Context, in jobKillArgs, r *tool.Reply) error {
	job, err := s.Jobs.Get(in.Job)
	if err != nil {
		return &tool.Error{Kind: tool.NotFound, Text: err.Error()}
	}
	job.Stop(killGrace)
	s.tellJob(job, r)
	return nil
}
