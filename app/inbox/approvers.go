package inbox

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"rein/guard"
	"rein/tool"
)

// Unchanged refuses an approval when what next shows of a call has changed meanwhile: fingerprint identifies it. The pipeline then
// records that the request is void, and asks again.
func (in *Inbox) Unchanged(fingerprint func(guard.Case) string, next guard.Approver) guard.Approver {
	return guard.ApproverFunc(func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
		shown := fingerprint(c)
		a, err := next.Approve(ctx, c, v)
		if err != nil || a.Choice != guard.Approved || fingerprint(c) == shown {
			return a, err
		}
		if _, _, err := in.Begin(c); err != nil { // clears the answer, which was to something else
			return guard.Answer{}, err
		}
		return guard.Answer{}, guard.ErrFilesChanged
	})
}

// Elsewhere is the approver that waits for an answer of another client or process, or for a lasting approval of another call that
// covers this one: others knows them. keep stores an answer for as long as its scope lasts. It never answers by itself, but it
// suspends the session when suspended ends.
func (in *Inbox) Elsewhere(suspended context.Context, others guard.Approver, keep func(guard.Case, guard.Answer) guard.Answer) guard.Approver {
	return guard.ApproverFunc(func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
		watching, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(suspended, stop)()
		for range in.Watch(watching) {
			if a, err := in.Take(c); err != nil || a.Choice != guard.Abstain {
				return keep(c, a), cmp.Or(err, unanswered(a))
			}
			if a, err := others.Approve(ctx, c, v); err == nil && a.Choice == guard.Approved {
				return in.Claim(c, a)
			}
		}
		if ctx.Err() == nil {
			return guard.Answer{Choice: guard.Later}, nil
		}
		return guard.Answer{Choice: guard.Abstain}, nil
	})
}

// Deadline is the approver that answers after a while, where the user or the question has set a limit: it denies, or takes
// the first choices where the question says so. 0: the user has set none.
func (in *Inbox) Deadline(limit time.Duration) guard.Approver {
	return guard.ApproverFunc(func(ctx context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
		return in.late(ctx, c, limit)
	})
}

func (in *Inbox) late(ctx context.Context, c guard.Case, limit time.Duration) (guard.Answer, error) {
	q := c.Intent.Questions
	if q != nil && q.Wait > 0 && (limit == 0 || time.Duration(q.Wait)*time.Second < limit) {
		limit = time.Duration(q.Wait) * time.Second
	}
	if limit <= 0 {
		return guard.Answer{Choice: guard.Abstain}, nil
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-ctx.Done():
		return guard.Answer{Choice: guard.Abstain}, nil
	case <-late.C:
	}
	mine := guard.Answer{Choice: guard.Denied, By: guard.ByDeadline(), Words: fmt.Sprintf("nobody answered within %v", limit)}
	if q != nil && q.First {
		mine = guard.Answer{Choice: guard.Approved, By: mine.By, Chosen: firstChoices(q)}
	}
	first, err := in.Claim(c, mine)
	return first, cmp.Or(err, unanswered(first))
}

// unanswered is the error of a denial by the deadline, whoever sees it first.
func unanswered(a guard.Answer) error {
	if a.Choice == guard.Denied && a.By == guard.ByDeadline() {
		return guard.ErrNobody
	}
	return nil
}

// firstChoices is the answer that takes the first choice of each question.
func firstChoices(q *tool.Questions) *tool.Chosen {
	c := &tool.Chosen{Answers: make([]tool.Answer, len(q.List)), Default: true}
	for i, one := range q.List {
		if len(one.Choices) > 0 {
			c.Answers[i].Choices = []string{one.Choices[0].Label}
		}
	}
	return c
}
