package guard

import (
	"context"
	"sync"
)

// Anyone asks all of its approvers at once, and the first answer that is not Pass holds: a person at a terminal, an
// answer that another process leaves, a page in a browser, a deadline. The contexts of the others end with an Answered
// as their cause. It returns when all of them have; if all pass, it passes.
//
// Where answers can be given at the same instant, the approvers agree among themselves which one was first (they claim
// the question before they return); Anyone then sees the same answer from each.
type Anyone []Approver

// Answered is the cause with which a question is taken away from an approver: somebody else has answered it.
type Answered struct{ Answer }

// Error says who answered what.
func (a Answered) Error() string { return "it was answered: " + a.String() }

// String says an answer in a few words: "yes (user)".
func (a Answer) String() string {
	word := [...]string{"no", "yes", "later", "nothing"}[a.Choice]
	if a.Words != "" {
		word += ", " + a.Words
	}
	if a.By != "" {
		word += " (" + a.By + ")"
	}
	return word
}

// Approve gives the first answer.
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
