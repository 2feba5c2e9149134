package guards

import (
	"encoding/json"
	"slices"
	"strings"

	"rein/guard"
	"rein/guard/effect"
	"rein/tool"
)

// Change is what a call would change in files.
type Change struct {
	Lines []string // a diff
	Whole bool     // it shows all that the arguments say, so they need not be shown
}

// DescribeRequest puts the approval request of a call together.
func DescribeRequest(c guard.Case, v guard.Verdict, p Programs, change Change) guard.Request {
	r := guard.Request{
		Session: c.Session, Call: c.Call.ID, Tool: c.Call.Name, Depth: c.Depth, Mode: c.Mode.String(),
		Command: c.Intent.Command, Cwd: c.Intent.Cwd, Diff: change.Lines,
		Effects: v.Effects, Reads: c.Intent.Reads, Writes: c.Intent.Writes, GrantsAccess: c.Intent.RequestsAccess,
		Severity: v.Severity.String(), Guard: v.Guard, Rules: v.Rules, Reason: v.Reason, Hint: v.Hint, RuleAt: v.RuleAt,
		Hash: c.Binding().Hash(),
	}
	r.Contacts, r.Network = p.Contacts(c)
	if c.Intent.Command != "" {
		report := p.Read(c)
		r.Reads, r.Writes, r.Removes, r.Programs = report.Reads, report.Writes, report.Removes, report.Programs
		r.Marks = marks(report, c)
		return r
	}
	if r.Questions = c.Intent.Questions; r.Questions == nil && !change.Whole {
		r.Args = c.Call.Args
	}
	return r
}

// Contacts returns the network addresses that a call would contact, as far as they are known before it runs, and whether it
// contacts the network at all.
func (p Programs) Contacts(c guard.Case) (all []guard.Contact, network bool) {
	if c.Intent.Command != "" {
		all, network = contactsOf(p.Read(c))
		if s := c.Intent.Surroundings; s != nil {
			for _, remote := range s.Remotes {
				if contact := (guard.Contact{Contact: effect.ContactOf(remote)}); !slices.Contains(all, contact) {
					all = append(all, contact)
				}
			}
		}
		return all, network || len(all) > 0
	}
	for _, h := range c.Intent.Hosts {
		all = append(all, guard.Contact{Contact: addressOf(h, c.Call.Args)})
	}
	return all, len(all) > 0 || c.Effect&tool.Reaches != 0
}

// marks are the parts of a command that the mode does not allow by itself.
func marks(report *effect.Report, c guard.Case) []guard.Span {
	var all []guard.Span
	seen := map[guard.Span]bool{}
	for _, f := range report.Findings {
		m := guard.Span{Start: f.Start, End: f.End}
		if d, _ := Decide(f.Class, c.Mode, c.Isolation); d == guard.Allow || f.End > len(c.Intent.Command) || f.Start >= f.End || seen[m] {
			continue
		}
		seen[m] = true
		all = append(all, m)
	}
	return all
}

// contactsOf are the addresses of a command: those in its text, and those that its installers are known to contact.
func contactsOf(report *effect.Report) (all []guard.Contact, network bool) {
	for _, c := range report.Contacts {
		all = append(all, guard.Contact{Contact: c})
	}
	for _, f := range report.Findings {
		switch f.Class {
		case effect.Upload, effect.RemoteShell:
			network = true
			continue
		case effect.Network, effect.Install, effect.Publish, effect.RemoteCode, effect.RemoteChange:
			network = true
		default:
			continue
		}
		list, _ := PresetOf(f.Program)
		for _, host := range list.Hosts {
			c := guard.Contact{Contact: effect.Contact{Host: host, Port: 443}, Preset: list.Name}
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all, network || len(all) > 0
}

// addressOf is the address of a host that a call declares; its URL, where the arguments have one for this host, has more.
func addressOf(host string, args json.RawMessage) effect.Contact {
	var in struct {
		URL string `json:"url"`
	}
	want := effect.ContactOf(host)
	if json.Unmarshal(args, &in) != nil || !strings.Contains(in.URL, "://") {
		return want
	}
	if c := effect.ContactOf(in.URL); c.Host == want.Host && (want.Port == 0 || want.Port == c.Port) {
		return c
	}
	return want
}
