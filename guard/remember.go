package guard

import "context"

// Remember is the approver that keeps lasting approvals. It asks Next. Where Next approves with a wider scope than Once,
// Remember adds the rules that Offer gives for the call to Memory, and for a scope beyond the session to Save. So a user
// interface only reports which scope the user chose.
type Remember struct {
	Next     Approver
	Programs Programs
	Memory   *Memory
	// Save keeps rules for ForProject and Always. Nil, or an error, leaves the approval to the session; OnError reports it.
	Save    func(Scope, []Rule) error
	OnError func(error) // may be nil
}

// Approve returns the answer of Next. Its scope is the one that was kept: Once, where the call has no lasting approval.
func (r Remember) Approve(ctx context.Context, c Case, v Verdict) (Answer, error) {
	a, err := r.Next.Approve(ctx, c, v)
	if err != nil || a.Choice != Approved || a.Scope == Once {
		return a, err
	}
	rules := Offer(c, v, r.Programs)
	if len(rules) == 0 {
		a.Scope = Once
		return a, nil
	}
	r.Memory.Add(rules)
	if a.Scope == ForSession {
		return a, nil
	}
	if r.Save == nil {
		a.Scope = ForSession
	} else if err := r.Save(a.Scope, rules); err != nil {
		a.Scope = ForSession
		if r.OnError != nil {
			r.OnError(err)
		}
	}
	return a, nil
}
