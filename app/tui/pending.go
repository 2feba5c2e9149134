package tui

import (
	"context"
	"errors"
	"sync"

	"rein/guard"
)

// pendingRequests are those that wait. Its methods may be called at once.
type pendingRequests struct {
	Box *mailbox // gets the Shown of each request, and a Gone when it needs no answer any more

	mu      sync.Mutex
	waiting map[string]*pendingRequest
	leaving bool
}

// newPending returns no requests, and an empty mailbox.
func newPending() *pendingRequests {
	return &pendingRequests{Box: newMailbox(), waiting: map[string]*pendingRequest{}}
}

// pendingRequest is one that waits.
type pendingRequest struct {
	ID      string                                      // names it among all that wait
	Shown   any                                         // what the mailbox gets
	Claim   func(guard.Answer) (guard.Answer, error)    // gives the answer that counts, of whoever was first; nil: the own one
	Covered func(context.Context) (guard.Answer, error) // the answer of a lasting approval that was given meanwhile; nil: none

	answer chan guard.Answer // has room for one
}

// pendingGone says that a request needs no answer any more.
type pendingGone struct {
	ID string
	By string // who answered; "" when the turn ended
}

// pendingLost says that an answer did not arrive.
type pendingLost struct{ ID string }

// Wait shows the request and waits for the answer.
func (p *pendingRequests) Wait(ctx context.Context, r pendingRequest) (guard.Answer, error) {
	r.answer = make(chan guard.Answer, 1)
	if !p.add(&r) {
		return guard.Answer{Choice: guard.Later}, nil
	}
	p.Box.Put(r.Shown)
	select {
	case answer := <-r.answer:
		p.remove(r.ID)
		return p.claim(&r, answer)
	case <-ctx.Done():
		p.remove(r.ID)
		g := pendingGone{ID: r.ID}
		if by, ok := errors.AsType[guard.Answered](context.Cause(ctx)); ok {
			g.By = by.Answer.String()
		}
		p.Box.Put(g)
		return guard.Answer{Choice: guard.Abstain}, nil
	}
}

// claim makes the answer count. If another client was first, its answer holds and the screen shows who gave it.
func (p *pendingRequests) claim(r *pendingRequest, answer guard.Answer) (guard.Answer, error) {
	if r.Claim == nil || answer.Choice == guard.Later {
		return answer, nil
	}
	first, err := r.Claim(answer)
	if err != nil {
		p.Box.Put(pendingLost{ID: r.ID})
	}
	if err == nil && (first.From != answer.From || first.By != answer.By) {
		p.Box.Put(pendingGone{ID: r.ID, By: first.String()})
	}
	return first, err
}

func (p *pendingRequests) add(r *pendingRequest) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.leaving {
		return false
	}
	p.waiting[r.ID] = r
	return true
}

func (p *pendingRequests) remove(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, id)
}

// Answer answers a request, if it still waits.
func (p *pendingRequests) Answer(id string, a guard.Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.waiting[id]; r != nil {
		r.give(a)
	}
}

// give gives an answer where there is none yet.
func (r *pendingRequest) give(a guard.Answer) {
	select {
	case r.answer <- a:
	default:
	}
}

// Cover answers the requests that a lasting approval, given meanwhile, covers too.
func (p *pendingRequests) Cover(ctx context.Context) {
	p.mu.Lock()
	var open []*pendingRequest
	for _, r := range p.waiting {
		open = append(open, r)
	}
	p.mu.Unlock()
	for _, r := range open {
		if r.Covered == nil {
			continue
		}
		if answer, err := r.Covered(ctx); err == nil && answer.Choice == guard.Approved {
			p.Answer(r.ID, answer)
			p.Box.Put(pendingGone{ID: r.ID, By: answer.String()})
		}
	}
}

// Uncovered reports whether no lasting approval that was given meanwhile covers a request, where that can be known.
func (p *pendingRequests) Uncovered(ctx context.Context, id string) bool {
	p.mu.Lock()
	r := p.waiting[id]
	p.mu.Unlock()
	if r == nil || r.Covered == nil {
		return false
	}
	answer, err := r.Covered(ctx)
	return err == nil && answer.Choice != guard.Approved
}

// Leave answers the requests that wait, and each one that comes from now on, with Later: they stay in the inbox.
func (p *pendingRequests) Leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaving = true
	for _, r := range p.waiting {
		r.give(guard.Answer{Choice: guard.Later})
	}
}
