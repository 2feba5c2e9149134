package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"rein/app/harness"
	"rein/app/session"
	"rein/event"
	"rein/guard"
)

// Person answers the approval requests of a harness on the screen: give it to harness.Options, and then to Open. It may be
// asked before Run begins; the requests wait. A server gives it what happens outside of the turns that the
// screen began.
type Person struct{ requests *pendingRequests }

// NewPerson makes the person at the terminal.
func NewPerson() *Person { return &Person{newPending()} }

// asked is one request that waits for an answer.
type asked struct {
	*harness.Request
	id string
}

// Ask shows the request and waits for the answer: see harness.Person.
func (p *Person) Ask(ctx context.Context, r *harness.Request) (guard.Answer, error) {
	id := r.Session + " " + r.Call
	return p.requests.Wait(ctx, pendingRequest{ID: id, Shown: &asked{r, id}, Claim: r.Claim, Covered: r.Covered})
}

// What comes from a session beside events.
type (
	warning struct{ line string }   // a line of the program for the user
	offline struct{ reason string } // there is no connection to the session; "": it is there again
	joined  struct{}                // somebody else began a turn
	moved   struct {                // the session goes on elsewhere
		session session.Session
		missed  []event.Event
		words   string
	}
)

// Warn shows a line: give it to harness.Options.
func (p *Person) Warn(line string) { p.requests.Box.Put(warning{line}) }

// Back puts a message that was refused into the line again.
func (p *Person) Back(message string) {
	p.requests.Box.Put(done{func(u *ui) tea.Cmd {
		u.line.add(message)
		return nil
	}})
}

// Happened shows an event that belongs to no turn.
func (p *Person) Happened(e event.Event) { p.requests.Box.Put(e) }

// Joined lets the screen show the turn that somebody else began, by Resume.
func (p *Person) Joined() { p.requests.Box.Put(joined{}) }

// Moved lets the screen go on with the session, which another process leads from now on: missed happened meanwhile, and words say it.
func (p *Person) Moved(s session.Session, missed []event.Event, words string) {
	p.requests.Box.Put(moved{s, missed, words})
}

// Offline shows that there is no connection to the session, and why. An empty reason means that it is there again.
func (p *Person) Offline(reason string) { p.requests.Box.Put(offline{reason}) }
