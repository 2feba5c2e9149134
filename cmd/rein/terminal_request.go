package main

import (
	"context"

	"rein/guard"
)

// terminalRequest is an approval request as the terminal shows it. The zero value of each field but Lines is the usual case.
type terminalRequest struct {
	Lines  []string        // the request as text: all of the call, its effects, the diff of an edit
	Scopes []terminalScope // the ways in which an approval may last; none: only this call
	Case   guard.Case
	Alone  bool // it is never answered together with others

	// Covered returns the answer when a lasting approval that was given meanwhile covers the call; else Abstain. Nil: none.
	Covered func(context.Context) (guard.Answer, error)
	// Claim makes an answer the one that counts, or gives the one that another client gave before. Nil: there are no
	// other clients.
	Claim func(guard.Answer) (guard.Answer, error)
}

// terminalScope is one way in which an approval may last.
type terminalScope struct {
	Scope guard.Scope
	Text  string // what it covers, and where it is kept
}
