package harness

import (
	"context"
	"slices"
	"strings"

	"rein/guard"
	"rein/guard/effect"
	"rein/kit/guards"
	"rein/kit/shell"
)

// byLoopback is who answers for commands that reach nothing but servers in their own sandbox.
var byLoopback = guard.ByPolicy("rein: only servers in the sandbox")

// byLoopback approves what contacts only the loopback of its sandbox, or listens in it. Where a program of the machine listens at the port, a person decides, and
// the approval opens it. Nothing is opened by this answer.
func (a *approvals) byLoopback(_ context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	none := guard.Answer{Choice: guard.Abstain}
	if !ownsLoopback || c.Mode < guard.Supervised || c.Intent.Command == "" || c.Isolation != guard.FullIsolation || v.PersonOnly || strings.Join(v.Rules, " ") != "shell.network" {
		return none, nil
	}
	report := a.guards.Programs.Read(c)
	for _, f := range report.Findings {
		if d, _ := guards.Decide(f.Class, c.Mode, c.Isolation); d == guard.Allow {
			continue
		}
		host, known := strings.CutPrefix(f.Why, "contacts ")
		if f.Class != effect.Network || f.Why != shell.ListensEverywhere && (!known || localPort(effect.Contact{Host: host, Port: 1}) == 0) {
			return none, nil
		}
	}
	if len(report.Contacts) > 0 && !a.ownServers(c, report) {
		return none, nil
	}
	return guard.Answer{Choice: guard.Approved, By: byLoopback}, nil
}

// ownServers reports whether a command contacts nothing but servers in its own sandbox: at none of their ports does a program of the machine listen.
func (e *equipped) ownServers(c guard.Case, r *effect.Report) bool {
	return ownsLoopback && c.Isolation == guard.FullIsolation && len(r.Contacts) > 0 && !slices.ContainsFunc(r.Contacts, func(contact effect.Contact) bool {
		port := localPort(contact)
		return port == 0 || isListening(port)
	})
}
