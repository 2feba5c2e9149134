package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

// ProgramLimits bound one program. A zero field means its default.
type ProgramLimits struct {
	Steps  int64         // of the interpreter; 10 million, about 0.1 s
	Calls  int           // of tools; 500
	Memory int64         // bytes of the process; 256 MiB
	Time   time.Duration // of the program itself, without the time of its calls; 60 s
}

func (l ProgramLimits) withDefaults() ProgramLimits {
	if l.Steps <= 0 {
		l.Steps = 10_000_000
	}
	if l.Calls <= 0 {
		l.Calls = 500
	}
	if l.Memory <= 0 {
		l.Memory = 256 << 20
	}
	if l.Time <= 0 {
		l.Time = time.Minute
	}
	return l
}

// Program is the tool's setting.
type Program struct {
	Box    sandbox.Sandbox // where the interpreter runs; nil is sandbox.None
	Limits ProgramLimits
	// Interpreter is the program and the arguments that run InterpreterMain. Nil: this program with InterpreterArgument.
	Interpreter []string
}

const (
	mostProgramCode = 64 << 10  // bytes
	mostText        = 24 << 10  // bytes of what is printed that the model gets
	longest         = time.Hour // of a call: approvals may take long
)

type runProgramArgs struct {
	Code string `json:"code" minLength:"1" maxLength:"65536"`
}

// Intent is empty: the calls of the program are judged and ordered by themselves.
func (runProgramArgs) Intent() tool.Intent { return tool.Intent{} }

const programDescription = `Run a program that calls tools: many reads, searches and edits in one call. Only what it prints comes back.
The language is Starlark (looks like Python: def, for, while, if, list, dict, set, comprehensions; no import, try, class, f-strings, recursion; "%s" % x).
Every other tool is a function with the same arguments: r = read_file(path="a.go"). Required arguments may be given by position. The result has r.ok, r.text (as you would see it), r.kind (why it failed), r.notes, r.detail (a dict or None). must(r) ends the program when the call failed; failed calls are reported at the end.
parallel([("grep", {"pattern": "x"}), ("glob", {"pattern": "*.go"})]) runs calls at once; results are in order. call("tool-name", {…}) is for other names.
read_file numbers its lines: replace_all(r"(?m)^ *\d+\t", "", r.text) gives the text alone.
Also there: find_all(regex, text), replace_all(regex, with, text), lines(text), sum, json.encode, json.decode, struct, fail.
Each call is checked as if you had sent it. No file, network or clock but through tools.`

// Tool returns the tool that runs a program of the model: every tool of the session is a function in it. Each call takes the
// whole pipeline; the results stay in the program, and what it prints is the answer. The program runs in a process of its own,
// because one line can use all memory.
func (p Program) Tool() *tool.Tool {
	t := tool.New("program", programDescription, 0, p.run)
	t.Input = t.Input.WithAliases(map[string]string{"program": "code", "script": "code", "source": "code"})
	t.Timeout, t.Output, t.Nests = longest, mostText, true
	return t
}

func (p Program) run(ctx context.Context, in runProgramArgs, r *tool.Reply) error {
	if len(in.Code) > mostProgramCode {
		return &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("The program has %d bytes, at most %d.", len(in.Code), mostProgramCode)}
	}
	l := p.Limits.withDefaults()
	child, err := p.start(ctx, l)
	if err != nil {
		return &tool.Error{Text: "The interpreter was not started: " + err.Error()}
	}
	defer child.Kill()
	s := &session{limits: l, process: child, reply: r, frames: make(chan interpreterFrame), over: make(chan struct{})}
	defer close(s.over)
	if err := sendFrame(child.In, interpreterFrame{Start: &interpreterStart{Code: in.Code, Steps: uint64(l.Steps), Memory: l.Memory}}); err != nil {
		return s.died(err)
	}
	go s.receive()
	return s.serve(ctx)
}

// start starts the interpreter in the sandbox. It needs no file but its own program.
func (p Program) start(ctx context.Context, l ProgramLimits) (*sandbox.Piped, error) {
	argv, box := p.Interpreter, p.Box
	if box == nil {
		box = sandbox.None{}
	}
	var opened sandbox.Opened
	if argv == nil {
		self, err := os.Executable()
		if err == nil {
			self, err = filepath.EvalSymlinks(self)
		}
		if err != nil {
			return nil, err
		}
		argv, opened.Read = []string{self, InterpreterArgument}, []string{self}
	}
	// The process watches its own memory; the sandbox's limit is for what it does not see.
	limits := sandbox.Limits{Memory: l.Memory + 256<<20, FileSize: 1, Processes: 64}
	return sandbox.StartPiped(ctx, box, sandbox.Spec{Argv: argv, Env: []string{"GOMAXPROCS=2", "GOTRACEBACK=none"}, Opened: opened, ReadOnly: true, Limits: limits})
}

// session is one program while it runs.
type session struct {
	limits  ProgramLimits
	process *sandbox.Piped
	reply   *tool.Reply
	frames  chan interpreterFrame // closed at the end of the stream
	over    chan struct{}         // closed when nobody reads frames any more
	readErr error                 // why the stream ended
	calls   int
	failed  []string // what is said of the calls that failed, the first mostFailed
	failing int      // how many failed
}

// The bounds of what is said of calls that failed.
const (
	mostFailed      = 10
	mostFailedBytes = 300 // of one
)

