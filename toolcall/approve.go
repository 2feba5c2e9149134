package toolcall

import (
	"errors"
	"fmt"
	"strings"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// granted is a call that may run. It is made only here, and it is what execute takes.
type granted struct {
	*judged
	grant event.Grant
}

// Pending is the error of a turn in which approvers answered Later: the calls wait for an answer, the rest is done.
type Pending struct {
	Calls []string // ids
}

// Error names the calls.
func (p *Pending) Error() string {
	return "waiting for an approval of " + strings.Join(p.Calls, ", ")
}

// approve asks for the leave to run one call. The grant is recorded before it is given.
func (t *turn) approve(j *judged) (*granted, error) {
	question := t.event(event.ApprovalRequested, j.valid, &j.verdict)
	question.Grant = &event.Grant{Hash: t.caseOf(j.valid).Binding().Hash()}
	if err := t.record(question); err != nil {
		return nil, err
	}
	answer, err := t.ask(j)
	switch {
	case t.ctx.Err() != nil:
		return nil, t.ended()
	case errors.Is(err, guard.ErrNobody):
		return nil, &tool.Error{Kind: tool.Unapproved, Text: "Not run: " + reason(j.verdict) + ", and nobody is there to approve it.", Hint: j.verdict.Hint}
	case err != nil:
		return nil, &tool.Error{Kind: tool.Denied, Text: fmt.Sprintf("Not run: no answer could be had (%v).", err)}
	case answer.Choice == guard.Later:
		return nil, errPending
	case answer.Choice != guard.Approved:
		return nil, refused(answer)
	}
	g := t.grant(j, answer.By)
	if g.grant.Hash != question.Grant.Hash {
		return nil, &tool.Error{Kind: tool.Denied, Text: "Not run: the call has changed since it was approved."}
	}
	return g, t.recordGranted(g)
}

var errPending = errors.New("parked")

func (t *turn) ask(j *judged) (guard.Answer, error) {
	if t.Approver == nil {
		return guard.Nobody{}.Approve(t.ctx, guard.Case{}, j.verdict)
	}
	c := t.caseOf(j.valid)
	c.Together, c.Position = t.asking, j.index
	answer, err := guard.AnswerOf(t.ctx, t.Approver, c, j.verdict)
	if broken, ok := errors.AsType[guard.BrokenApprover](err); ok {
		t.logPanic("an approver", j.call, broken.Panic, broken.Stack)
	}
	return answer, err
}

func (t *turn) grant(j *judged, by string) *granted {
	g := &granted{judged: j, grant: event.Grant{By: by}}
	if t.recorded() || j.verdict.Decision != guard.Allow {
		g.grant.Hash = t.caseOf(j.valid).Binding().Hash()
	}
	return g
}

// SaidNo is how the result of a call begins that a person refused; their words, if any, follow after ": ".
const SaidNo = "The user said no"

func refused(a guard.Answer) *tool.Error {
	if a.Words == "" {
		return &tool.Error{Kind: tool.Denied, Text: SaidNo + ".", Hint: "Don't try the same in another way; ask what they want instead."}
	}
	return &tool.Error{Kind: tool.Denied, Text: SaidNo + ": " + a.Words}
}
