// Package pending holds the approval requests that wait for the person at the terminal.
package pending

import (
	"context"
	"errors"
	"sync"

	"rein/guard"
	"rein/tui/mailbox"
)

// Requests are those that wait. Its methods may be called at once.
type Requests struct {
	Box *mailbox.Mailbox // gets the Shown of each request, and a Gone when it needs no answer any more

	mu      sync.Mutex
	waiting map[string]*Request
	leaving bool
}

// New returns no requests, and an empty mailbox.
func New() *Requests { return &Requests{Box: mailbox.New(), waiting: map[string]*Request{}} }

// Request is one that waits.
type Request struct {
	ID      string                                      // names it among all that wait
	Shown   any                                         // what the mailbox gets
	Claim   func(guard.Answer) (guard.Answer, error)    // gives the answer that counts, of whoever was first; nil: the own one
	Covered func(context.Context) (guard.Answer, error) // the answer of a lasting approval that was given meanwhile; nil: none

	answer chan guard.Answer // has room for one
}

// Gone says that a request needs no answer any more.
type Gone struct {
	ID string
	By string // who answered; "" when the turn ended
}

// Wait shows the request and waits for the answer.
func (p *Requests) Wait(ctx context.Context, r Request) (guard.Answer, error) {
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
		g := Gone{ID: r.ID}
		if by, ok := errors.AsType[guard.Answered](context.Cause(ctx)); ok {
			g.By = by.Answer.String()
		}
		p.Box.Put(g)
		return guard.Answer{Choice: guard.Abstain}, nil
	}
}

// claim makes the answer count. If another client was first, its answer holds and the screen shows who gave it.
func (p *Requests) claim(r *Request, answer guard.Answer) (guard.Answer, error) {
	if r.Claim == nil || answer.Choice == guard.Later {
		return answer, nil
	}
	first, err := r.Claim(answer)
	if err == nil && (first.From != answer.From || first.By != answer.By) {
		p.Box.Put(Gone{ID: r.ID, By: first.String()})
	}
	return first, err
}

func (p *Requests) add(r *Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.leaving {
		return false
	}
	p.waiting[r.ID] = r
	return true
}

func (p *Requests) remove(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, id)
}

// Answer answers a request, if it still waits.
func (p *Requests) Answer(id string, a guard.Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.waiting[id]; r != nil {
		r.give(a)
	}
}

// give gives an answer where there is none yet.
func (r *Request) give(a guard.Answer) {
	select {
	case r.answer <- a:
	default:
	}
}

// Cover answers the requests that a lasting approval, given meanwhile, covers too.
func (p *Requests) Cover(ctx context.Context) {
	p.mu.Lock()
	var open []*Request
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
			p.Box.Put(Gone{ID: r.ID, By: answer.String()})
		}
	}
}

// Leave answers the requests that wait, and each one that comes from now on, with Later: they stay in the inbox.
func (p *Requests) Leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaving = true
	for _, r := range p.waiting {
		r.give(guard.Answer{Choice: guard.Later})
	}
}
