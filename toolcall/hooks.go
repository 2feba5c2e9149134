package toolcall

import (
	"fmt"
	"strings"
	"sync"

	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/tool"
)

// Halted is the error of a turn that a hook or a guard ended. All calls of the turn have a result.
type Halted struct {
	Reason string // in the words of the hook or the guard
}

// Error returns the reason.
func (h *Halted) Error() string { return "the turn was ended: " + h.Reason }

// before runs the hooks that see calls before they are judged, for all calls of the turn at once. A call whose arguments a hook
// changed is decoded and validated again; where that fails it gets its result and leaves a nil.
func (t *turn) before() {
	if !t.Hooks.Has(hook.PreToolUse) {
		return
	}
	var all sync.WaitGroup
	for i, v := range t.understood {
		if v != nil {
			all.Go(func() { t.understood[i] = t.beforeOne(v) })
		}
	}
	all.Wait()
}

func (t *turn) beforeOne(v *valid) *valid {
	o := t.runHooks(hook.PreToolUse, v.call, hook.Input{})
	if err := t.ended(); err != nil { // the hooks too
		t.results[v.index] = refusal(v.call, err)
		return nil
	}
	if o.Halt != "" {
		o.Decision, o.Reason, o.Args = hook.Deny, o.Halt, nil
	}
	if len(o.Args) == 0 || t.stored || o.Decision == hook.Deny {
		v.hooks = o
		return v
	}
	call := v.call
	call.Args = o.Args
	changed, err := t.one(nil, v.index, call)
	if err != nil {
		e := asError(err)
		t.results[v.index] = refusal(v.call, &tool.Error{Kind: tool.Denied, Text: fmt.Sprintf("Not run: the hook %q changed the arguments, and the tool does not take them: %s", o.Changed, e.Text)})
		return nil
	}
	changed.changed = shownArgs(changed.call.Args)
	changed.notes = append(append(v.notes, changed.notes...), "a hook of the user changed the arguments to "+changed.changed)
	changed.hooks = o
	return changed
}

// mostShownArgs is how many bytes of arguments that a hook changed the model sees.
const mostShownArgs = 2000

// shownArgs are changed arguments as the model reads them: what was escaped for HTML only is as it was written.
func shownArgs(args []byte) string {
	return clip(strings.NewReplacer(`\\`, `\\`, `\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(string(args)), mostShownArgs)
}

// byHooks is the verdict of the hooks that saw the call.
func (t *turn) byHooks(v *valid) guard.Verdict {
	verdict := guard.Verdict{Guard: "hook", Reason: v.hooks.Reason}
	if t.halted() != "" {
		v.hooks.Decision, verdict.Reason = hook.Deny, (&Halted{t.halted()}).Error()
	}
	switch v.hooks.Decision {
	case hook.Deny:
		verdict.Decision, verdict.Severity, verdict.Rules = guard.Deny, guard.Medium, []string{"hook.deny"}
	case hook.Ask:
		verdict.Decision, verdict.Severity, verdict.Rules, verdict.PersonOnly = guard.Ask, guard.Medium, []string{"hook.ask"}, true
	default:
		return guard.Verdict{}
	}
	if verdict.Reason == "" {
		verdict.Reason = fmt.Sprintf("the hook %q decided it", v.hooks.By)
	}
	return verdict
}

// answerOfHooks is the approval of the hooks, where they may give one and the verdict lets others than a person answer.
func answerOfHooks(j *judged) (guard.Answer, bool) {
	if !j.hooks.Approves || j.verdict.PersonOnly || j.intent.Questions != nil {
		return guard.Answer{}, false
	}
	return guard.Answer{Choice: guard.Approved, By: guard.ByHook(j.hooks.By), Words: j.hooks.Reason}, true
}

// after runs the hooks that see calls when they have run, and returns the result with what they add.
func (t *turn) after(g *granted, r tool.Result) tool.Result {
	words := g.hooks.Context
	at := hook.PostToolUse
	if r.Failed {
		at = hook.PostToolUseFailure
	}
	if t.Hooks.Has(at) && t.ctx.Err() == nil {
		o := t.runHooks(at, g.call, hook.Input{Text: r.Text, Duration: r.Duration})
		if o.Result != nil {
			r.Text = t.Mask.String(clip(*o.Result, t.limits.Output))
		}
		if o.Decision == hook.Deny {
			words = joinLines(words, o.Reason)
		}
		if o.Context != "" {
			words = joinLines(words, o.Context)
		}
	}
	if words != "" {
		r.Text += "\n[from a hook of the user: " + t.Mask.String(clip(words, t.limits.Output)) + "]"
	}
	return r
}

// runHooks runs the hooks of an event about a call. What had an effect is recorded.
func (t *turn) runHooks(at hook.Event, call tool.Call, in hook.Input) hook.Outcome {
	in.Event, in.Session, in.Dir, in.Mode = at, t.session.root(), t.Root, t.Mode.String()
	if t.session.root() != t.session.ID {
		in.Agent, in.AgentType = t.session.ID, t.session.Type
	}
	in.Tool, in.Call, in.Args = call.Name, call.ID, call.Args
	o := t.Hooks.Run(t.ctx, in)
	t.mu.Lock()
	t.hooked = append(t.hooked, Hooked(o, ref(call), t.Mask)...)
	t.mu.Unlock()
	if o.Halt != "" {
		t.end(o.Halt)
	}
	if at != hook.PreToolUse { // those before a call are recorded after the call
		t.recordHooked()
	}
	return o
}

// recordHooked records what hooks did since it was called last.
func (t *turn) recordHooked() {
	t.mu.Lock()
	events := t.hooked
	t.hooked = nil
	t.mu.Unlock()
	if len(events) > 0 {
		t.record(events...)
	}
}

// end ends the turn: no further call of it runs. The first reason counts.
func (t *turn) end(reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.halt == "" {
		t.halt = reason
	}
}

func (t *turn) halted() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.halt
}

// Hooked returns the events that record what hooks did, where they had an effect or failed. about is the call that they saw, or nil; mask hides secrets.
func Hooked(o hook.Outcome, about *tool.Call, mask interface{ String(string) string }) []event.Event {
	var events []event.Event
	for _, r := range o.Reports {
		if r.Err == nil && r.Output.IsZero() {
			continue
		}
		h := event.Hook{Name: r.Hook, Event: string(r.Event), Decision: r.Output.Decision.String(), Reason: mask.String(clip(r.Output.Reason, mostError)),
			Changed: len(r.Output.Args) > 0 || r.Output.Result != nil, Halted: r.Output.Halt != "", Duration: r.Duration}
		if r.Err != nil {
			h.Error = mask.String(clip(r.Err.Error(), mostError))
		}
		text := strings.TrimSpace(r.Output.Notice + "\n" + r.Output.Halt)
		events = append(events, event.Event{Kind: event.Hooked, Call: about, Hook: &h, Text: mask.String(clip(text, mostError))})
	}
	return events
}
