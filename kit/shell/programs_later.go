package shell

import (
	"strings"

	"rein/guard/effect"
)

// laterProgram reads at and batch: what flows in runs later.
func laterProgram(r *programs, sc *scope, c *call) (data, bool) {
	if c.In.Known {
		r.Shell.RunText(sc, *c.In, "its input", nil)
	}
	if file, ok := c.Got.Value("-f"); ok {
		r.Script(sc, file, nil)
	}
	return data{}, false
}

// scheduleProgram reads crontab: the lines of a known table are a time and a command.
func scheduleProgram(r *programs, sc *scope, c *call) (data, bool) {
	if c.Got.Has("-u") {
		r.Found(effect.Unknown, "looks at or changes what another user runs later")
	}
	in := *c.In
	if len(c.Got.Operands) > 0 && c.Got.Operands[0].Text != "-" {
		in = r.ReadData(sc, c.Got.Operands[0])
	}
	if !in.Known {
		return data{}, false
	}
	for line := range strings.Lines(in.Text) {
		fields := strings.Fields(line)
		skip := 5
		if strings.HasPrefix(line, "@") {
			skip = 1
		}
		if len(fields) > skip && !strings.HasPrefix(line, "#") {
			r.Shell.Text(sc, value{Text: strings.Join(fields[skip:], " "), Taint: in.Taint}, nil)
		}
	}
	return data{}, false
}

// windowProgram reads tmux and screen: what a new window runs, and what is typed into one.
func windowProgram(r *programs, sc *scope, c *call) (data, bool) {
	ops := c.Got.Operands
	typed := strings.HasPrefix(c.Got.Spec.Name, "send")
	if line, ok := c.Got.Value("-X"); ok && c.Name == "screen" {
		typed = line.Text == "stuff"
	}
	for len(ops) > 1 && isKey(ops[len(ops)-1].Text) {
		ops = ops[:len(ops)-1]
	}
	if len(ops) == 0 {
		return data{}, true
	}
	if len(ops) > 1 && !typed {
		return r.Shell.Exec(sc, ops, &data{Known: true}), true
	}
	line := joinValues(ops, " ")
	line.Text = strings.TrimRight(strings.NewReplacer(`\n`, "\n", "^M", "\n").Replace(line.Text), "\r\n")
	r.Shell.Text(sc, line, nil)
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
func afterMark(r *programs, sc *scope, c *call) (data, bool) {
	for i, a := range c.Argv[:max(0, len(c.Argv)-1)] {
		switch a.Text {
		case "-c", "--command", "--exec", "--":
			return r.Shell.Exec(sc, c.Argv[i+1:], c.In), true
		case "--run":
			return r.Shell.Text(sc, c.Argv[i+1], nil), true
		}
	}
	for i, v := range c.Argv { // asdf exec CMD, nvm exec VERSION CMD
		if i > len(c.Got.Path) && v.Plain() && !isOption(v) && r.Table.Find(v.Text) != nil {
			return r.Shell.Exec(sc, c.Argv[i:], c.In), true
		}
	}
	return data{}, false
}
