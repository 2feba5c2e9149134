package main

import (
	"context"
	"os"

	"rein/app/harness"
	"rein/guard"
)

// person answers the approval requests of a harness at a terminal.
type person struct{ terminal *approvalTerminal }

// personAt returns the person at a terminal; nil if no person is connected.
func personAt(t *approvalTerminal) harness.Person {
	if !t.Present() {
		return nil
	}
	return person{t}
}

// personHere returns the person at the terminal of this process; nil if no person is connected.
func personHere() harness.Person { return personAt(newApprovalTerminal(os.Stdin, os.Stderr)) }

// Ask shows the request and waits for an answer.
func (p person) Ask(ctx context.Context, r *harness.Request) (guard.Answer, error) {
	shown := &terminalRequest{Lines: r.Lines, Case: r.Case, Severity: r.Verdict.Severity, Covered: r.Covered, Claim: r.Claim}
	for _, s := range r.Scopes {
		shown.Scopes = append(shown.Scopes, terminalScope{Scope: s.Scope, Text: s.Text})
	}
	return p.terminal.Ask(ctx, shown)
}
