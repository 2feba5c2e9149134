package shell

import "strings"

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
