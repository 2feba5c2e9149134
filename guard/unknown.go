package guard

import (
	"context"

	"rein/tool"
)

// Unknown is the guard of calls that do not declare what they would do: tools of other parties. It judges them by the most
// that their effect allows. What such a tool declares can only make the verdict stricter.
type Unknown struct{}

// Judge judges by the tool's effects.
func (Unknown) Judge(_ context.Context, c Case) Verdict {
	if c.Intent.Command != "" || !c.Intent.Unknown && !c.Intent.IsZero() || c.Effect == 0 {
		return Verdict{}
	}
	v := Verdict{Guard: "unknown", Severity: Low, Rules: []string{"tool.unknown"}, Reason: c.Call.Name + " does not say what it would do"}
	switch {
	case c.Effect&^tool.Reads == 0:
		return Verdict{}
	case c.Mode == Full:
		return Verdict{}
	case c.Mode == Supervised, c.Mode == Auto:
		v.Decision = Ask
	default:
		v.Decision, v.Hint = Deny, hint(0, c.Mode)
	}
	return v
}
