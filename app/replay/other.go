package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/model"
	"rein/schema"
	"rein/tool"
	"rein/toolcall"
)

// New says what happens to a call that the record does not have.
type New string

// What may happen to it.
const (
	RefuseNew New = "refuse" // it fails, and a model that is not recorded is not asked
	RunNew    New = "run"    // it runs in the copy of the workspace, with the checks of every call
	AskNew    New = "ask"    // the same, after a person approved it
)

// Other repeats a run in which something is other: the model, the rules, the mode, the first message. It works in a copy of the workspace.
// The model's answers are those of the record as long as the conversation is the same. A call that is the same, after the same changes,
// has its recorded result; file tools work on the copy. Its methods may be called at once.
type Other struct {
	Record *Run
	Copy   string                                     // the copy of Record.Dir
	New    New                                        // what happens to calls that the record does not have
	Live   func() (model.Model, error)                // the model that is asked where the record has no answer
	Effect func(ctx context.Context, id string) error // gives the copy what a recorded call did to files

	once    sync.Once
	mu      sync.Mutex
	runs    []*Run         // the record and its sub-agents
	calls   []*Call        // all of them, in their order
	of      map[*Call]*Run // whose they are
	used    map[*Call]bool
	apart   bool              // the copy is not as the workspace was: recorded results of programs do not count
	taken   map[string]*Call  // recorded calls by the ids of the calls that are the same
	given   map[string]string // texts of recorded results, by the ids of the calls that get them
	fresh   int               // calls that the record does not have
	nowhere bool              // the record had no answer, and no model was asked
}

// onCopy are the tools that work on files of the copy or on nothing: they run as they are.
var onCopy = strings.Fields("read_file list_dir glob grep view_image write_file edit_file insert notebook_edit apply_patch undo_edit todo present_plan ask_user tool_search recall program calculate request_access")

// inCopy are the tools that may run in the copy when the record does not have the call. All others would reach what is not copied.
var inCopy = strings.Fields("bash run_code job_output job_input job_kill web_fetch web_search git_status git_diff git_log git_show git_blame")

func (o *Other) prepare() {
	o.once.Do(func() {
		o.used, o.taken, o.given, o.of = map[*Call]bool{}, map[string]*Call{}, map[string]string{}, map[*Call]*Run{}
		var walk func(r *Run)
		walk = func(r *Run) {
			o.runs = append(o.runs, r)
			for _, s := range r.Steps {
				if s.Call != nil {
					o.calls, o.of[s.Call] = append(o.calls, s.Call), r
					for _, a := range s.Call.Agents {
						walk(a)
					}
				}
			}
		}
		walk(o.Record)
	})
}

// there is a text of the record in which the copy has the place of the workspace; here is the way back.
func (o *Other) there(text string) string {
	if len(o.Record.Dir) < 2 {
		return text
	}
	return strings.ReplaceAll(text, o.Record.Dir, o.Copy)
}

func (o *Other) key(name string, args json.RawMessage) string {
	return name + " " + (&Run{Dir: o.Copy}).short(canonical(args))
}

// recorded returns the recorded call that a call is, and takes it.
func (o *Other) recorded(id, name string, args json.RawMessage) *Call {
	o.prepare()
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.taken[id]; c != nil {
		return c
	}
	if c := o.find(name, args); c != nil {
		o.used[c], o.taken[id] = true, c
		// A change that came before it in the record and has not come here: the files are others.
		o.apart = o.apart || slices.ContainsFunc(o.calls, func(b *Call) bool {
			return !o.used[b] && len(b.changed) > 0 && o.of[b] == o.of[c] && b.turn < c.turn
		})
		return c
	}
	o.fresh++
	return nil
}

// has returns the recorded call that a call is, without taking it.
func (o *Other) has(name string, args json.RawMessage) *Call {
	o.prepare()
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.find(name, args)
}

// find finds the first recorded call that has not come yet.
func (o *Other) find(name string, args json.RawMessage) *Call {
	key := o.key(name, args)
	i := slices.IndexFunc(o.calls, func(c *Call) bool { return !o.used[c] && o.Record.key(c) == key })
	if i < 0 {
		return nil
	}
	return o.calls[i]
}

// Tool returns what the repeated run has instead of a tool.
func (o *Other) Tool(t *tool.Tool) *tool.Tool {
	own := *t
	own.Run = func(ctx context.Context, args json.RawMessage, r *tool.Reply) error {
		files := slices.Contains(onCopy, t.Name)
		c := o.recorded(r.Call(), t.Name, args)
		switch {
		case c != nil && files && (c.Decision == Allowed || c.Decision == Approved):
			return t.Run(ctx, args, r)
		case c != nil && c.Result != nil && !o.isApart() && (c.Decision == Allowed || c.Decision == Approved):
			return o.again(ctx, c, r)
		case o.New == RefuseNew:
			return &tool.Error{Kind: tool.Unsupported, Text: "Not run: the recorded session did not make this call, or not after these changes."}
		case files, slices.Contains(inCopy, t.Name):
			if t.Effect&^tool.Reads != 0 {
				o.left()
			}
			return t.Run(ctx, args, r)
		}
		return &tool.Error{Kind: tool.Unsupported, Text: "Not run: the recorded session did not make this call, and it would reach more than the copy of the workspace."}
	}
	return &own
}

// Missing returns tools for the recorded calls of tools that a session in the copy does not have, such as those of tool servers. known has the
// names of the others.
func (o *Other) Missing(known []string) (all []*tool.Tool, err error) {
	o.prepare()
	input, err := schema.Parse(json.RawMessage(`{"type":"object"}`))
	if err != nil {
		return nil, err
	}
	for _, c := range o.calls {
		if !strings.HasPrefix(c.Name, "mcp__") || slices.Contains(known, c.Name) || c.Decision == Invalid {
			continue
		}
		known = append(known, c.Name)
		all = append(all, &tool.Tool{Name: c.Name, Description: "A tool of a server, as it was recorded.", Input: input, Effect: tool.Runs | tool.Reaches})
	}
	return all, nil
}

