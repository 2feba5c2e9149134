package judging

import (
	"context"
	"strings"

	"rein/guard"
	"rein/guard/rule"
	"rein/guard/standard"
)

// Explained is what a call would do and what is decided about it. Texts of the call are made printable.
type Explained struct {
	Parts   []Part        // the simple commands of a shell command
	Effects []string      // in words
	Guards  guard.Verdict // of the guards, without the rules that allow
	Verdict guard.Verdict // of both
	By      string        // the rule that allows what the guards ask about; "" if none does
	Held    *rule.Rule    // a rule that covers the call only with "risk": "high"; nil: none
	Always  []rule.Rule   // that a lasting approval would add
}

// Part is one simple command.
type Part struct {
	Class string // what kind of program it is, for the guard
	Words string
}

// Explain judges a call by the guards and rules of a workspace.
func Explain(ctx context.Context, set *standard.Set, rules *rule.Set, c guard.Case) Explained {
	var out Explained
	out.Guards = set.Judge(ctx, c)
	if c.Intent.Command != "" {
		for _, p := range set.Programs.Read(c).Parts {
			words := make([]string, len(p.Words))
			for i, w := range p.Words {
				words[i] = guard.Printable(w)
			}
			out.Parts = append(out.Parts, Part{p.Class.String(), strings.Join(words, " ")})
		}
	}
	for _, e := range out.Guards.Effects {
		out.Effects = append(out.Effects, guard.Printable(e))
	}
	var answer guard.Answer
	out.Verdict, answer = set.Decide(ctx, c)
	switch {
	case out.Guards.Decision != guard.Ask:
		out.Verdict.Decision = out.Guards.Decision
	case out.Verdict.Decision == guard.Allow:
		out.By = answer.By
	default:
		out.Held = rules.Held(c)
		out.Always = rule.Offer(c, out.Guards, set.Programs)
	}
	return out
}
