package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rein/app/harness"
	"rein/event"
	"rein/model"
	"rein/tool"
)

// runOutput shows what a run does: the answer as data on standard output, the rest for people on standard error.
type runOutput struct {
	format  string
	out     io.Writer
	screen  *plainScreen
	enc     *json.Encoder
	session string
	model   string
	began   time.Time

	text     string // the model's last text, not shown yet
	live     bool   // the model's text goes to standard output as it comes
	streamed bool   // the last answer went there
	turns    int

	structured bool // the last answer is a JSON object
	refused    []refusedCall
}

// refusedCall is a call that was denied, in the form that other harnesses print.
type refusedCall struct {
	Tool   string          `json:"tool_name"`
	ID     string          `json:"tool_use_id"`
	Input  json.RawMessage `json:"tool_input,omitempty"`
	Reason string          `json:"reason"`
}

// output returns the output of a run of a session, which is nil where a server runs it.
func (a *modelFlags) output(cmd *cobra.Command, id string, s *harness.Session) *runOutput {
	o := &runOutput{format: a.format, structured: a.answer != "", session: id, began: time.Now()}
	o.screen = &plainScreen{Out: a.shown(cmd.ErrOrStderr()), Quiet: a.quiet || a.format != "text", Grants: a.verbose, Own: ownWords(), Colour: showsColours(cmd.ErrOrStderr())}
	if s != nil {
		o.screen.Mask = s.Mask()
	}
	o.out = o.screen.Mask.Each(cmd.OutOrStdout())
	o.enc = json.NewEncoder(newJSONWriter(o.out))
	o.enc.SetEscapeHTML(false)
	if out := cmd.OutOrStdout(); a.format == "text" && !a.quiet && a.answer == "" && isTerminal(out) {
		o.live, o.screen.Answers = true, a.shown(out)
	}
	o.screen.Asked = !a.suspend && !a.print && newApprovalTerminal(os.Stdin, os.Stderr).Present()
	return o
}

// show shows one event.
func (o *runOutput) show(e event.Event) error {
	o.count(e)
	o.between(e)
	if e.Kind == event.Stopped {
		e.Text = "" // the answer, or the error that ends the program
	}
	if e.Kind != event.Delta || o.live {
		if err := o.screen.Show(e); err != nil {
			return err
		}
	}
	if o.format == "stream-json" {
		if line := o.line(e); line != nil {
			return o.enc.Encode(line)
		}
	}
	return nil
}

// between shows the model's text between its calls on the screen. Its last text goes to standard output.
func (o *runOutput) between(e event.Event) {
	if e.Parent != "" {
		return
	}
	if o.live {
		o.streamed = e.Kind == event.Delta && e.Text != "" || o.streamed && e.Kind != event.Called
		return
	}
	switch e.Kind {
	case event.Responded:
		o.text = e.Text
	case event.Called:
		if o.text != "" {
			o.screen.Text(o.text + "\n")
			o.text = ""
		}
	}
}

func (o *runOutput) count(e event.Event) {
	switch e.Kind {
	case event.Started:
		if e.Parent == "" {
			o.model = e.Start.Model
		}
	case event.Responded:
		if e.Parent == "" {
			o.turns++
		}
	case event.Replied:
		if r := e.Result; r.Kind == tool.Denied || r.Kind == tool.Unapproved {
			o.refused = append(o.refused, refusedCall{Tool: r.Name, ID: r.ID, Reason: r.Text})
		}
	}
}

// line is an event in the form of stream-json; nil for those that have none. Those of a sub-agent name the call that it serves.
func (o *runOutput) line(e event.Event) map[string]any {
	line := o.lineOf(e)
	if line != nil && e.Parent != "" {
		line["parent_tool_use_id"], line["parent_session_id"] = e.ParentCall, e.Parent
	}
	return line
}

func (o *runOutput) lineOf(e event.Event) map[string]any {
	switch e.Kind {
	case event.Started:
		if e.Parent != "" {
			return nil
		}
		return map[string]any{"type": "system", "subtype": "init", "session_id": e.Session, "model": e.Start.Model,
			"tools": e.Start.Tools, "cwd": e.Start.Dir, "permissionMode": e.Start.Mode, "mcp_servers": []string{}}
	case event.Responded:
		return map[string]any{"type": "assistant", "session_id": e.Session, "message": map[string]any{
			"role": "assistant", "model": o.model, "content": contentOf(e.Message), "usage": usageMap(e.Usage)}}
	case event.Replied:
		return map[string]any{"type": "user", "session_id": e.Session, "message": map[string]any{
			"role": "user", "content": []any{map[string]any{
				"type": "tool_result", "tool_use_id": e.Result.ID, "content": e.Result.Text, "is_error": e.Result.Failed}}}}
	case event.Hooked:
		return map[string]any{"type": "system", "subtype": "hook_response", "session_id": e.Session, "hook_name": e.Hook.Name,
			"hook_event": e.Hook.Event, "outcome": cmp.Or(e.Hook.Decision, "none"), "stderr": e.Hook.Error, "text": strings.TrimSpace(e.Hook.Reason + "\n" + e.Text)}
	case event.SubAgentStarted, event.SubAgentStopped:
		return map[string]any{"type": "system", "subtype": string(e.Kind), "session_id": e.Session, "tool_use_id": e.Call.ID,
			"child_session_id": e.Child, "task": e.SubAgent, "stop_reason": e.Stop}
	case event.Notice:
		return map[string]any{"type": "system", "subtype": "notice", "session_id": e.Session, "text": e.Text}
	}
	return nil
}

