package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"rein/app/harness"
	"rein/app/tui/text"
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
func personHere() harness.Person { return personAt(terminalHere()) }

// terminalHere is the terminal of this process, in the language of the user.
func terminalHere() *approvalTerminal {
	t := newApprovalTerminal(os.Stdin, os.Stderr)
	t.Own = ownWords()
	return t
}

// Ask shows the request and waits for an answer.
func (p person) Ask(ctx context.Context, r *harness.Request) (guard.Answer, error) {
	shown := &terminalRequest{Lines: linesIn(p.terminal.Own, r.Shown, r.Lines), Case: r.Case, Alone: r.HighRisk(), Covered: r.Covered, Claim: r.Claim}
	if who := strings.TrimSpace(r.Case.Agent + " " + r.Case.SubAgent); who != "" && len(shown.Lines) > 0 { // as its start was shown
		shown.Lines = slices.Insert(slices.Clone(shown.Lines), 1, p.terminal.Own.Of("  agent    %s", guard.Printable(who)))
	}
	for _, s := range r.Scopes {
		shown.Scopes = append(shown.Scopes, terminalScope{Scope: s.Scope, Text: p.terminal.Own.Fit(s.Text, scopeForms...)})
	}
	return p.terminal.Ask(ctx, shown)
}

// linesIn are the lines of a request in the language of the person.
func linesIn(own text.Words, shown guard.Request, lines []string) []string {
	switch {
	case own == nil:
	case slices.Equal(lines, shown.Lines()):
		shown.Reason = own.Reason(shown.Reason)
		return shown.LinesIn(own.Of)
	case shown.GrantsAccess: // its lines are the program's own, none is of a command
		lines = slices.Clone(lines)
		for i, line := range lines {
			if why, ok := strings.CutPrefix(line, "  because  "); ok {
				line = own.Of("  because  %s", own.Reason(why))
			}
			lines[i] = own.Fit(line, accessForms...)
		}
	}
	return lines
}

// accessForms are the lines of a request for access, scopeForms those of how long an approval may last: see app/harness.
var (
	accessForms = []string{"  opens    %s", "  what for %s (the model's words)",
		"  once     opens it for the next command, or the next file or web call that uses it",
		"  always   opens it for this session, for this project (kept in %s), or for all (kept in %s)"}
	scopeForms = []string{"for this session", "for this project, kept in %s", "for all projects, kept in %s"}
)
