package shell

import (
	"slices"
	"strings"

	"rein/guard/effect"
)

// serviceProgram reads systemctl and similar commands, where the action may come first or second.
func serviceProgram(r *programs, _ *scope, c *call) (data, bool) {
	verb := 0
	if c.Name == "service" || c.Name == "rc-service" {
		verb = 1
	}
	for i, v := range c.Got.Operands {
		switch v.Text {
		case "poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "hybrid-sleep", "emergency", "rescue", "isolate", "exit", "soft-reboot":
			r.Effect(effect.Exhaust)
			return data{}, true
		}
		if i != verb {
			continue // the name of a service
		}
		what, _, _ := strings.Cut(v.Text, "-")
		switch what {
		case "show", "cat", "help", "list", "is", "get", "--version":
			return data{Taint: fromOutside}, true
		case "status":
			if !c.Got.Has("--user", "--no-pager") && len(c.Got.Operands) > 1 { // it shows lines of the journal in a pager
				r.Effect(effect.Unknown)
			}
			return data{Taint: fromOutside}, true
		}
	}
	if c.Got.Has("--user") {
		r.Effect(effect.OutsideWrite)
		note(&r.Report.Writes, r.Ctx.Home+"/.config/systemd/user")
		return data{}, true
	}
	if len(c.Got.Operands) == 0 && c.Got.Has("--failed", "--state", "-t", "--type", "--all", "-a", "--version") {
		return data{Taint: fromOutside}, true // list-units
	}
	if len(c.Got.Operands) == 0 || c.Got.Has("--status-all") {
		r.Effect(effect.Unknown)
		return data{}, true
	}
	r.Effect(effect.Admin)
	return data{}, true
}

// pagerProgram reads less: +COMMAND is typed for the user.
func pagerProgram(r *programs, _ *scope, c *call) (data, bool) {
	for _, a := range c.Argv[1:] {
		if strings.HasPrefix(a.Text, "+") && strings.ContainsAny(a.Text, "!|vs") && !strings.HasPrefix(a.Text, "+/") {
			r.Found(effect.Exec, "types commands into the pager")
		}
	}
	return data{}, false
}

// mountProgram reads mount: to make more writable than before is to take rights.
func mountProgram(r *programs, _ *scope, c *call) (data, bool) {
	for _, a := range c.Argv[1:] {
		if strings.Contains(a.Text, "remount") || strings.Contains(a.Text, "bind") {
			r.Effect(effect.Privilege)
		}
	}
	if c.Name == "mount" && len(c.Argv) == 1 {
		return data{Taint: fromNumber}, true
	}
	return data{}, false
}

// editorProgram reads vim and similar commands: commands on the command line; without them they wait at a terminal.
func editorProgram(r *programs, sc *scope, c *call) (data, bool) {
	if c.Name == "ed" && c.In.Known && len(c.Got.Operands) == 1 {
		r.Shell.Code(sc, "ed", c.In.AsValue(), c.Got.Operands, nil)
		return data{Taint: fromWork}, true
	}
	ran := false
	for _, a := range c.Argv[1:] {
		t := a.Text
		if len(t) > 2 && t[0] == '+' && strings.ContainsAny(t, " (") {
			r.Found(effect.Exec, "the editor runs a command of its own")
		}
		if i := strings.IndexByte(t, '!'); i >= 0 && (strings.HasPrefix(t, ":") || strings.HasPrefix(t, "+") || i == 0) {
			r.Found(effect.Exec, "the editor runs a command")
			r.Shell.Text(sc, a.With(t[i+1:]), nil)
			ran = true
		}
	}
	if c.In.Known {
		for line := range strings.Lines(c.In.Text) {
			if i := strings.IndexByte(line, '!'); i >= 0 && i < 3 { // ed takes its commands from its input
				r.Found(effect.Exec, "the editor runs a command")
				r.Shell.Text(sc, value{Text: strings.TrimSpace(line[i+1:]), Taint: c.In.Taint}, nil)
			}
		}
	}
	if script, ok := c.Got.Value("--eval", "-eval"); ok {
		r.Shell.Code(sc, "elisp", script, nil, nil)
	}
	if c.Got.Has("-c", "--cmd", "-S", "-s", "-es", "-u", "--eval", "-l", "--script", "-x", "--load", "-f") && !ran {
		r.Found(effect.Exec, "the editor runs commands from its options")
	}
	r.Found(effect.Unknown, "waits for keyboard input")
	writes := slices.ContainsFunc(c.Argv[1:], func(a value) bool { return writesByCommand(a.Text) })
	for _, v := range c.Got.Operands {
		if r.Reads(sc, v); writes && !strings.HasPrefix(v.Text, "+") && !writesByCommand(v.Text) {
			r.Writes(sc, v)
		}
	}
	return data{}, true
}

// powershellProgram reads PowerShell: its language is not read here.
func powershellProgram(r *programs, sc *scope, c *call) (data, bool) {
	line := strings.ToLower(joinValues(c.Argv[1:], " ").Text)
	switch {
	case strings.Contains(line, "-enc") || strings.Contains(line, "frombase64") || strings.Contains(line, "-e "):
		r.Effect(effect.Obfuscated)
	case strings.Contains(line, "remove-item") || strings.Contains(line, "format-volume") || strings.Contains(line, "clear-disk") || strings.Contains(line, "stop-computer"):
		r.Effect(effect.Foreign)
	case strings.Contains(line, "downloadstring") || strings.Contains(line, "iex") || strings.Contains(line, "invoke-expression"):
		r.Effect(effect.RemoteCode)
	default:
		r.Effect(effect.Exec)
	}
	return data{Taint: fromWork}, true
}
