package shell

import "strings"

// What runs elsewhere, on another host or in a container, is read like any command: what would be refused here is
// refused there, too. Its ordinary effects are not of this machine: the channel itself has weighed them.

// remotely reads what runs on another machine. Only effects as heavy as the channel and heavier count.
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

// wipesAll stands for Destroy where the removal of a root is meant; see removesRoot.
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
	report.Commands = append(report.Commands, inner.Commands...)
	r.report, r.part, r.wiped = report, part, wiped
}

// remoteShell reads ssh and its kin: a host, and a command line for the shell there.
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
	case len(ops) > 1:
		r.remotely(func() {
			line := joinValues(ops[1:], " ")
			if len(ops) == 2 || line.known() {
				r.text(sc, line, nil)
			}
			if !strings.HasPrefix(ops[1].text, "-") && !strings.ContainsAny(ops[1].text, " \n;|&") {
				r.exec(sc, ops[1:], c.in)
			}
		})
	case len(ops) == 1 && c.in.known:
		r.remotely(func() { r.runText(sc, *c.in, "its input", nil) })
	}
	return data{}, false
}

// containerExec reads docker exec, kubectl exec and their kin: a container, and a command in it.
func containerExec(r *reader, sc *scope, c *call) (data, bool) {
	for _, o := range c.got.options {
		switch {
		case o.name == "--privileged":
			r.found(Privilege, "a container with all rights")
		case o.name == "--env-file" && o.takes:
			r.reads(sc, o.value)
		}
	}
	if ops := c.got.operands; len(ops) > 1 {
		r.contained(func() { r.exec(sc, ops[1:], c.in) })
	}
	return data{taint: fromDaemon}, true
}

// laterProgram reads at and batch: what flows in runs later.
func laterProgram(r *reader, sc *scope, c *call) (data, bool) {
	if c.in.known {
		r.runText(sc, *c.in, "its input", nil)
	}
	if file, ok := c.got.value("-f"); ok {
		r.script(sc, file, nil)
	}
	return data{}, false
}

// scheduleProgram reads crontab: the lines of a known table are a time and a command.
func scheduleProgram(r *reader, sc *scope, c *call) (data, bool) {
	in := *c.in
	if len(c.got.operands) > 0 && c.got.operands[0].text != "-" {
		in = r.readData(sc, c.got.operands[0])
	}
	if !in.known {
		return data{}, false
	}
	for line := range strings.Lines(in.text) {
		fields := strings.Fields(line)
		skip := 5
		if strings.HasPrefix(line, "@") {
			skip = 1
		}
		if len(fields) > skip && !strings.HasPrefix(line, "#") {
			r.text(sc, value{text: strings.Join(fields[skip:], " "), taint: in.taint}, nil)
		}
	}
	return data{}, false
}

// windowProgram reads tmux and screen: what a new window runs, and what is typed into one.
func windowProgram(r *reader, sc *scope, c *call) (data, bool) {
	ops := c.got.operands
	typed := strings.HasPrefix(c.got.spec.name, "send")
	if line, ok := c.got.value("-X"); ok && c.name == "screen" {
		typed = line.text == "stuff"
	}
	for len(ops) > 1 && isKey(ops[len(ops)-1].text) {
		ops = ops[:len(ops)-1]
	}
	if len(ops) == 0 {
		return data{}, true
	}
	if len(ops) > 1 && !typed {
		return r.exec(sc, ops, &data{known: true}), true
	}
	line := joinValues(ops, " ")
	line.text = strings.TrimRight(strings.NewReplacer(`\n`, "\n", "^M", "\n").Replace(line.text), "\r\n")
	r.text(sc, line, nil)
	return data{}, true
}

// isKey reports whether tmux takes a word for a key that is pressed.
func isKey(word string) bool {
	switch word {
	case "Enter", "C-m", "C-j", "KPEnter", "^M", "Space":
		return true
	}
	return false
}

// afterMark reads programs whose command follows a mark: nix develop -c CMD, mise exec -- CMD.
func afterMark(r *reader, sc *scope, c *call) (data, bool) {
	for i, a := range c.argv[:max(0, len(c.argv)-1)] {
		switch a.text {
		case "-c", "--command", "--exec", "--":
			return r.exec(sc, c.argv[i+1:], c.in), true
		case "--run":
			return r.text(sc, c.argv[i+1], nil), true
		}
	}
	return data{}, false
}