// contentOf returns the parts of a message as content blocks.
func contentOf(message json.RawMessage) []any {
	var m model.Message
	if json.Unmarshal(message, &m) != nil {
		return []any{}
	}
	blocks := []any{}
	for _, p := range m.Parts {
		switch p.Kind {
		case model.TextKind:
			blocks = append(blocks, map[string]any{"type": "text", "text": p.Text})
		case model.ThinkingKind:
			blocks = append(blocks, map[string]any{"type": "thinking", "thinking": p.Text})
		case model.CallKind:
			blocks = append(blocks, map[string]any{"type": "tool_use", "id": p.ID, "name": p.Name, "input": inputOf(p.Args)})
		}
	}
	return blocks
}

// inputOf returns arguments as JSON, or as the text that they are when they are broken.
func inputOf(args string) any {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	if args == "" {
		return map[string]any{}
	}
	return args
}

func usageMap(u *event.Usage) map[string]int64 {
	if u == nil {
		u = &event.Usage{}
	}
	return map[string]int64{"input_tokens": u.Input, "output_tokens": u.Output, "cache_read_input_tokens": u.CacheRead}
}

// end shows how the run ended, and returns the error of the process.
func (o *runOutput) end(ctx context.Context, e event.Event, failure error) error {
	err := outcomeError(ctx, e, failure)
	var failed error
	switch o.format {
	case "text":
		failed = o.endText(e)
	default:
		failed = o.enc.Encode(o.result(e, err))
	}
	if failed != nil {
		return failed
	}
	if err != nil && o.format != "text" {
		err = asPrinted(err)
		if failure == nil {
			err = asSeen(err)
		}
	}
	return err
}

func (o *runOutput) endText(e event.Event) error {
	own := o.screen.Own
	if (e.Stop == event.Done || e.Stop == event.Denied || e.Stop == event.Budget && e.Text != "") && !o.streamed {
		if _, err := fmt.Fprintln(o.out, e.Text); err != nil {
			return err
		}
	}
	for i, r := range o.refused {
		if i == 0 {
			fmt.Fprintf(o.screen.Out, "\n%s\n", own.Of("Calls that did not run:"))
		}
		why, _, _ := strings.Cut(r.Reason, "\n") // what follows is advice for the model
		fmt.Fprintf(o.screen.Out, "  %s: %s\n", r.Tool, oneLine(own.Message(why), 160))
	}
	switch e.Stop {
	case event.Budget:
		fmt.Fprintf(o.screen.Out, "\n%s\n", own.Of("Continue with a larger budget:  rein run --resume %s … 'continue'", o.session))
	case event.Waiting:
		fmt.Fprintf(o.screen.Out, "\n%s\n%s\n%s\n", own.Of("The session is suspended until its calls are approved or denied."), own.Of("Answer with:   rein approve %s", o.session), own.Of("Then continue: rein run --resume %s", o.session))
	}
	return nil
}

var subtypes = map[event.Stop]string{
	event.Done: "success", event.Denied: "error_denied", event.MaxTurns: "error_max_turns", event.Budget: "error_max_budget",
	event.Cancelled: "error_cancelled", event.Halted: "error_hook", event.Waiting: "waiting", event.Failed: "error_during_execution",
}

// result is the last line of json and stream-json.
func (o *runOutput) result(e event.Event, err error) map[string]any {
	refused := o.refused
	if refused == nil {
		refused = []refusedCall{}
	}
	line := map[string]any{
		"type": "result", "subtype": subtypes[e.Stop], "is_error": err != nil, "result": e.Text,
		"session_id": o.session, "model": o.model, "num_turns": o.turns, "duration_ms": time.Since(o.began).Milliseconds(),
		"usage": usageMap(e.Usage), "permission_denials": refused, "stop_reason": e.Stop, "exit_code": exitCode(err),
	}
	if o.structured && err == nil {
		line["structured_output"] = json.RawMessage(e.Text)
	}
	return line
}

// outcomeError is the error of a process whose session ended so.
func outcomeError(ctx context.Context, e event.Event, failure error) error {
	switch e.Stop {
	case event.Done:
		return nil
	case event.MaxTurns:
		return withExitCode(exitLimit, errors.New("stopped: the limit of turns is used up (--max-turns)"))
	case event.Budget:
		return withExitCode(exitLimit, errors.New("stopped: the budget is used up (--budget, --max-budget-usd, --max-time, or limits in the settings); to continue, resume the session with a larger one"))
	case event.Denied:
		return withExitCode(exitDenied, asSeen(errors.New("calls did not run because nobody was there to approve them")))
	case event.Waiting:
		return withExitCode(exitWaiting, asSeen(errors.New(e.Text)))
	case event.Halted:
		return fmt.Errorf("stopped: %s", e.Text)
	case event.Cancelled:
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return withExitCode(exitInterrupted, errors.New("cancelled"))
	}
	if m, ok := errors.AsType[*model.Error](failure); ok && (m.Kind == model.Auth || m.Kind == model.Quota) {
		return withExitCode(exitAuth, failure)
	}
	return failure
}
