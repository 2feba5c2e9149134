package guards

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rein/guard"
)

// RuleLimits is a guard that keeps somebody, such as a sub-agent, to rules given as texts. The zero value has no opinion.
type RuleLimits struct {
	Whose string   // for the reasons
	Only  []string // a tool that one of them names with arguments is used for nothing else
	Rest  bool     // every call that none of Only covers is denied, also those of tools that they do not name
	Deny  []string // what is denied
	Ask   []string // what needs an approval
}

// Judge denies and asks. A text that is no rule denies.
func (l RuleLimits) Judge(ctx context.Context, c guard.Case) guard.Verdict {
	var set Rules
	c = set.Programs.Prepare(c) // the command is parsed once
	for d, texts := range map[guard.Decision][]string{guard.Deny: l.Deny, guard.Ask: l.Ask} {
		for _, text := range texts {
			r, err := ParseRule(text)
			if err != nil {
				return l.deny(err.Error())
			}
			r.Decision, r.Source = d, l.Whose
			set.List = append(set.List, r)
		}
	}
	v := set.Judge(ctx, c)
	return guard.Stricter(v, l.only(c))
}

// only denies what is none of the calls of Only.
func (l RuleLimits) only(c guard.Case) guard.Verdict {
	var about []string
	for _, text := range l.Only {
		r, err := ParseRule(text)
		if err != nil {
			return l.deny(err.Error())
		}
		if r.Spec != "" && r.names(c.Call.Name) {
			about = append(about, text)
		}
	}
	switch {
	case len(about) == 0 && !l.Rest, OnlyByRules(l.Only, c):
		return guard.Verdict{}
	case len(about) == 0:
		return l.deny(fmt.Sprintf("%s may only make the calls %s", l.Whose, strings.Join(l.Only, ", ")))
	}
	return l.deny(fmt.Sprintf("%s may use %s only for %s", l.Whose, c.Call.Name, strings.Join(about, ", ")))
}

// RulesAbout reports whether one of some rules, as texts, is about calls of a tool.
func RulesAbout(texts []string, tool string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		r, err := ParseRule(text)
		return err == nil && r.names(tool)
	})
}

func (l RuleLimits) deny(why string) guard.Verdict {
	return guard.Verdict{Decision: guard.Deny, Severity: guard.Medium, Guard: "rules", Rules: []string{"rule.only"}, Reason: why}
}

// allowing makes allow rules of texts, whatever the severity of a call is. A text that is no rule allows nothing.
func allowing(texts []string) *Rules {
	set := &Rules{}
	for _, text := range texts {
		if r, err := ParseRule(text); err == nil {
			r.Decision, r.Layer, r.Risk = guard.Allow, User, true
			set.List = append(set.List, r)
		}
	}
	return set
}

// RulesCover reports whether one of some rules, as texts, covers a call, whatever its severity. A text that is no rule covers
// nothing.
func RulesCover(texts []string, c guard.Case) bool {
	return allowing(texts).Covers(c, guard.Critical) != nil
}

// OnlyByRules reports whether a call does nothing but what some rules, as texts, say. Unlike RulesCover it lets no further command of a line pass,
// also one that needs no approval.
func OnlyByRules(texts []string, c guard.Case) bool {
	set := allowing(texts)
	s := newSubject(c, set.Programs)
	if set.whole(s, guard.Critical) != nil {
		return true
	}
	if s.report == nil || s.report.Fault != "" || len(s.report.Parts) < 2 {
		return false
	}
	commands := slices.Clip(s.report.Commands)
	for _, p := range s.report.Parts {
		if !p.Literal {
			return false
		}
		commands = append(commands, p.Words)
	}
	var used []*Rule
	for _, words := range commands {
		rule := set.forWords(words, guard.Critical)
		if rule == nil {
			return false
		}
		if !slices.Contains(used, rule) {
			used = append(used, rule)
		}
	}
	return s.within(used)
}
