package guards

import (
	"context"

	"rein/guard"
	"rein/tool"
)

// Unknown is the guard of calls that do not declare what they would do: tools of other parties. It judges them by the most
// that their effect allows. What such a tool declares can only make the verdict stricter.
type Unknown struct{}

// Judge judges by the tool's effects.
func (Unknown) Judge(_ context.Context, c guard.Case) guard.Verdict {
	if c.Intent.Command != "" || !c.Intent.Unknown && !c.Intent.IsZero() || c.Effect == 0 {
		return guard.Verdict{}
	}
	v := guard.Verdict{Guard: "unknown", Severity: guard.Low, Rules: []string{"tool.unknown"}, Reason: c.Call.Name + " does not say what it would do"}
	switch {
	case c.Effect&^tool.Reads == 0:
		return guard.Verdict{}
	case c.Mode == guard.Full:
		return guard.Verdict{}
	case c.Mode > guard.Plan:
		v.Decision = guard.Ask
	default:
		v.Decision, v.Hint = guard.Deny, hint(0, c.Mode)
	}
	return v
}
