package toolcall

import (
	"errors"
	"strings"

	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/tool"
)

// approveEdited takes a call with the arguments of the user from the first step to a grant: it is decoded, validated, shown to
// the hooks and judged as if the model had sent it. Where the guards ask, it needs an approval of its own. Arguments that the
// tool does not take are shown to the user with the reason, and the call is requested again.
func (t *turn) approveEdited(j *judged, hash string, answer guard.Answer) (*granted, error) {
	if !answer.ByPerson() {
		return nil, t.refuse(j, byPipeline, &tool.Error{Kind: tool.Denied, Text: "Not run: only a person may change a call, and the answer is of " + nameOf(answer) + "."})
	}
	edited, err := t.edit(j, []byte(answer.Args))
	if e, ok := errors.AsType[*tool.Error](err); ok && e.Kind != tool.Denied && e.Kind != tool.Cancelled {
		t.void(j.call, event.WasEdited, "The changed arguments cannot be used, so the approval is requested again.", "")
		again := *j
		reason := j.verdict.Reason
		if _, before, ok := strings.Cut(reason, alsoAsks); ok {
			reason = before
		}
		again.verdict.Reason = "your change cannot be used: " + e.Text + alsoAsks + reason
		if answer, err = t.request(&again, hash); err != nil {
			return nil, err
		}
		return t.answered(j, hash, answer)
	}
	if err != nil {
		return nil, err
	}
	t.judged[j.index].changed = edited.changed
	t.void(j.call, event.WasEdited, "The user changed the call.", answer.By.String())
	if err := t.record(t.event(event.Called, edited.valid)); err != nil {
		return nil, err
	}
	var g *granted
	switch edited.verdict.Decision {
	case guard.Deny:
		return nil, denial(edited.verdict)
	case guard.Allow:
		g = t.grant(edited)
	default:
		g, err = t.approve(edited)
	}
	if err == nil {
		g.edited = true
	}
	return g, err
}

// editedBefore returns a call as the user changed it before the session was suspended, and other calls as they are.
func editedBefore(t *turn, j *judged) (*judged, error) {
	earlier := t.session.Earlier[j.call.ID]
	if earlier.Edited == nil || earlier.Hash == j.hash(t) {
		return j, nil
	}
	edited, err := t.edit(j, earlier.Edited)
	if err != nil {
		return nil, err
	}
	return edited, t.record(t.event(event.Called, edited.valid))
}

// alsoAsks comes before the first reason of a request whose change cannot be used.
const alsoAsks = " It asks because: "

// edit judges a call with other arguments.
func (t *turn) edit(j *judged, args []byte) (*judged, error) {
	call := j.call
	call.Args = args
	v, err := t.one(nil, j.index, call)
	if err != nil {
		return nil, asError(err)
	}
	if t.Hooks.Has(hook.PreToolUse) {
		if v = t.beforeOne(v); v == nil {
			return nil, &tool.Error{Kind: t.results[j.index].Kind, Text: t.results[j.index].Text}
		}
	}
	v.changed = shownArgs(v.call.Args)
	v.notes = append(v.notes, "the user changed the arguments to "+v.changed)
	return t.judgeOne(nil, v)
}

// earlier are the calls of the turn before one. An edited call waits for all of them: the order was made for the call as the
// model sent it.
func (t *turn) earlier(i int) (waits []chan struct{}) {
	for _, done := range t.done[:min(i, len(t.done))] {
		if done != nil {
			waits = append(waits, done)
		}
	}
	return waits
}
