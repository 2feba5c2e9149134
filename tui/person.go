package tui

import (
	"context"

	"rein/guard"
	"rein/harness"
	"rein/tui/pending"
)

// Person answers the approval requests of a harness on the screen: give it to harness.Options, and then to Open. It may be
// asked before Run begins; the requests wait.
type Person struct{ requests *pending.Requests }

// NewPerson makes the person at the terminal.
func NewPerson() *Person { return &Person{pending.New()} }

// asked is one request that waits for an answer.
type asked struct {
	*harness.Request
	id string
}

// Ask shows the request and waits for the answer: see harness.Person.
func (p *Person) Ask(ctx context.Context, r *harness.Request) (guard.Answer, error) {
	id := r.Session + " " + r.Call
	return p.requests.Wait(ctx, pending.Request{ID: id, Shown: &asked{r, id}, Claim: r.Claim, Covered: r.Covered})
}

// warning is a line of the program for the user.
type warning struct{ line string }

// Warn shows a line: give it to harness.Options.
func (p *Person) Warn(line string) { p.requests.Box.Put(warning{line}) }
