package command

import (
	"context"
	"time"

	"rein/tool"
)

type jobInputArgs struct {
	Job  string `json:"job" jsonschema:"id of a job that was started with tty" minLength:"1"`
	Text string `json:"text,omitempty" jsonschema:"what to type"`
	Key  string `json:"key,omitempty" jsonschema:"the key to press after the text" enum:"enter,none,tab,escape,up,down,left,right,ctrl-c,ctrl-d,ctrl-z" default:"enter"`
}

// Intent is the text, as a command: what it is typed into may be a shell.
func (a jobInputArgs) Intent() tool.Intent { return tool.Intent{Command: a.Text} }

// keys are what a terminal gets for a key.
func keys() map[string]string {
	return map[string]string{
		"": "\r", "enter": "\r", "none": "", "tab": "\t", "escape": "\x1b", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C",
		"left": "\x1b[D", "ctrl-c": "\x03", "ctrl-d": "\x04", "ctrl-z": "\x1a",
	}
}

// JobInput returns the tool that types into a job's terminal.
func (s Shell) JobInput() *tool.Tool {
	t := tool.New("job_input", "Type into the terminal of a background job that was started with tty, and get what it printed after that. Do not type secrets that the user did not give you for it.", tool.Reads|tool.Writes|tool.Runs, s.jobInput)
	t.Input = t.Input.WithAliases(map[string]string{"id": "job", "job_id": "job", "input": "text"})
	return t
}

func (s Shell) jobInput(ctx context.Context, in jobInputArgs, r *tool.Reply) error {
	job, err := s.Jobs.Get(in.Job)
	if err != nil {
		return &tool.Error{Kind: tool.NotFound, Text: err.Error()}
	}
	if err := job.Type(in.Text + keys()[in.Key]); err != nil {
		return &tool.Error{Kind: tool.Failed, Text: err.Error()}
	}
	job.Await(ctx, nil, 2*time.Second)
	s.tellJob(job, r)
	return nil
}
