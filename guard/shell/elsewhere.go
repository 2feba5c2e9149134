package shell

import "strings"

// What runs elsewhere, on another host or in a container, is read like any command: what would be refused here is
// denied there, too. Its ordinary effects are not on this machine: the class of the channel itself covers them.

// remotely reads what runs on another machine. Only effects that are at least as severe as the channel count.
func (r *reader) remotely(read func()) {
	r.apart(read, func(c Class) bool { return c >= RemoteChange })
}

// contained reads what runs in a container. Its files and rights are its own; what reaches out of it counts, and so does the
// removal of everything, as nobody knows what is mounted there.
func (r *reader) contained(read func()) {
	r.apart(read, func(c Class) bool {
		switch c {
		case RemoteChange, RemoteShell, RemoteCode, Nested, Exhaust, Exfil, Obfuscated, Backdoor, Tamper, wipesAll:
			return true
		}
		return false
	})
}

// wipesAll means Destroy by the removal of a root; see removesRoot.
const wipesAll = classes

// apart reads something and keeps of its effects what counts.
func (r *reader) apart(read func(), counts func(Class) bool) {
	report, part, wiped := r.report, r.part, r.wiped
	r.report, r.part, r.wiped = &Report{}, Read, false
	read()
	inner := r.report
	for _, f := range inner.Findings {
		if counts(f.Class) || f.Class == Destroy && r.wiped && counts(wipesAll) {
			report.add(f)
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
		report.addContact(c)
	}
	report.Commands = append(report.Commands, inner.Commands...)
	r.report, r.part, r.wiped = report, part, wiped || r.wiped
}

const maxHops = 16 // shells and machines within each other, before a further machine

// remoteShell reads ssh and similar commands: a host, and a command line for the shell there.
func remoteShell(r *reader, sc *scope, c *call) (data, bool) {
	for _, o := range c.got.options {
		if o.name != "-o" || !o.takes {
			continue
		}
		key, val, ok := o.value.cut("=")
		if !ok {
			key, val, _ = o.value.cut(" ")
		}
		switch strings.ToLower(strings.TrimSpace(key.text)) {
		case "proxycommand", "localcommand", "knownhostscommand", "remotecommand":
			r.effect(Exec)
			r.text(sc, val, nil)
		}
	}
	ops := c.got.operands
	switch {
	case len(ops) > 1 && r.depth > maxHops:
		r.found(Unparsed, "too many machines to follow")
	case len(ops) > 1:
		r.remotely(func() {
			if spec := r.table.find(baseName(ops[1].text)); spec != nil && spec.how == "shell" && c.in.known {
				r.exec(sc, ops[1:], c.in) // it reads what flows in
				return
			}
			r.text(sc, joinValues(ops[1:], " "), nil)
		})
	case len(ops) == 1 && c.in.known:
		r.remotely(func() { r.runText(sc, *c.in, "its input", nil) })
	}
	return data{}, false
}
