package guard

import (
	"context"
	"errors"
	"runtime/debug"
)

// Choice is an approver's answer in a word. The zero value is No.
type Choice uint8

// The replies.
const (
	Denied   Choice = iota
	Approved        // run it, this once
	Later           // not now: park the call
	Abstain         // this approver has nothing to say; the next one is asked
)

// Answer is what an approver answers to one approval request.
type Answer struct {
	Choice Choice
	By     string // who answered: "user", "rule bash(go test:*)", "--allow", …
	From   string // the client through which the answer came: "terminal", "page", "acp", …; may be empty
	Scope  Scope  // how far an approval reaches
	Words  string // the user's words for the model, when denied
}

// Scope says how far an approval reaches. The zero value is Once.
type Scope string

// The scopes, from narrow to wide.
const (
	Once       Scope = ""        // this call
	ForSession Scope = "session" // also later calls of its kind, until the session ends
	ForProject Scope = "project" // also later sessions of this workspace
	Always     Scope = "always"  // also later sessions of every workspace
)

// Approver answers the calls that the guards leave to ask. Approve may be called at once from several goroutines, one
// call each; it blocks until there is an answer or ctx is done. An error means No, and its text is the reason.
type Approver interface {
	Approve(context.Context, Case, Verdict) (Answer, error)
}

// ApproverFunc makes an Approver of a function.
type ApproverFunc func(context.Context, Case, Verdict) (Answer, error)

// Approve calls f.
func (f ApproverFunc) Approve(ctx context.Context, c Case, v Verdict) (Answer, error) {
	return f(ctx, c, v)
}

// AnswerOf asks one approver. An approver that panics has not answered: that is a BrokenApprover.
func AnswerOf(ctx context.Context, a Approver, c Case, v Verdict) (answer Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = Answer{}, BrokenApprover{Panic: p, Stack: debug.Stack()}
		}
	}()
	return a.Approve(ctx, c, v)
}

// BrokenApprover is the error of an approver that panicked.
type BrokenApprover struct {
	Panic any
	Stack []byte // for the operator
}

// Error says it without the stack.
func (BrokenApprover) Error() string { return "what asks for approvals broke down" }

// Approvers asks one after the other until one does not Pass; nobody means No.
type Approvers []Approver

// Approve gives the first answer that is not Pass.
func (all Approvers) Approve(ctx context.Context, c Case, v Verdict) (Answer, error) {
	for _, a := range all {
		answer, err := a.Approve(ctx, c, v)
		if err != nil || answer.Choice != Abstain {
			return answer, err
		}
	}
	return Nobody{}.Approve(ctx, c, v)
}

// ErrNobody means that nobody was there to answer.
var ErrNobody = errors.New("nobody is there to approve it")

// Nobody is the approver of a headless run: it says no to all, with ErrNobody.
type Nobody struct{}

// Approve says no.
func (Nobody) Approve(context.Context, Case, Verdict) (Answer, error) {
	return Answer{Choice: Denied, By: "nobody"}, ErrNobody
}
