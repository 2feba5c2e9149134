package guard

import (
	"context"
	"errors"
	"runtime/debug"

	"rein/tool"
)

// Choice is what an approver decides. The zero value is Denied.
type Choice uint8

// The choices.
const (
	Denied   Choice = iota // do not run it
	Approved               // run it
	Later                  // not now: the call is pending until an answer comes
	Abstain                // this approver has no answer; the next one is asked
)

// String returns "denied", "approved", "later" or "abstain".
func (c Choice) String() string { return [...]string{"denied", "approved", "later", "abstain"}[c] }

// Answer is what an approver answers to one approval request.
type Answer struct {
	Choice Choice
	By     Who    // who answered
	From   string // the client through which the answer came: "terminal", "page", "acp", …; may be empty
	Scope  Scope  // how far an approval reaches
	Words  string // the user's words for the model, when denied

	// Chosen is the answer to the Questions of the call's Intent, when approved. Who makes it checks it: see
	// tool.Questions.Check.
	Chosen *tool.Chosen

	// Args is the JSON of the arguments that the person wants to run in place of those that were shown; "": the call as it is.
	// Choice is Approved, and the scope does not count. The changed call is checked and judged again: where the guards do not
	// allow it, it needs an approval of its own. Only a person may change a call.
	Args string
}

// ByPerson reports whether a person answered.
func (a Answer) ByPerson() bool { return a.By.IsPerson() }

// Clone returns a copy that shares nothing with the answer.
func (a Answer) Clone() Answer {
	a.Chosen = a.Chosen.Clone()
	return a
}

// String returns the answer in a few words, for people: "approved by user (terminal)".
func (a Answer) String() string {
	text := a.Choice.String()
	if !a.By.IsZero() {
		text += " by " + a.By.String()
	}
	if a.From != "" {
		text += " (" + a.From + ")"
	}
	if a.Scope != Once {
		text += ", " + a.Scope.String()
	}
	if a.Words != "" {
		text += ": " + a.Words
	}
	return text
}

// Scope describes how far an approval reaches. The zero value is Once.
type Scope string

// The scopes, from narrow to wide.
const (
	Once       Scope = ""        // this call
	ForSession Scope = "session" // also later calls of its kind, until the session ends
	ForProject Scope = "project" // also later sessions of this workspace
	Always     Scope = "always"  // also later sessions of every workspace
)

// String returns the scope in words: "for this session".
func (s Scope) String() string {
	switch s {
	case Once:
		return "this once"
	case ForSession:
		return "for this session"
	case ForProject:
		return "for this project"
	case Always:
		return "for all projects"
	}
	return "for an unknown scope"
}

// Approver answers approval requests: calls whose verdict is Ask. Several goroutines may call Approve at once, each for
// one call. It blocks until there is an answer or ctx is done. An error means Denied, and its text is the reason.
type Approver interface {
	Approve(context.Context, Case, Verdict) (Answer, error)
}

// ApproverFunc makes an Approver of a function.
type ApproverFunc func(context.Context, Case, Verdict) (Answer, error)

// Approve calls f.
func (f ApproverFunc) Approve(ctx context.Context, c Case, v Verdict) (Answer, error) {
	return f(ctx, c, v)
}

// AnswerOf asks one approver, with copies of the case and the verdict. Where the approver panics, the error is a BrokenApprover.
func AnswerOf(ctx context.Context, a Approver, c Case, v Verdict) (answer Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = Answer{}, BrokenApprover{Panic: p, Stack: debug.Stack()}
		}
	}()
	answer, err = a.Approve(ctx, c.Clone(), v.Clone())
	return answer.Clone(), err
}

// BrokenApprover is the error of an approver that panicked.
type BrokenApprover struct {
	Panic any
	Stack []byte // for the operator
}

// Error names the fault without the stack.
func (BrokenApprover) Error() string { return "the approver failed with an internal error" }

// Storer is an Approver that keeps requests where others answer them. Store is called before the request is recorded and shown: who
// reads of it then finds it. It may have the answer already; else it returns Abstain, and Approve is called.
type Storer interface {
	Store(ctx context.Context, c Case, v Verdict) (Answer, error)
}

// Approvers asks one approver after the other until one does not abstain. Without an answer the call is denied.
type Approvers []Approver

// Approve returns the first answer that is not Abstain.
func (all Approvers) Approve(ctx context.Context, c Case, v Verdict) (Answer, error) {
	for _, a := range all {
		answer, err := AnswerOf(ctx, a, c, v)
		if err != nil || answer.Choice != Abstain {
			return answer, err
		}
	}
	return Nobody{}.Approve(ctx, c, v)
}

// ErrNobody means that nobody was there to answer.
var ErrNobody = errors.New("nobody is there to approve it")

// ErrFilesChanged is the error of an approver whose request showed files that have changed since. The pipeline records that
// the request is void and requests the approval again.
var ErrFilesChanged = errors.New("the files that the request showed have changed")

// Nobody is the approver of a headless run: it denies every call with ErrNobody.
type Nobody struct{}

// Approve denies the call.
func (Nobody) Approve(context.Context, Case, Verdict) (Answer, error) {
	return Answer{Choice: Denied, By: ByNobody()}, ErrNobody
}
