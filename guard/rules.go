package guard

import "context"

// Rules are the user's rules of all layers. As a guard they deny and ask; as an approver they approve what allow rules
// cover. Deny wins over ask, ask over allow, whatever the layers and the order.
type Rules struct {
	List     []Rule
	Programs Programs
}

// Judge returns the strictest of the deny and ask rules that are about the call.
func (r *Rules) Judge(_ context.Context, c Case) Verdict {
	s := newSubject(c, r.Programs)
	var v Verdict
	for _, rule := range r.List {
		if rule.Decision == Allow || rule.Decision < v.Decision || !rule.forbids(s) {
			continue
		}
		v = Stricter(v, Verdict{Decision: rule.Decision, Severity: High, PersonOnly: true, Guard: "rules", Rules: []string{"rule " + rule.String()},
			Reason: rule.reason(), RuleAt: rule.Source})
	}
	return v
}

func (r Rule) reason() string {
	if r.Why != "" {
		return r.Why
	}
	if r.Decision == Deny {
		return "the rule " + r.at() + " denies it"
	}
	return "the rule " + r.at() + " requires an approval"
}

// Approve approves a call that allow rules cover, else it abstains.
func (r *Rules) Approve(_ context.Context, c Case, v Verdict) (Answer, error) {
	if v.PersonOnly {
		return Answer{Choice: Abstain}, nil
	}
	if rule := r.covers(c, v); rule != nil {
		return Answer{Choice: Approved, By: "rule " + rule.at()}, nil
	}
	return Answer{Choice: Abstain}, nil
}

// Covers returns a rule that allows the call, or nil. A line of several commands is covered where each of them either
// needs no approval or is covered by itself.
func (r *Rules) Covers(c Case, worst Severity) *Rule {
	return r.covers(c, Verdict{Severity: worst})
}

func (r *Rules) covers(c Case, v Verdict) *Rule {
	s := newSubject(c, r.Programs)
	if rule := r.whole(s, v.Severity); rule != nil {
		return rule
	}
	if s.report == nil || len(s.report.Parts) < 2 {
		return nil
	}
	floor := None // what is no part of the line: a credential in it, what the session has read
	if v.has("secrets.", "taint.", "guard.") {
		floor = v.Severity
	}
	return r.parts(s, floor)
}

// Held returns a rule that would allow the call if it had "risk": "high"; nil where there is none.
func (r *Rules) Held(c Case) *Rule {
	risky := &Rules{Programs: r.Programs}
	for _, rule := range r.List {
		rule.Risk = true
		risky.List = append(risky.List, rule)
	}
	return risky.Covers(c, Critical)
}

func (r *Rules) whole(s subject, worst Severity) *Rule {
	for i := range r.List {
		rule := &r.List[i]
		if rule.Decision == Allow && rule.Layer.loosens() && (rule.Risk || worst <= Low) && rule.permits(s) {
			return rule
		}
	}
	return nil
}

// parts finds a rule for each part that asks. The findings outside of literal parts must not ask at all.
func (r *Rules) parts(s subject, floor Severity) *Rule {
	var last *Rule
	for _, f := range s.report.Findings {
		d, severity := decide(f.Class, s.c.Mode, s.c.Isolation)
		if d == Allow {
			continue
		}
		part := s.report.PartOf(f)
		if d == Deny || part == nil || !part.Literal {
			return nil
		}
		rule := r.forWords(part.Words, max(severity, floor))
		if rule == nil {
			return nil
		}
		last = rule
	}
	return last
}

func (r *Rules) forWords(words []string, worst Severity) *Rule {
	for i := range r.List {
		rule := &r.List[i]
		if rule.Decision == Allow && rule.Layer.loosens() && rule.Tool == "bash" && (rule.Risk || worst <= Low) &&
			(rule.Spec == "" || rule.permitsWords(words)) {
			return rule
		}
	}
	return nil
}
