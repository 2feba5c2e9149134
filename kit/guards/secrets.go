package guards

import (
	"context"

	"rein/guard"
	"rein/guard/effect"
	"rein/redact"
	"rein/tool"
)

// Secrets is the guard of credentials that would be sent away: a call that contacts the network and has a credential in its
// arguments needs the approval of a person.
type Secrets struct {
	Programs Programs
	// Mask knows the session's secrets; nil still knows the shapes of common keys.
	Mask *redact.Filter
}

// Judge asks when a credential would be sent to the network.
func (s Secrets) Judge(_ context.Context, c guard.Case) guard.Verdict {
	if !s.leaves(c) {
		return guard.Verdict{}
	}
	if args := string(c.Call.Args) + c.Intent.Command; s.Mask.String(args) == args {
		return guard.Verdict{}
	}
	return guard.Verdict{Decision: guard.Ask, Severity: guard.High, Guard: "secrets", Rules: []string{"secrets.arguments"},
		Reason: "the arguments of a call that contacts the network contain a credential"}
}

// leaves reports whether anything of the call goes to the network.
func (s Secrets) leaves(c guard.Case) bool {
	if len(c.Intent.Hosts) > 0 {
		return true
	}
	if c.Intent.Command == "" {
		return c.Effect&tool.Reaches != 0 && c.Intent.Unknown
	}
	for _, f := range s.Programs.Read(c).Findings {
		switch f.Class {
		case effect.Network, effect.Publish, effect.Upload, effect.RemoteChange, effect.RemoteShell, effect.RemoteCode, effect.Install, effect.Exfil:
			return true
		}
	}
	return false
}