func (o *Other) isApart() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.apart
}

// left notes that the copy is not as the workspace was.
func (o *Other) left() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.apart = true
}

// again gives a call its recorded result, and the copy what the call did.
func (o *Other) again(ctx context.Context, c *Call, r *tool.Reply) error {
	if o.Effect != nil {
		if err := o.Effect(ctx, c.ID); err != nil {
			return err
		}
	}
	o.mu.Lock()
	o.given[r.Call()] = o.there(c.Result.Text)
	o.mu.Unlock()
	for _, p := range c.Result.Parts {
		if err := r.Attach(p); err != nil {
			return err
		}
	}
	if len(c.Result.Detail) > 0 {
		r.Show(json.RawMessage(o.there(string(c.Result.Detail))))
	}
	if c.Result.Failed {
		return &tool.Error{Kind: c.Result.Kind, Text: "recorded"}
	}
	return nil
}

// Hooks give calls the text of their recorded results.
func (o *Other) Hooks() []hook.Hook {
	text := func(_ context.Context, in hook.Input) (out hook.Output, err error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if text, ok := o.given[in.Call]; ok {
			out.Result = &text
		}
		return out, nil
	}
	return []hook.Hook{{Name: "record", Event: hook.PostToolUse, Run: text}, {Name: "record", Event: hook.PostToolUseFailure, Run: text}}
}

// Guard asks a person about each call that the record does not have, where that is wanted.
func (o *Other) Guard() guard.Guard {
	return guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		if o.New != AskNew || o.has(c.Call.Name, c.Call.Args) != nil {
			return guard.Verdict{}
		}
		return guard.Verdict{Decision: guard.Ask, Severity: guard.Medium, Guard: "record", Rules: []string{"record.new"}, PersonOnly: true, Reason: "the recorded session did not make this call"}
	})
}

// Answer returns the answer that somebody gave to a call of the record, if somebody did.
func (o *Other) Answer(name string, args json.RawMessage) (guard.Answer, bool) {
	c := o.has(name, args)
	if c == nil || c.answer == nil || c.Decision != Approved && c.Decision != Refused {
		return guard.Answer{}, false
	}
	answer := toolcall.AnswerOf(c.answer)
	answer.Scope = "" // this call only
	return answer, true
}

// Fresh returns how many calls the record did not have, and whether the run ended because the record had no answer.
func (o *Other) Fresh() (calls int, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.fresh, o.nowhere
}

// Info implements model.Model.
func (o *Other) Info() model.Info { return infoOf(o.Record.Model) }

// Stream implements model.Model: the recorded answer while the conversation is that of the record, then the model itself.
func (o *Other) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	o.prepare()
	if m := o.answer(r); m != nil {
		return func(yield func(model.Chunk, error) bool) {
			done := model.Chunk{Kind: model.Done, Message: m, Stop: model.StopEnd}
			if len(m.Calls()) > 0 {
				done.Stop = model.StopCalls
			}
			if yield(model.Chunk{Kind: model.TextChunk, Text: m.Text()}, nil) {
				yield(done, nil)
			}
		}
	}
	var live model.Model
	err := fmt.Errorf("the record has no answer here: the conversation is another one")
	if o.New != RefuseNew && o.Live != nil {
		live, err = o.Live()
	}
	if err != nil {
		o.mu.Lock()
		o.nowhere = true
		o.mu.Unlock()
		return func(yield func(model.Chunk, error) bool) {
			yield(model.Chunk{}, &model.Error{Provider: "record", Kind: model.NotFound, Text: err.Error()})
		}
	}
	return live.Stream(ctx, r)
}

// answer finds the recorded answer to a request; nil: there is none.
func (o *Other) answer(r *model.Request) *model.Message {
	if len(r.Messages) == 0 {
		return nil
	}
	at := slices.IndexFunc(o.runs, func(run *Run) bool {
		return len(run.Steps) > 0 && slices.ContainsFunc(run.Steps, func(s *Step) bool { return s.Kind == UserStep }) && o.there(first(run)) == r.Messages[0].Text()
	})
	if at < 0 {
		return nil
	}
	left := 0
	for _, m := range r.Messages {
		if m.Role == model.Assistant {
			left++
		}
	}
	if !o.sameResults(o.runs[at], r.Messages) {
		return nil
	}
	for _, s := range o.runs[at].Steps {
		if s.Kind != ModelStep || s.stop == event.Cancelled {
			continue
		}
		if left--; left < 0 {
			m := new(model.Message)
			if json.Unmarshal(bytes.ReplaceAll(s.message, []byte(o.Record.Dir), []byte(o.Copy)), m) != nil {
				return nil
			}
			return m
		}
	}
	return nil
}

// first is the text of the first message of the user.
func first(r *Run) string {
	for _, s := range r.Steps {
		if s.Kind == UserStep {
			return s.Text
		}
	}
	return ""
}

// sameResults reports whether all results of a conversation are those of the record.
func (o *Other) sameResults(run *Run, messages []*model.Message) bool {
	texts := map[string]string{}
	for _, s := range run.Steps {
		if s.Call != nil && s.Call.Result != nil {
			texts[s.Call.ID] = o.there(s.Call.Result.Text)
		}
	}
	for _, m := range messages {
		for _, p := range m.Parts {
			if want, ok := texts[p.ID]; p.Kind == model.ResultKind && (!ok || want != p.Text) {
				return false
			}
		}
	}
	return true
}
