package shell

import (
	"strings"

	"rein/guard/effect"
)

// debuggerProgram reads gdb and similar commands: what they attach to, and their debugger commands. Without commands they
// wait at a terminal.
func debuggerProgram(r *programs, sc *scope, c *call) (data, bool) {
	if pid, ok := c.Got.Value("-p", "--pid"); ok {
		if pid.Taint&fromParent != 0 || pid.Text == "1" {
			r.Found(effect.Tamper, "attaches to the process that controls this command")
		}
		r.Found(effect.Exec, "attaches to a process that runs")
	}
	scripted := false
	for _, o := range c.Got.Options {
		switch o.Name {
		case "-ex", "-eval-command", "--eval-command", "-o", "--one-line", "-iex", "-O":
			scripted = true
			r.debuggerCommand(sc, o.Value)
		case "-x", "-command", "--command", "-s", "--source", "-ix":
			r.Found(effect.Exec, "the debugger takes its commands from %s", o.Value.Shown())
		}
	}
	if !scripted || !c.Got.Has("-batch", "--batch", "-b") {
		r.Found(effect.Exec, "the debugger waits for commands")
	}
	for i, v := range c.Got.Operands {
		switch s := r.Locate(sc, v); {
		case i > 0 && !strings.Contains(v.Text, "/"):
		case s.Free:
			r.Found(effect.Dynamic, "debugs code that is not known before it runs")
		case i == 0 && (!v.Plain() || strings.ContainsFunc(v.Text, func(c rune) bool { return c >= 0x80 }) || !strings.Contains(v.Text, "/") || !r.InWork(s.Abs) || r.Table.Find(baseName(v.Text)) != nil):
			r.Shell.Exec(sc, c.Got.Operands, c.In)
		default:
			r.Reads(sc, v)
		}
	}
	r.Effect(effect.Build)
	return data{Taint: fromWork}, true
}

// debuggerCommand judges one command: what looks and steps is work, all else runs programs or changes memory.
func (r *programs) debuggerCommand(sc *scope, v value) {
	word, rest, _ := strings.Cut(strings.TrimSpace(v.Text), " ")
	switch word {
	case "run", "r", "start", "starti", "continue", "c", "cont", "step", "s", "next", "n", "stepi", "si", "nexti", "ni", "finish", "until", "kill", "quit", "q",
		"bt", "backtrace", "where", "info", "i", "list", "l", "frame", "f", "up", "down", "disassemble", "disas", "x", "display", "ptype", "whatis",
		"break", "b", "tbreak", "watch", "rwatch", "delete", "catch", "thread", "maint", "image", "register", "memory", "process", "target", "breakpoint":
		if strings.ContainsAny(rest, "|!`") || word == "target" || word == "catch" && strings.Contains(rest, "load") {
			r.Found(effect.Exec, "the debugger connects elsewhere: %s", v.Shown())
		}
	case "print", "p", "call", "printf", "echo", "po":
		if strings.Contains(rest, "(") {
			r.Found(effect.Exec, "the debugger calls a function: %s", v.Shown())
		}
	case "set", "settings":
		if option, _, _ := strings.Cut(rest, " "); option != "pagination" && option != "confirm" && option != "print" && option != "args" && option != "width" && option != "height" && option != "logging" && option != "disassembly-flavor" {
			r.Found(effect.Exec, "the debugger changes settings or memory: %s", v.Shown())
		}
	case "shell", "!", "make", "pipe", "|", "platform":
		r.Found(effect.Exec, "the debugger runs a command")
		r.Shell.Text(sc, v.With(rest), nil)
	default:
		r.Found(effect.Exec, "the debugger runs %s", v.Shown())
		r.Shell.Text(sc, v.With(strings.TrimPrefix(strings.TrimSpace(v.Text), "!")), nil)
	}
}

// traceProgram reads strace and ltrace: the program that they start is judged as itself; a running process is another's.
func traceProgram(r *programs, sc *scope, c *call) (data, bool) {
	if pid, ok := c.Got.Value("-p", "--attach"); ok {
		if pid.Taint&fromParent != 0 || pid.Text == "1" {
			r.Found(effect.Tamper, "attaches to the process that controls this command")
		}
		r.Found(effect.Exec, "attaches to a process that runs")
	}
	if out, ok := c.Got.Value("-o", "--output"); ok && (strings.HasPrefix(out.Text, "|") || strings.HasPrefix(out.Text, "!")) {
		r.Found(effect.Exec, "passes its output to a command")
		r.Shell.Text(sc, out.With(out.Text[1:]), nil)
		r.Shell.Exec(sc, c.Got.Operands, c.In)
		return data{Taint: fromWork}, true
	}
	if len(c.Got.Operands) == 0 {
		r.Found(effect.Exec, "traces programs that are not named")
	}
	return data{}, false
}
