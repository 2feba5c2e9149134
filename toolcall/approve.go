package toolcall

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// granted is a call that may run. It is made only here, and it is what execute takes.
type granted struct {
	*judged
	grant  event.Grant
	answer *event.Answer     // nil: the guards allowed it
	end    func(*tool.Reply) // of the snapshot; may be nil
	edited bool              // the user changed the arguments
}

// Pending is the error of a turn in which calls wait for an approval. All other calls of the turn are done.
type Pending struct {
	Calls []string // ids
}

// Error names the calls.
func (p *Pending) Error() string {
	return "waiting for an approval of " + strings.Join(p.Calls, ", ")
}

var errPending = errors.New("pending")

// grantAllowed grants the calls that the guards allow, and records these grants together.
func (t *turn) grantAllowed(calls []*judged) []*granted {
	ready := make([]*granted, len(calls))
	for i, j := range calls {
		switch {
		case j == nil:
		case j.verdict.Decision == guard.Allow:
			ready[i] = t.grant(j)
		default:
			t.asking++
		}
	}
	t.recordGranted(ready...) // a journal that fails cancels the turn, and drive sees that
	return ready
}

// grant grants a call that the guards allow.
func (t *turn) grant(j *judged) *granted {
	g := &granted{judged: j, grant: event.Grant{By: "guard"}}
	if t.session.recorded() {
		g.grant.Hash = j.hash(t)
		g.grant.OnlyReads = j.tool.Effect == tool.Reads && !j.tool.Nests && j.intent.Questions == nil && j.onlyReads()
	}
	return g
}

// approve gets the answer to one call and acts on it.
func (t *turn) approve(j *judged) (*granted, error) {
	hash := j.hash(t)
	answer, err := t.answer(j, hash)
	if err != nil {
		return nil, err
	}
	return t.answered(j, hash, answer)
}

// answered acts on the answer to the call that has this hash.
func (t *turn) answered(j *judged, hash string, answer guard.Answer) (*granted, error) {
	switch {
	case answer.Choice == guard.Later:
		return nil, errPending
	case answer.Choice != guard.Approved:
		return nil, t.refuse(j, answer, refusedError(j, answer))
	case j.verdict.PersonOnly && !answer.ByPerson() && !inTimeForQuestions(j, answer):
		return nil, t.refuse(j, byPipeline, &tool.Error{Kind: tool.Denied, Text: "Not run: only a person may approve this call, and the answer is of " + nameOf(answer) + "."})
	case deniedNow(t, j):
		return nil, t.refuse(j, byPipeline, &tool.Error{Kind: tool.Denied, Text: "Not run: the user made the mode stricter while this call waited, and it would do more than read.", Hint: "Only read, and tell the user what you would change."})
	case answer.Args != "":
		return t.approveEdited(j, hash, answer)
	}
	if err := t.observe(j.call, func(o guard.Observer) { o.Granted(j.is.Clone(), answer.Clone()) }); err != nil {
		return nil, err
	}
	return &granted{judged: j, grant: event.Grant{By: answer.By.String(), Hash: hash}, answer: recordedAnswer(answer)}, nil
}

// deniedNow reports whether the mode that holds now, after the request was shown, denies a call that the one before did not.
func deniedNow(t *turn, j *judged) bool {
	mode := t.Runner.now().Mode
	if mode == t.Mode {
		return false
	}
	again := *j
	again.is = j.is.Clone()
	again.is.Mode = mode
	return t.inMode(mode, j).Decision == guard.Deny || t.verdict(t.ctx, &again).Decision == guard.Deny
}

// byPipeline is the answer of the pipeline itself, when it does not let an approval count. Observers do not see it.
var (
	byPipeline = guard.Answer{By: guard.ByPolicy("pipeline")}
	byError    = guard.ByPolicy("error")
)

// inTimeForQuestions reports whether the first choices count because nobody answered in time: only for a call that does nothing but
// ask, and says so.
func inTimeForQuestions(j *judged, a guard.Answer) bool {
	q := j.intent.Questions
	only := tool.Intent{Questions: q}
	return q != nil && q.First && a.By == guard.ByDeadline() && a.Chosen != nil && a.Chosen.Default && reflect.DeepEqual(j.intent, only)
}

// nameOf names who answered, for the model.
func nameOf(a guard.Answer) string { return cmp.Or(a.By.String(), "somebody who is not known") }

// answer returns the answer of an earlier run of the call, or requests one.
func (t *turn) answer(j *judged, hash string) (guard.Answer, error) {
	if earlier := t.session.Earlier[j.call.ID]; earlier.Answer != nil && earlier.Hash == hash {
		return earlier.Answer.Clone(), nil
	}
	for {
		answer, err := t.request(j, hash)
		if !errors.Is(err, guard.ErrFilesChanged) || t.ctx.Err() != nil {
			return answer, err
		}
		t.void(j.call, event.FilesChanged, "The files that the request showed have changed, so the approval is requested again.", "")
		if !strings.HasPrefix(j.verdict.Reason, filesChanged) {
			j.verdict.Reason = filesChanged + j.verdict.Reason
		}
	}
}

// filesChanged is how the reason of a repeated request begins.
const filesChanged = "the files have changed since the last request showed them; "