// receive reads the frames of the program.
func (s *session) receive() {
	defer close(s.frames)
	for {
		f, err := receiveFrame(s.process.Out)
		if err != nil {
			s.readErr = err
			return
		}
		select {
		case s.frames <- f:
		case <-s.over:
			return
		}
	}
}

// serve answers the program until it ends.
func (s *session) serve(ctx context.Context) error {
	left := s.limits.Time
	for {
		began := time.Now()
		timer := time.NewTimer(left)
		var f interpreterFrame
		var open bool
		select {
		case f, open = <-s.frames:
			timer.Stop()
		case <-timer.C:
			return s.ended(&tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("The program was stopped: it computed for more than %v.", s.limits.Time), Hint: "Do less in one program."})
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		left -= time.Since(began)
		switch {
		case !open:
			return s.died(s.readErr)
		case f.Print != "":
			_, _ = s.reply.WriteString(f.Print)
		case f.Name != "":
			if err := sendFrame(s.process.In, interpreterFrame{Tool: s.tool(f.Name)}); err != nil {
				return s.died(err)
			}
		case f.Calls != nil:
			results, err := s.run(ctx, f.Calls)
			if err != nil {
				return err
			}
			if err := sendFrame(s.process.In, interpreterFrame{Results: results}); err != nil {
				return s.died(err)
			}
		case f.Done != nil:
			return s.done(*f.Done)
		}
	}
}

// tool says whether the program can call a tool of that name.
func (s *session) tool(name string) *interpreterTool {
	t := s.reply.Tools().Get(name)
	if t == nil {
		return &interpreterTool{}
	}
	var shape struct{ Required []string }
	_ = json.Unmarshal(t.Input.Raw(), &shape) // a schema is a JSON object
	return &interpreterTool{Known: true, Required: shape.Required}
}

// run runs calls of the program.
func (s *session) run(ctx context.Context, calls []interpreterCall) ([]interpreterResult, error) {
	if s.calls += len(calls); s.calls > s.limits.Calls {
		return nil, s.ended(&tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("The program was stopped: it made more than %d calls.", s.limits.Calls), Hint: "Do less in one program."})
	}
	all := make([]tool.Call, len(calls))
	for i, c := range calls {
		all[i] = tool.Call{Name: c.Name, Args: c.Args}
	}
	ran, err := s.reply.Run(ctx, all)
	if err != nil {
		return nil, err
	}
	results := make([]interpreterResult, len(ran))
	for i, r := range ran {
		if r.Failed {
			s.fails(all[i], r)
		}
		results[i] = interpreterResult{OK: !r.Failed, Text: r.Text, Kind: string(r.Kind), Notes: r.Notes, Detail: r.Detail}
		for _, part := range r.Parts {
			_ = s.reply.Attach(part) // an image is for the model, not for the program
		}
	}
	return results, nil
}

// done is the result of a program that has ended.
func (s *session) done(d interpreterDone) error {
	switch {
	case d.Limit == "steps":
		return s.ended(&tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("The program was stopped: more than %d steps.", s.limits.Steps), Hint: "A loop may not end, or it does too much."})
	case d.Limit == "output":
		return s.ended(&tool.Error{Kind: tool.TooLarge, Text: "The program was stopped: it printed more than 4 MiB.", Hint: "Print only what you need."})
	case d.Limit != "":
		return s.ended(s.memory())
	case d.Error != "":
		return s.ended(&tool.Error{Kind: tool.Failed, Text: d.Error})
	}
	return s.ended(nil)
}

func (s *session) memory() error {
	return &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("The program was stopped: it used more than %d MiB.", s.limits.Memory>>20), Hint: "Keep less in lists and texts."}
}

// died is the error of an interpreter that ended without a word.
func (s *session) died(err error) error {
	select {
	case <-s.process.Done():
		if exit, _ := s.process.Wait(); exit.Limit != "" || exit.Signal != 0 {
			return s.ended(s.memory())
		}
	case <-time.After(time.Second):
	}
	return s.ended(&tool.Error{Text: fmt.Sprintf("The interpreter ended: %v. %s", err, s.process.Errors())})
}

// fails keeps a call that failed for the answer: a program may not look at r.ok.
func (s *session) fails(c tool.Call, r tool.Result) {
	if s.failing++; s.failing <= mostFailed {
		reason, _, _ := strings.Cut(strings.TrimPrefix(r.Text, "Error: "), "\n")
		s.failed = append(s.failed, fmt.Sprintf("[failed: %s %s: %s]", c.Name, tool.ShortLine(string(c.Args), mostFailedBytes), tool.ShortLine(reason, mostFailedBytes)))
	}
}

// ended adds what the program did to its answer.
func (s *session) ended(err error) error {
	for _, text := range s.failed {
		fmt.Fprintln(s.reply, text)
	}
	if more := s.failing - len(s.failed); more > 0 {
		fmt.Fprintf(s.reply, "[failed, more calls: %d]\n", more)
	}
	if s.calls > 0 {
		s.reply.Note(fmt.Sprintf("calls of tools: %d", s.calls))
	}
	if e, ok := errors.AsType[*tool.Error](err); ok && s.calls > 0 {
		e.Hint = joined(e.Hint, "The calls before that were made: do not repeat what they changed.")
	}
	return err
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}
