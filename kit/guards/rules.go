package guards

import (
	"context"
	"slices"
	"strings"
	"sync"

	"rein/guard"
)

// Rules holds the rules of all layers of settings, and those that the user approved for the session. As a guard it denies and
// asks; as an approver it approves what allow rules cover. Deny wins over ask, ask over allow, whatever the layers and the
// order. The zero value has no rules.
type Rules struct {
	List     []Rule
	Programs Programs

	lock sync.Mutex
	kept []Rule // for the session
	gone []Rule // see Withdraw
}

// Keep remembers rules of a lasting approval until the session ends: see Offer.
func (r *Rules) Keep(rules []Rule) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.kept = append(r.kept, rules...)
}

// Kept returns the rules of lasting approvals that no settings file has.
func (r *Rules) Kept() (kept []Rule) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, rule := range r.kept {
		if rule.Layer == SessionLayer && !slices.ContainsFunc(kept, rule.same) {
			kept = append(kept, rule)
		}
	}
	return kept
}

// Forget takes such a rule away. It reports whether there was one.
func (r *Rules) Forget(rule string) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	before := len(r.kept)
	r.kept = slices.DeleteFunc(r.kept, func(kept Rule) bool { return kept.Layer == SessionLayer && kept.String() == rule })
	return len(r.kept) < before
}

// Withdraw takes away what settings files allowed and no longer allow: now are their rules as they are now.
func (r *Rules) Withdraw(now []Rule) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.gone = nil
	for _, rule := range slices.Concat(r.List, r.kept) {
		if rule.Decision == guard.Allow && rule.Layer <= User && !slices.ContainsFunc(now, rule.same) {
			r.gone = append(r.gone, rule)
		}
	}
}

// same reports whether rules of the same kind of layer allow, ask or deny the same.
func (r Rule) same(o Rule) bool {
	return r.Decision == o.Decision && r.String() == o.String() && r.Risk == o.Risk && (r.Layer <= User) == (o.Layer <= User)
}

// all returns the rules of the settings and then those of the session.
func (r *Rules) all() []Rule {
	r.lock.Lock()
	defer r.lock.Unlock()
	return slices.DeleteFunc(slices.Concat(r.List, r.kept), func(rule Rule) bool {
		return len(r.gone) > 0 && slices.ContainsFunc(r.gone, rule.same)
	})
}

// Judge returns the strictest of the deny and ask rules that are about the call.
func (r *Rules) Judge(_ context.Context, c guard.Case) guard.Verdict {
	s := newSubject(c, r.Programs)
	var v guard.Verdict
	for _, rule := range r.all() {
		if rule.Decision == guard.Allow || rule.Decision < v.Decision || !rule.forbids(s) {
			continue
		}
		v = guard.Stricter(v, guard.Verdict{Decision: rule.Decision, Severity: guard.High, PersonOnly: true, Guard: "rules", Rules: []string{"rule " + rule.String()},
			Reason: rule.reason(), RuleAt: rule.Source})
	}
	return v
}

func (r Rule) reason() string {
	if r.Why != "" {
		return r.Why
	}
	if r.Decision == guard.Deny {
		return "the rule " + r.at() + " denies it"
	}
	return "the rule " + r.at() + " requires an approval"
}

// Approve approves a call that allow rules cover, else it abstains.
func (r *Rules) Approve(_ context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	if v.PersonOnly {
		return guard.Answer{Choice: guard.Abstain}, nil
	}
	if rule := r.covers(c, v); rule != nil {
		return guard.Answer{Choice: guard.Approved, By: guard.ByRule(rule.at())}, nil
	}
	return guard.Answer{Choice: guard.Abstain}, nil
}

// Covers returns a rule that allows the call, or nil. A line of several commands is covered where each of them either
// needs no approval or is covered separately.
func (r *Rules) Covers(c guard.Case, worst guard.Severity) *Rule {
	return r.covers(c, guard.Verdict{Severity: worst})
}

func (r *Rules) covers(c guard.Case, v guard.Verdict) *Rule {
	s := newSubject(c, r.Programs)
	if rule := r.whole(s, v.Severity); rule != nil {
		return rule
	}
	if s.report == nil || s.report.Simple != nil { // what is simple is whole
		return nil
	}
	floor := guard.None // what is no part of the line: a credential in it, what the session has read
	if hasRule(v, "secrets.", "taint.", "guard.") {
		floor = v.Severity
	}
	return r.parts(s, floor)
}

// Held returns a rule that would allow the call if it had "risk": "high"; nil where there is none.
func (r *Rules) Held(c guard.Case) *Rule {
	risky := &Rules{Programs: r.Programs}
	for _, rule := range r.all() {
		rule.Risk = true
		risky.List = append(risky.List, rule)
	}
	return risky.Covers(c, guard.Critical)
}

func (r *Rules) whole(s subject, worst guard.Severity) *Rule {
	list := r.all()
	for i := range list {
		rule := &list[i]
		if rule.Decision == guard.Allow && rule.Layer.loosens() && (rule.Risk || worst <= guard.Low) && rule.permits(s) {
			return rule
		}
	}
	return nil
}

// parts finds a rule for each part that asks. The findings outside of literal parts must not ask at all.
func (r *Rules) parts(s subject, floor guard.Severity) *Rule {
	var last *Rule
	var used []*Rule
	for _, f := range s.report.Findings {
		d, severity := Decide(f.Class, s.c.Mode, s.c.Isolation)
		if d == guard.Allow {
			continue
		}
		part := s.report.PartOf(f)
		if d == guard.Deny || part == nil || !part.Literal {
			return nil
		}
		rule := r.forWords(part.Words, max(severity, floor))
		if rule == nil {
			return nil
		}
		if last = rule; !slices.Contains(used, rule) {
			used = append(used, rule)
		}
	}
	if last == nil || !s.within(used) {
		return nil
	}
	return last
}

func (r *Rules) forWords(words []string, worst guard.Severity) *Rule {
	list := r.all()
	for i := range list {
		rule := &list[i]
		if rule.Decision == guard.Allow && rule.Layer.loosens() && rule.Tool == "bash" && (rule.Risk || worst <= guard.Low) &&
			(rule.Spec == "" || rule.permitsWords(words)) {
			return rule
		}
	}
	return nil
}

// hasRule reports whether a guard contributed to the verdict: whether the id of a rule begins with one of these.
func hasRule(v guard.Verdict, begins ...string) bool {
	for _, id := range v.Rules {
		for _, b := range begins {
			if strings.HasPrefix(id, b) {
				return true
			}
		}
	}
	return false
}
