package agent

import (
	"context"
	"fmt"
	"strings"

	"rein/hook"
	"rein/toolcall"
)

// hooks runs the hooks of an event of the loop. What had an effect is recorded; a failed journal ends the run elsewhere.
func (r *run) hooks(at hook.Event, in hook.Input) hook.Outcome {
	runner := r.agent.runner()
	if !runner.Hooks.Has(at) {
		return hook.Outcome{}
	}
	mode := runner.Mode
	if runner.Now != nil {
		mode, _ = runner.Now()
	}
	in.Event, in.Session, in.Dir, in.Mode = at, r.options.ID, runner.Root, mode.String()
	if r.options.isSubAgent() {
		in.Session, in.Agent, in.AgentType = r.options.Root, r.options.ID, r.options.Agent
	}
	o := runner.Hooks.Run(r.ctx, in)
	for _, e := range toolcall.Hooked(o, nil, runner.Mask) {
		r.record(e)
	}
	if o.Context != "" && at != hook.PostCompact {
		r.Queue().Hint("From a hook of the user: " + runner.Mask.String(o.Context))
	}
	return o
}

// startHooks runs the hooks for the start of a session, once in each process.
func (r *run) startHooks() error {
	if r.greeted || continues(r.Session) {
		return nil
	}
	r.greeted = true
	at, in := hook.SessionStart, hook.Input{Why: "startup"}
	if r.options.isSubAgent() {
		at = hook.SubagentStart
	}
	if r.resumed {
		in.Why = "resume"
	}
	return halted(r.hooks(at, in))
}

// promptHooks runs the hooks that see a message before the model gets it. The error says why the message is not sent.
func (r *run) promptHooks(text string) error {
	if r.options.isSubAgent() {
		return nil // the model of the session above wrote it
	}
	o := r.hooks(hook.UserPromptSubmit, hook.Input{Text: text})
	if why := context.Cause(r.ctx); why != nil && r.agent.runner().Hooks.Has(hook.UserPromptSubmit) {
		return why // no hook has let it through
	}
	if err := halted(o); err != nil {
		return err
	}
	if o.Decision == hook.Deny {
		return halt{strings.TrimSpace(fmt.Sprintf("the hook %s did not let the message through. %s", o.By, o.Reason))}
	}
	return nil
}

// stopHooks runs the hooks for the end of an answer, and reports whether the model gets another request because one of them wants
// it.
func (r *run) stopHooks() (bool, error) {
	at := hook.Stop
	if r.options.isSubAgent() {
		at = hook.SubagentStop
	}
	o := r.hooks(at, hook.Input{Text: r.lastAnswer, Again: r.StopsDenied > 0})
	if err := halted(o); err != nil {
		return false, err
	}
	if o.Decision != hook.Deny {
		return false, nil
	}
	if !r.agent.runner().Hooks.GoesOn(r.StopsDenied) {
		r.notice(fmt.Sprintf("hooks kept the session going %d times, and it ends now; the last reason: %s", r.StopsDenied, o.Reason))
		return false, nil
	}
	r.StopsDenied++
	r.Queue().Hint("A hook of the user does not let you stop: " + r.agent.runner().Mask.String(o.Reason))
	_, err := r.deliver(false)
	return true, err
}

// mayCompact runs the hooks that see a compaction before it, and reports whether they let it happen. Where another process has the hooks, the step
// ends for them.
func (r *run) mayCompact(reason, focus string) (bool, error) {
	if r.part == Asks && r.agent.Compact.HooksElsewhere {
		answer := r.Compacts
		if r.Compacts = ""; answer == "" {
			r.Compacts = trigger(reason)
			return false, leaves{}
		}
		return answer == compactAllowed, nil
	}
	return compactHooks(r, trigger(reason), focus), nil
}

// compactHooks runs the hooks that see a compaction before it.
func compactHooks(r *run, why, focus string) bool {
	o := r.hooks(hook.PreCompact, hook.Input{Why: why, Focus: focus})
	if o.Decision == hook.Deny {
		r.notice("a hook does not let the conversation be compacted: " + o.Reason)
	}
	return o.Decision != hook.Deny
}

// What hooks decided of a compaction that another process is to do.
const (
	compactAllowed = "allowed"
	compactDenied  = "denied"
)

// asksHooks reports whether hooks are to see a compaction before the next request.
func (t turnState) asksHooks() bool {
	return t.Compacts != "" && t.Compacts != compactAllowed && t.Compacts != compactDenied
}

// hooksOfCompaction runs the hooks for a process that compacts and has none.
func hooksOfCompaction(r *run) {
	if r.part == Asks {
		return
	}
	if why := r.Compacted; why != "" {
		r.Compacted = ""
		r.hooks(hook.PostCompact, hook.Input{Why: why, Text: r.history.notes()})
	}
	if r.asksHooks() {
		allowed := compactHooks(r, r.Compacts, "")
		if r.Compacts = compactDenied; allowed {
			r.Compacts = compactAllowed
		}
	}
}

// trigger is who wants a compaction, as hooks see it.
func trigger(reason string) string {
	if reason == becauseUser {
		return "manual"
	}
	return "auto"
}

// halt is the end of a run that a hook wants, with its reason.
type halt struct{ reason string }

func (h halt) Error() string { return h.reason }

// halted is not nil when a hook ends the run.
func halted(o hook.Outcome) error {
	if o.Halt == "" {
		return nil
	}
	return halt{o.Halt}
}
