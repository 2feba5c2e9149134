package tui

import (
	"context"
	"errors"
	"sync"

	"rein/guard"
	"rein/harness"
	"rein/tui/mailbox"
)

// Person answers the approval requests of a harness on the screen: give it to harness.Options, and then to Run. It may be
// asked before Run begins; the requests wait.
type Person struct {
	box *mailbox.Mailbox

	mu      sync.Mutex
	waiting map[string]*asked
	leaving bool
}

// NewPerson makes the person at the terminal.
func NewPerson() *Person { return &Person{box: mailbox.New(), waiting: map[string]*asked{}} }

// asked is one request that waits for an answer.
type asked struct {
	*harness.Request
	id     string
	answer chan guard.Answer // has room for one
}

// gone says that a request needs no answer any more.
type gone struct {
	id string
	by string // who answered; "" when the turn ended
}

// Ask shows the request and waits for the answer: see harness.Person.
func (p *Person) Ask(ctx context.Context, r *harness.Request) (guard.Answer, error) {
	a := &asked{Request: r, id: r.Session + " " + r.Call, answer: make(chan guard.Answer, 1)}
	if !p.add(a) {
		return guard.Answer{Choice: guard.Later}, nil
	}
	p.box.Put(a)
	select {
	case answer := <-a.answer:
		p.remove(a.id)
		return p.claim(a, answer)
	case <-ctx.Done():
		p.remove(a.id)
		g := gone{id: a.id}
		if by, ok := errors.AsType[guard.Answered](context.Cause(ctx)); ok {
			g.by = by.Answer.String()
		}
		p.box.Put(g)
		return guard.Answer{Choice: guard.Abstain}, nil
	}
}

// warning is a line of the program for the user.
type warning struct{ line string }

// Warn shows a line: give it to harness.Options.
func (p *Person) Warn(line string) { p.box.Put(warning{line}) }

// claim makes the answer count. If another client was first, its answer holds and the screen shows who gave it.
func (p *Person) claim(a *asked, answer guard.Answer) (guard.Answer, error) {
	if a.Claim == nil || answer.Choice == guard.Later {
		return answer, nil
	}
	first, err := a.Claim(answer)
	if err == nil && (first.From != answer.From || first.By != answer.By) {
		p.box.Put(gone{id: a.id, by: first.String()})
	}
	return first, err
}

func (p *Person) add(a *asked) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.leaving {
		return false
	}
	p.waiting[a.id] = a
	return true
}

func (p *Person) remove(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, id)
}

// answer answers a request that waits, if it still does.
func (p *Person) answer(id string, a guard.Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.waiting[id]; w != nil {
		select {
		case w.answer <- a:
		default:
		}
	}
}

// covered answers the requests that a lasting approval, given meanwhile, covers too.
func (p *Person) covered(ctx context.Context) {
	p.mu.Lock()
	var open []*asked
	for _, a := range p.waiting {
		open = append(open, a)
	}
	p.mu.Unlock()
	for _, a := range open {
		if a.Covered == nil {
			continue
		}
		if answer, err := a.Covered(ctx); err == nil && answer.Choice == guard.Approved {
			p.answer(a.id, answer)
			p.box.Put(gone{id: a.id, by: answer.String()})
		}
	}
}

// leave suspends the session: the requests that wait stay in the inbox, and so does each one that comes from now on.
func (p *Person) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaving = true
	for _, a := range p.waiting {
		select {
		case a.answer <- guard.Answer{Choice: guard.Later}:
		default:
		}
	}
}
