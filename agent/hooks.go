package agent

import (
	"fmt"
	"strings"

	"rein/event"
	"rein/hook"
	"rein/toolcall"
)

// hooks runs the hooks of an event of the loop. What had an effect is recorded; a failed journal ends the turn elsewhere.
func (w *work) hooks(at hook.Event, in hook.Input) hook.Outcome {
	r := w.agent.runner()
	if !r.Hooks.Has(at) {
		return hook.Outcome{}
	}
	mode := r.Mode
	if r.Now != nil {
		mode, _ = r.Now()
	}
	in.Event, in.Session, in.Dir, in.Mode = at, w.o.ID, r.Root, mode.String()
	if w.isSubAgent() {
		in.Session, in.Agent, in.AgentType = w.o.Root, w.o.ID, w.o.Agent
	}
	o := r.Hooks.Run(w.ctx, in)
	for _, e := range toolcall.Hooked(o, nil, r.Mask) {
		w.record(e)
	}
	if o.Context != "" && at != hook.PostCompact {
		w.Hint("From a hook of the user: " + r.Mask.String(o.Context))
	}
	return o
}

func (s *Session) isSubAgent() bool { return s.o.Root != "" }

// greet runs the hooks for the start of a session, once in each process.
func (w *work) greet() error {
	if w.greeted {
		return nil
	}
	w.greeted = true
	at, in := hook.SessionStart, hook.Input{Why: "startup"}
	if w.isSubAgent() {
		at = hook.SubagentStart
	}
	if w.resumed {
		in.Why = "resume"
	}
	return halted(w.hooks(at, in))
}

// submit runs the hooks that see a message before the model gets it. The error says why the message is not sent.
func (w *work) submit(text string) error {
	if w.isSubAgent() {
		return nil // the model of the session above wrote it
	}
	o := w.hooks(hook.UserPromptSubmit, hook.Input{Text: text})
	if err := halted(o); err != nil {
		return err
	}
	if o.Decision == hook.Deny {
		return halt{strings.TrimSpace(fmt.Sprintf("the hook %s did not let the message through. %s", o.By, o.Reason))}
	}
	return nil
}

// goesOn runs the hooks for the end of an answer, and reports whether the model gets another request because one of them wants
// it.
func (w *work) goesOn() (bool, error) {
	at := hook.Stop
	if w.isSubAgent() {
		at = hook.SubagentStop
	}
	o := w.hooks(at, hook.Input{Text: w.last, Again: w.kept > 0})
	if err := halted(o); err != nil {
		return false, err
	}
	if o.Decision != hook.Deny {
		return false, nil
	}
	if !w.agent.runner().Hooks.GoesOn(w.kept) {
		w.live(event.Notice, fmt.Sprintf("hooks kept the session going %d times, and it ends now; the last reason: %s", w.kept, o.Reason))
		return false, nil
	}
	w.kept++
	w.Hint("A hook of the user does not let you stop: " + w.agent.runner().Mask.String(o.Reason))
	_, err := w.deliver(false)
	return true, err
}

// mayCompact runs the hooks that see a compaction before it, and reports whether they let it happen.
func (w *work) mayCompact(reason, focus string) bool {
	o := w.hooks(hook.PreCompact, hook.Input{Why: trigger(reason), Focus: focus})
	if o.Decision == hook.Deny {
		w.live(event.Notice, "a hook does not let the conversation be compacted: "+o.Reason)
	}
	return o.Decision != hook.Deny
}

// trigger is who wants a compaction, as hooks see it.
func trigger(reason string) string {
	if reason == becauseUser {
		return "manual"
	}
	return "auto"
}

// halt is the end of a turn that a hook wants, with its reason.
type halt struct{ reason string }

func (h halt) Error() string { return h.reason }

// halted is not nil when a hook ends the turn.
func halted(o hook.Outcome) error {
	if o.Halt == "" {
		return nil
	}
	return halt{o.Halt}
}
