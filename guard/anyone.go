package guard

import (
	"context"
	"sync"
)

// Anyone asks all of its approvers at once, and takes the first answer that is not Abstain: of a person at a terminal, of
// another process, of a page in a browser, of a deadline. Then it cancels the contexts of the others, with an Answered as
// the cause. It returns when all approvers have returned. If all abstain, it abstains.
//
// Two approvers may have an answer at the same instant. They agree among themselves which one was first: each claims the
// request before it returns. Anyone then gets the same answer from both.
type Anyone []Approver

// Answered is the cause with which an approver's context ends: somebody else has answered the request.
type Answered struct{ Answer }

// Error reports who gave which answer.
func (a Answered) Error() string { return "answered elsewhere: " + a.String() }

// Approve returns the first answer.
func (all Anyone) Approve(ctx context.Context, c Case, v Verdict) (Answer, error) {
	ctx, taken := context.WithCancelCause(ctx)
	defer taken(nil)
	var first struct {
		sync.Once
		answer Answer
		err    error
	}
	first.answer.Choice = Abstain
	var asked sync.WaitGroup
	for _, a := range all {
		asked.Go(func() {
			answer, err := AnswerOf(ctx, a, c, v)
			if err == nil && answer.Choice == Abstain {
				return
			}
			first.Do(func() {
				first.answer, first.err = answer, err
				taken(Answered{answer})
			})
		})
	}
	asked.Wait()
	return first.answer, first.err
}
