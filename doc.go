// Package rein is the harness between a language model and the world.
//
// This package is only the map. A call goes one way, from the model's words to a bounded, recorded result:
//
//	tool      what a model may ask for, and what it gets back
//	guard     what may happen: verdicts, rules, guardians, approvers
//	toolcall  the one way a call goes, a file per step
//	agent     the loop: ask a model, run its calls, tell it, until nothing is called
//
// Around them: schema, workspace, sandbox, event, journal, model, toolkit, and the program in cmd/rein.
// docs/architecture.md says how they fit and why; internal/house holds the floors as a test.
package rein
