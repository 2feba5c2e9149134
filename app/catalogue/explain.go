package catalogue

import (
	"context"
	"strings"

	"rein/guard"
	"rein/kit/guards"
)

// Explanation is what a call would do and what is decided about it. Texts of the call are made printable.
type Explanation struct {
	Parts   []ExplainedPart // the simple commands of a shell command
	Effects []string        // in words
	Guards  guard.Verdict   // of the guards, without the rules that allow
	Verdict guard.Verdict   // of both
	By      string          // the rule that allows what the guards ask about; "" if none does
	Held    *guards.Rule    // a rule that covers the call only with "risk": "high"; nil: none
	Always  []guards.Rule   // that a lasting approval would add
}

// ExplainedPart is one simple command.
type ExplainedPart struct {
	Class string // what kind of program it is, for the guard
	Words string
}

// JudgingGuards are those of a workspace with its rules. It has the form of a harness.GuardSet and is made from one.
type JudgingGuards struct {
	*guards.Set
	Rules *guards.Rules
}

// Allow adds rules by which calls run because a person allowed their kind for a session.
func (g JudgingGuards) Allow(rules []string) error {
	for _, text := range rules {
		r, err := guards.ParseRule(text)
		if err != nil {
			return err
		}
		r.Layer = guards.SessionLayer
		g.Rules.Keep([]guards.Rule{r})
	}
	return nil
}

// BareGuards returns guards without rules that know nothing of this machine: home and user are where calls are judged, confined are the
// tools that open files only through the workspace, no work is unsaved, and the history of git has no secrets.
func BareGuards(home, user string, confined []string, unsaved func(context.Context, string) (changed, untracked []string, err error)) JudgingGuards {
	return JudgingGuards{Set: guards.New(guards.Options{Confined: confined, Unsaved: unsaved, History: func(context.Context, string, []string) error { return nil }, Here: guards.Here{
		Home: home, User: user, Self: []string{"rein", "harness"},
		Settings: []string{home + "/.config/harness", home + "/.local/state/harness"},
	}})}
}

// Explain judges a call.
func (g JudgingGuards) Explain(ctx context.Context, c guard.Case) Explanation {
	var out Explanation
	out.Guards = g.Judge(ctx, c)
	if c.Intent.Command != "" {
		for _, p := range g.Programs.Read(c).Parts {
			words := make([]string, len(p.Words))
			for i, w := range p.Words {
				words[i] = guard.Printable(w)
			}
			out.Parts = append(out.Parts, ExplainedPart{p.Class.String(), strings.Join(words, " ")})
		}
	}
	for _, e := range out.Guards.Effects {
		out.Effects = append(out.Effects, guard.Printable(e))
	}
	var answer guard.Answer
	out.Verdict, answer = g.Decide(ctx, c)
	switch {
	case out.Guards.Decision != guard.Ask:
		out.Verdict.Decision = out.Guards.Decision
	case out.Verdict.Decision == guard.Allow:
		out.By = answer.By.String()
	default:
		out.Held = g.Rules.Held(c)
		out.Always = guards.OfferRules(c, out.Guards, g.Programs)
	}
	return out
}
