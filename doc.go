// Package rein is the harness between a language model and the world: the model asks for a tool call, rein checks it, runs
// it and reports the result.
//
// This package only holds the overview. A call takes the same steps whoever asks for it:
//
//	tool      what a model may call, and what it gets back
//	guard     what may happen: verdicts, rules, approvers
//	toolcall  the pipeline of a call, a file for each step
//	agent     the loop: send the conversation to a model, run its calls, send the results
//
// Beside them: schema, workspace, sandbox, event, journal, model, toolkit, harness, and the program in cmd/rein. Each can be
// used alone. docs/library.md shows how; docs/maintainers/architecture.md says how the parts fit and why.
package rein
