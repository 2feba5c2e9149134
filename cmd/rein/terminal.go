package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"

	"rein/app/tui/text"
	"rein/guard"
)

// pause is how long the keyboard must be quiet before a request takes an answer: a person may be typing while it appears.
const pause = 500 * time.Millisecond

// gather is how long the first request of several waits for the others, so that all are shown together.
const gather = 100 * time.Millisecond

// approvalTerminal shows approval requests to a person and reads the answers. It shows one screen at a time; a screen may hold
// several requests.
type approvalTerminal struct {
	in       *os.File
	out      io.Writer
	keyboard *keyboardInput            // nil in tests
	keys     func() (keySource, error) // puts the terminal into the state in which single keys are read
	Words    bool                      // words instead of marks, for screen readers
	Own      text.Words                // the program's texts in the language of the person
	stage

	mu      sync.Mutex
	waiting []*pendingRequest // in the order in which they came
	came    chan struct{}     // closed when another one comes
	lead    chan struct{}     // held by the one who shows a screen
	leader  *pendingRequest   // the request of the one who shows the screen; it need not be on it
}

// pendingRequest is a request that waits.
type pendingRequest struct {
	*terminalRequest
	ctx     context.Context
	since   time.Time
	alone   bool // it is to be shown separately
	decided bool
	answer  guard.Answer
	err     error
	done    chan struct{} // closed when it is decided
}

// newApprovalTerminal returns the terminal at which a person types on in and reads on out.
func newApprovalTerminal(in *os.File, out *os.File) *approvalTerminal {
	t := &approvalTerminal{in: in, out: out, keyboard: newKeyboard(in)}
	t.keys = t.keyboard.Keys
	return t
}

// Present reports whether a person is there to be asked.
func (t *approvalTerminal) Present() bool {
	out, ok := t.out.(*os.File)
	return ok && term.IsTerminal(int(t.in.Fd())) && term.IsTerminal(int(out.Fd()))
}

// Ask shows the whole call and waits for an answer. There is no time limit. The end of input denies the call.
func (t *approvalTerminal) Ask(ctx context.Context, r *terminalRequest) (guard.Answer, error) {
	a := &pendingRequest{ctx: ctx, terminalRequest: r, since: time.Now(), done: make(chan struct{})}
	t.wait(a)
	for {
		if ctx.Err() != nil {
			return t.leave(a)
		}
		select {
		case <-a.done:
			return a.answer, a.err
		case <-ctx.Done():
		case t.lead <- struct{}{}:
			if !a.decided { // another goroutine may have decided it before
				t.screen(a)
			}
			<-t.lead
		}
	}
}

func (t *approvalTerminal) wait(a *pendingRequest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lead == nil {
		t.lead = make(chan struct{}, 1)
	}
	t.waiting = append(t.waiting, a)
	if t.came != nil {
		close(t.came)
		t.came = nil
	}
}

// leave removes a request that needs no answer any more, unless it has just been answered.
func (t *approvalTerminal) leave(a *pendingRequest) (guard.Answer, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.decided {
		return a.answer, a.err
	}
	t.remove(a)
	return guard.Answer{}, context.Cause(a.ctx)
}

func (t *approvalTerminal) remove(a *pendingRequest) {
	t.waiting = slices.DeleteFunc(t.waiting, func(other *pendingRequest) bool { return other == a })
}

// unanswered returns the requests that still wait, in the order of the model.
func (t *approvalTerminal) unanswered() []*pendingRequest {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(t.waiting), func(a *pendingRequest) bool { return a.ctx.Err() != nil })
	slices.SortStableFunc(all, func(a, b *pendingRequest) int { return a.Case.Position - b.Case.Position })
	return all
}

// decide answers a request: with this answer, or with the one that another client gave before. It shows a person who was
// too late which answer counts.
func (t *approvalTerminal) decide(a *pendingRequest, answer guard.Answer, err error) {
	if a.Claim != nil {
		counted, failed := a.Claim(answer)
		switch {
		case failed != nil:
			answer, err = guard.Answer{}, errors.Join(err, failed)
		case counted.Choice != answer.Choice || counted.By != answer.By || counted.Words != answer.Words:
			fmt.Fprintln(t.out, " ", t.Own.Of("too late, it was answered elsewhere: %s", printable(counted.String())))
			answer, err = counted, nil
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a.answer, a.err, a.decided = answer, err, true
	t.remove(a)
	close(a.done)
}

// screen shows one screen: the requests that can be answered together, else the first one. mine is the request of the one
// who shows it.
func (t *approvalTerminal) screen(mine *pendingRequest) {
	t.leader = mine
	t.gather(mine)
	defer t.enter()()
	var together []*pendingRequest
	for _, a := range t.unanswered() {
		switch {
		case t.isCovered(a):
		case !a.alone && !a.Alone:
			together = append(together, a)
		}
	}
	switch all := t.unanswered(); {
	case len(together) > 1:
		t.list(together, len(all)-len(together))
	case len(all) > 0:
		t.single(all[0])
	}
}

// gather waits a moment for the other requests of the turn.
func (t *approvalTerminal) gather(mine *pendingRequest) {
	timer := time.NewTimer(gather - time.Since(mine.since))
	defer timer.Stop()
	for {
		t.mu.Lock()
		missing := mine.Case.Together > len(t.waiting)
		if t.came == nil {
			t.came = make(chan struct{})
		}
		came := t.came
		t.mu.Unlock()
		if !missing {
			return
		}
		select {
		case <-came:
		case <-timer.C:
			return
		case <-mine.ctx.Done():
			return
		}
	}
}

// isCovered answers a request that a lasting answer to an earlier one covers.
func (t *approvalTerminal) isCovered(a *pendingRequest) bool {
	if a.Covered == nil {
		return false
	}
	answer, err := a.Covered(a.ctx)
	if err != nil || answer.Choice == guard.Abstain {
		return false
	}
	t.decide(a, answer, nil)
	return true
}

var errGone = errors.New("the request is gone")

// Keyboard is where the person types.
func (t *approvalTerminal) Keyboard() *keyboardInput { return t.keyboard }
