package guards

import (
	"context"

	"rein/guard"
	"rein/kit/places"
)

// AccessRequests is the guard of calls that grant later calls access beyond the sandbox: only a person may approve them, in
// every mode. It adds to what the other guards say of the same places and hosts; what they deny cannot be opened.
type AccessRequests struct{ Here Here }

// Judge asks for every request for access, and denies those that would grant too much at once.
func (w AccessRequests) Judge(_ context.Context, c guard.Case) guard.Verdict {
	if !c.Intent.RequestsAccess {
		return guard.Verdict{}
	}
	v := guard.Verdict{Decision: guard.Ask, Severity: guard.High, PersonOnly: true, Guard: "access", Rules: []string{"sandbox.access"}}
	if c.Mode == guard.ReadOnly || c.Mode == guard.Plan {
		v.Decision, v.Reason, v.Hint = guard.Deny, "requests access beyond the sandbox", hint(0, c.Mode)
		return v
	}
	at := w.Here.Places(c)
	for _, name := range append(c.Intent.Writes[:len(c.Intent.Writes):len(c.Intent.Writes)], c.Intent.Reads...) {
		settings, secrets := places.Holds(name, at)
		switch {
		case settings || places.Classify(name, at) == places.Settings:
			v.Decision, v.Severity, v.Reason = guard.Deny, guard.Critical, "would grant access to "+name+", which contains the harness's own settings"
			return v
		case places.IsRoot(name, at) || secrets && len(c.Intent.Writes) > 0:
			v.Decision, v.Severity, v.Reason, v.Hint = guard.Deny, guard.Critical, "would grant access to "+name+", which contains much more than the workspace", "Name the directory in it that you need."
			return v
		}
	}
	switch {
	case len(c.Intent.Writes) > 0:
		v.Reason = "grants write access to " + c.Intent.Writes[0]
	case len(c.Intent.Reads) > 0:
		v.Reason = "grants read access to " + c.Intent.Reads[0]
	case len(c.Intent.Hosts) > 0:
		v.Reason = "grants network access to " + c.Intent.Hosts[0]
	}
	return v
}

// Questions is the guard of calls that ask the user something: only a person can answer them, in every mode. They do no
// harm, so the severity is None.
type Questions struct{}

// Judge asks where the call has questions.
func (Questions) Judge(_ context.Context, c guard.Case) guard.Verdict {
	if c.Intent.Questions == nil {
		return guard.Verdict{}
	}
	return guard.Verdict{Decision: guard.Ask, PersonOnly: true, Guard: "questions", Rules: []string{"user.question"}, Reason: "it asks the user",
		Hint: "Decide yourself where that is safe and say what you assumed, or end with the open question."}
}