// request stores and records an approval request, and waits for the approver's answer.
func (t *turn) request(j *judged, hash string) (guard.Answer, error) {
	answer, answerErr := storeRequest(t, j)
	if err := t.recordRequest(j, hash); err != nil {
		return guard.Answer{}, err
	}
	err := answerErr
	if err == nil && answer.Choice == guard.Abstain {
		answer, err = t.ask(j)
	}
	switch {
	case t.ctx.Err() != nil:
		t.void(j.call, event.WasCancelled, "The turn was cancelled before the request was answered.", "")
		return answer, t.ended()
	case err == nil && answer.Choice == guard.Abstain:
		answer, err = guard.Answer{By: guard.ByNobody()}, guard.ErrNobody
	case err == nil || errors.Is(err, guard.ErrFilesChanged):
		return answer, err
	}
	if errors.Is(err, guard.ErrNobody) {
		return answer, t.refuse(j, guard.Answer{By: answer.By, Words: answer.Words}, nobody(j, answer))
	}
	return answer, t.refuse(j, guard.Answer{By: byError, Words: err.Error()}, &tool.Error{Kind: tool.Denied, Text: fmt.Sprintf("Not run: no answer could be had (%v).", err)})
}

// nobody is the error of a call that a person should have answered where there is none, or none in time.
func nobody(j *judged, a guard.Answer) *tool.Error {
	text := "Not run: " + reason(j.verdict) + ", and nobody is there to approve it."
	if j.intent.Questions != nil {
		text = "No answer: " + cmp.Or(a.Words, "nobody is there") + "."
	}
	return &tool.Error{Kind: tool.Unapproved, Text: text, Hint: cmp.Or(j.verdict.Hint, "Do what needs no approval, and say in your answer what you could not do.")}
}

// recordRequest records an approval request.
func (t *turn) recordRequest(j *judged, hash string) error {
	e := t.event(event.ApprovalRequested, j.valid)
	e.Verdict, e.Grant = recordedVerdict(j.verdict), &event.Grant{Hash: hash}
	return t.record(e)
}

// storeRequest lets an approver that keeps requests keep this one, where no hook answers.
func storeRequest(t *turn, j *judged) (guard.Answer, error) {
	s, ok := t.Approver.(guard.Storer)
	if _, byHook := answerOfHooks(j); byHook || !ok {
		return guard.Answer{Choice: guard.Abstain}, nil
	}
	return askApprover(t, guard.ApproverFunc(s.Store), j)
}

// ask calls the approver, where no hook answers.
func (t *turn) ask(j *judged) (guard.Answer, error) {
	if answer, ok := answerOfHooks(j); ok { // an answer to questions needs a person
		return answer, nil
	}
	if t.Approver == nil {
		return guard.Nobody{}.Approve(t.ctx, guard.Case{}, j.verdict)
	}
	return askApprover(t, t.Approver, j)
}

func askApprover(t *turn, a guard.Approver, j *judged) (guard.Answer, error) {
	c := j.is
	c.Together, c.Position = t.asking, j.index
	answer, err := guard.AnswerOf(t.ctx, a, c, j.verdict)
	if broken, ok := errors.AsType[guard.BrokenApprover](err); ok {
		t.logPanic("an approver", j.call, broken.Panic, broken.Stack)
	}
	return answer, err
}

// refuse records that the call was denied, by whom and with which words, and returns the error for the model. Observers
// see the answers of approvers, not the lack of one.
func (t *turn) refuse(j *judged, a guard.Answer, why *tool.Error) error {
	if why.Kind == tool.Denied && a.By != byError && a.By != byPipeline.By {
		t.observe(j.call, func(o guard.Observer) { o.Refused(j.is.Clone(), a.Clone()) })
	}
	if err := t.record(event.Event{Kind: event.Refused, Call: ref(j.call), Answer: recordedAnswer(a)}); err != nil {
		return err
	}
	return why
}

// void records that the last approval request of a call no longer holds; by is who changed the call. A journal that fails cancels the turn.
func (t *turn) void(call tool.Call, why event.Reason, text, by string) {
	t.record(event.Event{Kind: event.ApprovalVoid, Call: ref(call), Reason: why, By: by, Text: text})
}

// refusedError tells the model who denied its call, and what to do now.
func refusedError(j *judged, a guard.Answer) *tool.Error {
	text, hint := "The user denied this call", ""
	switch {
	case j.intent.Questions != nil && a.ByPerson():
		text, hint = "The user does not want to answer", "Do not ask it again. Decide yourself where that is safe, or end with the open question."
	case j.intent.Questions != nil:
		text, hint = "The questions were not answered", "Decide yourself where that is safe, or end with the open question."
	case !a.ByPerson() && a.Words != "":
		text = "This call was not approved"
	case a.Words == "":
		hint = "Do not try the same in another way. Ask what they want instead."
	}
	if a.Words != "" {
		text += ": " + a.Words
	} else {
		text += "."
	}
	return &tool.Error{Kind: tool.Denied, Text: text, Hint: hint}
}

// recordedAnswer is an answer as events have it.
func recordedAnswer(a guard.Answer) *event.Answer {
	r := &event.Answer{Choice: "denied", By: a.By.String(), From: a.From, Scope: string(a.Scope), Words: a.Words, Chosen: a.Chosen}
	if a.Choice == guard.Approved {
		r.Choice = "approved"
	}
	return r
}
