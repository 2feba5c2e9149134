package toolcall

import (
	"errors"
	"runtime/debug"
	"strings"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// observe reports something to the observer. When the observer panics, it has not seen what it should remember: the error says
// that the call must not continue.
func (t *turn) observe(call tool.Call, report func(guard.Observer)) (err error) {
	if t.observer == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			t.logPanic("an observer", call, p, debug.Stack())
			err = &tool.Error{Kind: tool.Panicked, Text: "A check failed with an internal error."}
		}
	}()
	report(t.observer)
	return nil
}

// noted reports a result to the observer and adds its note to the result. The model does not get a result that the observer
// failed to see.
func (t *turn) noted(g *granted, r tool.Result) tool.Result {
	var note string
	if err := t.observe(g.call, func(o guard.Observer) { note = o.Ran(g.is.Clone(), r.Clone()) }); err != nil {
		return tool.Result{ID: r.ID, Name: r.Name, Failed: true, Kind: tool.Panicked, Duration: r.Duration,
			Text: "The call ran. Its result is withheld, because a check of the result failed with an internal error. Do not repeat the call."}
	}
	if note != "" {
		r.Notes = append(r.Notes, note)
		r.Text += noteOf(note)
	}
	return r
}

// noteOf is an observer's note as it follows the text of a result.
func noteOf(note string) string { return "\n[note: " + note + "]" }

// withoutNote is a recorded result as the observer saw it.
func withoutNote(r tool.Result) tool.Result {
	if n := len(r.Notes); n > 0 {
		if text, ok := strings.CutSuffix(r.Text, noteOf(r.Notes[n-1])); ok {
			r.Text, r.Notes = text, r.Notes[:n-1]
		}
	}
	return r
}

// Prompted reports to the observer that the user sent a message to the session, with its text.
func (r *Runner) Prompted(session, text string) {
	defer func() { // an observer that does not know of a message allows no more than before it
		if p := recover(); p != nil {
			r.log("an observer", tool.Call{}, p, debug.Stack())
		}
	}()
	if o := r.observer(); o != nil {
		prompted(o, session, text)
	}
}

func prompted(o guard.Observer, session, text string) {
	o.Prompted(session)
	if l, ok := o.(guard.Listener); ok {
		l.Said(session, text)
	}
}

// Replay shows the observer of a runner the recorded events of a session, so that guards remember after a resume what
// they saw before it.
type Replay struct {
	runner   *Runner
	observer guard.Observer // nil: nobody observes
	session  Scope
	open     map[string]replayed // calls without a result, by id
}

// replayed is a call that has no result yet.
type replayed struct {
	is      guard.Case
	asked   bool // for an approval
	granted bool
}

// Replay begins a replay of the session's events. Only the ids and the depth of the session are used.
func (r *Runner) Replay(s Scope) *Replay {
	return &Replay{runner: r, observer: r.observer(), session: s, open: map[string]replayed{}}
}

// See shows the observer the next event. An error means that the observer, or Isolation, panicked: the guards do not know what they
// should remember, and the session must not continue.
func (p *Replay) See(e event.Event) (err error) {
	if p.observer == nil {
		return nil
	}
	defer func() {
		if wrong := recover(); wrong != nil {
			p.runner.log("an observer", tool.Call{}, wrong, debug.Stack())
			err = errors.New("a guard failed with an internal error when it was shown what the session did before")
		}
	}()
	if e.Kind == event.Prompted && p.session.root() == p.session.ID {
		prompted(p.observer, p.session.ID, e.Text)
	}
	if e.Call == nil {
		return nil
	}
	call := p.open[e.Call.ID]
	switch {
	case e.Kind == event.Called, e.Kind == event.ApprovalRequested:
		p.open[e.Call.ID] = replayed{is: p.caseOf(e), asked: e.Kind == event.ApprovalRequested}
	case e.Kind == event.Granted:
		call.granted = true
		if e.Answer != nil {
			call.is.Isolation = p.isolation(call)
			p.observer.Granted(call.is.Clone(), AnswerOf(e.Answer))
		}
		p.open[e.Call.ID] = call
	case e.Kind == event.Refused && e.Answer != nil:
		if a := AnswerOf(e.Answer); a.By != guard.ByNobody() {
			call.is.Isolation = p.isolation(call)
			p.observer.Refused(call.is.Clone(), a)
		}
	case e.Kind == event.Replied && e.Result != nil:
		if call.granted && e.Result.Kind != tool.Unrecorded {
			p.observer.Ran(call.is.Clone(), withoutNote(e.Result.Clone()))
		}
		delete(p.open, e.Call.ID)
	}
	return nil
}

func (p *Replay) caseOf(e event.Event) guard.Case {
	var intent tool.Intent
	if e.Intent != nil {
		intent = *e.Intent
	}
	var effect tool.Effect
	if t := p.runner.Tools.Get(e.Call.Name); t != nil {
		effect = t.Effect
	}
	c := p.session.caseOf(p.runner, e.Call.Clone(), effect, intent.Clone())
	c.Turn = e.Turn
	return c
}

// isolation is that of a call that somebody answered for. It is asked for only then: it makes the sandbox ready.
func (p *Replay) isolation(call replayed) guard.Isolation {
	if !call.asked || p.runner.Isolation == nil {
		return guard.NoIsolation
	}
	return p.runner.Isolation()
}

// AnswerOf is a recorded answer as guards and approvers know it.
func AnswerOf(a *event.Answer) guard.Answer {
	answer := guard.Answer{By: guard.ParseWho(a.By), From: a.From, Scope: guard.Scope(a.Scope), Words: a.Words, Chosen: a.Chosen.Clone()}
	if a.Choice == "approved" {
		answer.Choice = guard.Approved
	}
	return answer
}
