package guards

import (
	"context"

	"rein/guard"
	"rein/guard/effect"
	"rein/kit/shell"
)

// Hosts is the guard of the network: hosts that a call contacts by itself, not through a shell.
type Hosts struct {
	// Known reports whether the user's settings allow a host to a tool; a call that contacts it then needs no approval. Nil: no
	// host is known.
	Known func(tool, host string) bool
}

// Judge judges the hosts of the intent.
func (h Hosts) Judge(_ context.Context, c guard.Case) guard.Verdict {
	r := &effect.Report{}
	for _, host := range c.Intent.Hosts {
		r.Hosts = append(r.Hosts, host)
		switch {
		case shell.IsMetadata(host):
			r.Findings = append(r.Findings, effect.Finding{Class: effect.Exfil, Why: "requests the machine's credentials from the cloud at " + host})
		case h.Known == nil || !h.Known(c.Call.Name, host):
			r.Findings = append(r.Findings, effect.Finding{Class: effect.Network, Why: "contacts " + host})
		case c.Mode < guard.Supervised:
			r.Findings = append(r.Findings, effect.Finding{Class: effect.Network, Why: "contacts " + host})
		}
	}
	if len(r.Hosts) == 0 {
		return guard.Verdict{}
	}
	v := VerdictOf(r, c.Mode, guard.FullIsolation)
	v.Guard = "hosts"
	for i, rule := range v.Rules {
		v.Rules[i] = "host." + rule[len("shell."):]
	}
	return v
}
