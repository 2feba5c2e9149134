// Package guard decides which calls may run: guards judge a call, the strictest verdict wins, and approvers answer the
// calls whose verdict is Ask. Package kit/guards is the full set of guards. The package does no I/O.
package guard

import (
	"slices"
	"strings"
)

// Decision is what a guard decides about a call. Guards can only raise it.
type Decision uint8

// The decisions, from the mildest to the strictest.
const (
	Allow Decision = iota
	Ask
	Deny
)

// String returns "allow", "ask" or "deny".
func (d Decision) String() string { return [...]string{"allow", "ask", "deny"}[d] }

// Severity describes how much harm a call would do if it were wrong.
type Severity uint8

// The severities.
const (
	None Severity = iota
	Low
	Medium
	High
	Critical
)

// String returns the severity's name in lower case.
func (s Severity) String() string { return [...]string{"none", "low", "medium", "high", "critical"}[s] }

// ChangedDefinition is the rule of a verdict on the tool of a server whose definition changed since it was first used: an approval accepts the
// definition for later calls too.
const ChangedDefinition = "mcp.definition"

// Verdict is the judgement of one guard, or the joined judgement of several. The zero value allows.
type Verdict struct {
	Decision Decision
	Severity Severity
	Guard    string   // who judged
	Rules    []string // ids of the rules that matched
	Reason   string   // one line for the model and the user
	Hint     string   // what the model could do instead
	RuleAt   string   // file:line of the user's rule, if one decided
	Effects  []string // what the call would do, in words: "writes src/a.go", "contacts example.com"

	// PersonOnly means that only a person may approve the call. An allow rule cannot: the user's own rule wants the
	// approval request, or no rule can foresee what is at risk.
	PersonOnly bool

	// Stop, of a verdict that denies, ends the turn: no other call of it runs, and the model is not asked again.
	Stop bool
}

// Clone returns a copy that shares nothing with the verdict.
func (v Verdict) Clone() Verdict {
	v.Rules, v.Effects = slices.Clone(v.Rules), slices.Clone(v.Effects)
	return v
}

// Stricter returns the stricter of two verdicts; the effects, rules and reasons of equally strict ones are joined. An
// allowed verdict's effects are never lost.
func Stricter(a, b Verdict) Verdict {
	if b.Decision > a.Decision || b.Decision == a.Decision && b.Severity > a.Severity {
		a, b = b, a
	}
	a.Effects = union(a.Effects, b.Effects)
	a.Severity = max(a.Severity, b.Severity)
	if a.Decision != b.Decision {
		return a
	}
	a.PersonOnly, a.Stop = a.PersonOnly || b.PersonOnly, a.Stop || b.Stop
	a.Rules = union(a.Rules, b.Rules)
	if a.RuleAt == "" {
		a.RuleAt = b.RuleAt
	}
	switch {
	case a.Reason == "":
		a.Guard, a.Reason, a.Hint = b.Guard, b.Reason, b.Hint
	case b.Reason != "" && !strings.Contains(a.Reason, b.Reason):
		a.Reason += "; " + b.Reason
	}
	return a
}

func union(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	joined := append([]string(nil), a...)
	for _, s := range b {
		if !slices.Contains(joined, s) {
			joined = append(joined, s)
		}
	}
	return joined
}
