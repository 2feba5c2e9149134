package command

import (
	"context"
	"strings"
	"time"

	"rein/tool"
)

type jobInputArgs struct {
	Job  string `json:"job" minLength:"1"`
	Text string `json:"text,omitempty"`
	Key  string `json:"key,omitempty" jsonschema:"key to press after the text" enum:"enter,none,tab,escape,up,down,left,right,ctrl-c,ctrl-d,ctrl-z" default:"enter"`
}

// keys are the bytes that a terminal receives for a key.
func keys() map[string]string {
	return map[string]string{
		"": "\r", "enter": "\r", "none": "", "tab": "\t", "escape": "\x1b", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C",
		"left": "\x1b[D", "ctrl-c": "\x03", "ctrl-d": "\x04", "ctrl-z": "\x1a",
	}
}

// JobInput returns the tool that types into the terminal of a job.
//
// The program that reads the text may be a shell. So a call is judged as the whole line that it completes, together with what
// earlier calls typed, and with the lines that changed the shell's directory or variables. Lines for a program that is not a shell
// are judged as the input of the program, with all lines before. Keys that edit the line, and lines for a program of which it is
// not known what it does with them, need an approval.
func (s Shell) JobInput() *tool.Tool {
	lines := &typed{}
	t := tool.New("job_input", "Type into the terminal of a background job that was started with tty, and get the output that follows. Do not type a secret unless the user gave it to you for this.", tool.Reads|tool.Writes|tool.Runs,
		func(ctx context.Context, in jobInputArgs, r *tool.Reply) error { return s.jobInput(ctx, lines, in, r) })
	t.Intent = tool.IntentBy(func(in jobInputArgs) (tool.Intent, error) {
		return tool.Intent{Command: lines.judge(in, s.begun(in.Job))}, nil
	})
	t.Input = t.Input.WithAliases(map[string]string{"id": "job", "job_id": "job", "input": "text"})
	return t
}

func (s Shell) jobInput(ctx context.Context, lines *typed, in jobInputArgs, r *tool.Reply) error {
	job, err := s.Jobs.Get(in.Job)
	if err != nil {
		return unknownJob(err)
	}
	if strings.ContainsFunc(in.Text, edits) {
		return &tool.Error{Kind: tool.BadArguments, Text: "text contains a control character.", Hint: "Send plain text, and use key for a special key."}
	}
	if !lines.begin(in, begunBy(job.Command)) {
		return &tool.Error{Kind: tool.Failed, Text: "The line in the terminal has changed since this call was judged.", Hint: "Send one call at a time."}
	}
	if err := job.Type(in.Text + keys()[in.Key]); err != nil {
		return &tool.Error{Kind: tool.Failed, Text: err.Error()}
	}
	job.Await(ctx, nil, 2*time.Second)
	s.writeJob(job, r)
	return nil
}

// begun is the line of a job before anything is typed, as far as is known now. A job that does not exist yet is compared again
// before anything is typed.
func (s Shell) begun(id string) typedLine {
	if s.Jobs == nil {
		return typedLine{}
	}
	job, err := s.Jobs.Get(id)
	if err != nil {
		return typedLine{}
	}
	return begunBy(job.Command)
}

// begunBy is the line of a program. That of one of which it is not known what it does with lines cannot be followed.
func begunBy(command string) typedLine {
	if isPlainShell(command) {
		return typedLine{}
	}
	program := takesInput(command)
	return typedLine{program: program, lost: program == ""}
}

// edits reports a character that would edit the line in the terminal: the program would get another text than the one
// that was judged.
func edits(c rune) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f }
