package cli

import (
	"context"
	"os"

	"rein/cmd/rein/internal/console"
	"rein/guard"
	"rein/harness"
)

// person answers the approval requests of a harness at a terminal.
type person struct{ terminal *console.Terminal }

// PersonAt returns the person at a terminal; nil if no person is connected.
func PersonAt(t *console.Terminal) harness.Person {
	if !t.Present() {
		return nil
	}
	return person{t}
}

// Somebody returns the person at the terminal of this process; nil if no person is connected.
func Somebody() harness.Person { return PersonAt(console.NewTerminal(os.Stdin, os.Stderr)) }

// Ask shows the request and waits for an answer.
func (p person) Ask(ctx context.Context, r *harness.Request) (guard.Answer, error) {
	shown := &console.Request{Lines: r.Lines, Case: r.Case, Severity: r.Verdict.Severity, Covered: r.Covered, Claim: r.Claim}
	for _, s := range r.Scopes {
		shown.Scopes = append(shown.Scopes, console.Scope{Scope: s.Scope, Text: s.Text})
	}
	return p.terminal.Ask(ctx, shown)
}
