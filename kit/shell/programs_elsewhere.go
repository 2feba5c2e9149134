package shell

import (
	"strings"

	"rein/guard/effect"
)

// What runs elsewhere, on another host or in a container, is read like any command: what would be refused here is
// denied there, too. Its ordinary effects are not on this machine: the class of the channel itself covers them.

// remotely reads what runs on another machine. Only effects that are at least as severe as the channel count.
func (r *programs) remotely(read func()) {
	r.apart(read, func(c effect.Class) bool { return c >= effect.RemoteChange })
}

// contained reads what runs in a container. Its files and rights are its own; what reaches out of it counts, and so does the
// removal of everything, as nobody knows what is mounted there.
func (r *programs) contained(read func()) {
	r.apart(read, func(c effect.Class) bool {
		switch c {
		case effect.RemoteChange, effect.RemoteShell, effect.RemoteCode, effect.Nested, effect.Exhaust, effect.Exfil, effect.Obfuscated, effect.Backdoor, effect.Tamper, wipesAll:
			return true
		}
		return false
	})
}

// wipesAll means Destroy by the removal of a root; see removesRoot.
const wipesAll effect.Class = -1

// apart reads something and keeps of its effects what counts.
func (r *programs) apart(read func(), counts func(effect.Class) bool) {
	report, part, wiped := r.Report, r.Part, r.Wiped
	r.Report, r.Part, r.Wiped = &effect.Report{}, effect.Read, false
	read()
	inner := r.Report
	for _, f := range inner.Findings {
		if counts(f.Class) || f.Class == effect.Destroy && r.Wiped && counts(wipesAll) {
			report.Add(f)
			part = max(part, f.Class)
		}
	}
	for _, p := range inner.Programs {
		note(&report.Programs, p)
	}
	for _, h := range inner.Hosts {
		note(&report.Hosts, h)
	}
	for _, c := range inner.Contacts {
		report.AddContact(c)
	}
	report.Commands = append(report.Commands, inner.Commands...)
	r.Report, r.Part, r.Wiped = report, part, wiped || r.Wiped
}

const maxHops = 16 // shells and machines within each other, before a further machine

// remoteShell reads ssh and similar commands: a host, and a command line for the shell there.
func remoteShell(r *programs, sc *scope, c *call) (data, bool) {
	for _, o := range c.Got.Options {
		if o.Name != "-o" || !o.Takes {
			continue
		}
		key, val, ok := o.Value.Cut("=")
		if !ok {
			key, val, _ = o.Value.Cut(" ")
		}
		switch strings.ToLower(strings.TrimSpace(key.Text)) {
		case "proxycommand", "localcommand", "knownhostscommand", "remotecommand":
			r.Effect(effect.Exec)
			r.Shell.Text(sc, val, nil)
		}
	}
	ops := c.Got.Operands
	if len(ops) > 0 && ops[0].Plain() {
		r.Contact(sshContact(ops[0].Text))
	}
	switch {
	case len(ops) > 1 && r.Shell.Depth() > maxHops:
		r.Found(effect.Unparsed, "too many machines to follow")
	case len(ops) > 1:
		r.remotely(func() {
			if spec := r.Table.Find(baseName(ops[1].Text)); spec != nil && spec.How == "shell" && c.In.Known {
				r.Shell.Exec(sc, ops[1:], c.In) // it reads what flows in
				return
			}
			r.Shell.Text(sc, joinValues(ops[1:], " "), nil)
		})
	case len(ops) == 1 && c.In.Known:
		r.remotely(func() { r.Shell.RunText(sc, *c.In, "its input", nil) })
	}
	return data{}, false
}
