package guard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// after is an approver that answers after a while, or is taken away.
func after(d time.Duration, a Answer, gone *error) Approver {
	return ApproverFunc(func(ctx context.Context, _ Case, _ Verdict) (Answer, error) {
		select {
		case <-time.After(d):
			return a, nil
		case <-ctx.Done():
			*gone = context.Cause(ctx)
			return Answer{}, context.Cause(ctx)
		}
	})
}

func TestTheFirstAnswerHolds(t *testing.T) {
	yes, no, pass := Answer{Choice: Approved, By: ByPerson("")}, Answer{Choice: Denied, By: ByPerson(""), Words: "not now"}, Answer{Choice: Abstain}
	rows := []struct {
		rule        string
		first, next Answer
		want        Answer
		reported    string
	}{
		{"an approval ends the request for the others", yes, no, yes, "answered elsewhere: approved by user"},
		{"so does a denial", no, yes, no, "answered elsewhere: denied by user: not now"},
		{"an approver that abstains ends nothing", pass, yes, yes, ""},
		{"all pass", pass, pass, pass, ""},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var gone error
				got, err := Anyone{after(2*time.Hour, row.next, &gone), after(time.Hour, row.first, &gone)}.Approve(t.Context(), Case{}, Verdict{})
				if got != row.want || err != nil {
					t.Errorf("got %+v, %v", got, err)
				}
				if reported, is := errors.AsType[Answered](gone); is != (row.reported != "") || is && reported.Error() != row.reported {
					t.Errorf("the other one got %v", gone)
				}
			})
		})
	}
}

func TestAnApproverThatFailsAmongSeveralMeansNo(t *testing.T) {
	closed := errors.New("closed")
	fails := ApproverFunc(func(context.Context, Case, Verdict) (Answer, error) { return Answer{}, closed })
	var gone error
	if a, err := (Anyone{after(time.Hour, Answer{Choice: Approved}, &gone), fails}).Approve(t.Context(), Case{}, Verdict{}); a.Choice != Denied || err != closed {
		t.Errorf("got %+v, %v", a, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(closed)
	if a, err := (Anyone{after(time.Hour, Answer{Choice: Approved}, &gone)}).Approve(ctx, Case{}, Verdict{}); a.Choice != Denied || err != closed {
		t.Errorf("got %+v, %v", a, err)
	}
}

func TestAnApproverThatPanicsAmongSeveralMeansNo(t *testing.T) {
	panics := ApproverFunc(func(context.Context, Case, Verdict) (Answer, error) { panic("no screen") })
	var gone error
	a, err := Anyone{after(time.Hour, Answer{Choice: Approved}, &gone), panics}.Approve(t.Context(), Case{}, Verdict{})
	if broken, ok := errors.AsType[BrokenApprover](err); a.Choice != Denied || !ok || broken.Panic != "no screen" || len(broken.Stack) == 0 {
		t.Errorf("got %+v, %v", a, err)
	}
}

// page answers approval requests by the id of their call, as a server does that receives the answers over the network.
type page struct {
	mu   sync.Mutex
	open map[string]chan Answer
}

func (p *page) Approve(ctx context.Context, c Case, _ Verdict) (Answer, error) {
	ch := make(chan Answer, 1)
	p.mu.Lock()
	p.open[c.Call.ID] = ch
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, c.Call.ID)
	}()
	select {
	case a := <-ch:
		return a, nil
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
}

func (p *page) answer(call string, a Answer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	ch, ok := p.open[call]
	if !ok {
		return fmt.Errorf("no request for %s is pending", call)
	}
	delete(p.open, call)
	ch <- a
	return nil
}

// TestAnApproverThatGetsItsAnswersByID: the Approver interface fits a client that is not part of rein.
func TestAnApproverThatGetsItsAnswersByID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &page{open: map[string]chan Answer{}}
		var gone error
		both := Anyone{p, after(time.Hour, Answer{Choice: Denied, By: ByDeadline()}, &gone)}
		answers := make([]Answer, 2)
		var asked sync.WaitGroup
		for i := range answers {
			asked.Go(func() {
				c := Case{}
				c.Call.ID = fmt.Sprint(i)
				answers[i], _ = both.Approve(t.Context(), c, Verdict{}) // neither client fails
			})
		}
		synctest.Wait()
		if err := p.answer("1", Answer{Choice: Approved, By: ByPerson("")}); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if err := p.answer("1", Answer{Choice: Denied}); err == nil {
			t.Error("a second answer is taken")
		}
		asked.Wait()
		if answers[0].By != ByDeadline() || answers[1].Choice != Approved {
			t.Errorf("got %+v", answers)
		}
		if err := p.answer("0", Answer{Choice: Approved}); err == nil {
			t.Error("an answer after the deadline is taken")
		}
	})
}
