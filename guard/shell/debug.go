package shell

import "strings"

// debuggerProgram reads gdb and similar commands: what they attach to, and their debugger commands. Without commands they
// wait at a terminal.
func debuggerProgram(r *reader, sc *scope, c *call) (data, bool) {
	if pid, ok := c.got.value("-p", "--pid"); ok {
		if pid.taint&fromParent != 0 || pid.text == "1" {
			r.found(Tamper, "attaches to the process that controls this command")
		}
		r.found(Exec, "attaches to a process that runs")
	}
	scripted := false
	for _, o := range c.got.options {
		switch o.name {
		case "-ex", "-eval-command", "--eval-command", "-o", "--one-line", "-iex", "-O":
			scripted = true
			r.debuggerCommand(sc, o.value)
		case "-x", "-command", "--command", "-s", "--source", "-ix":
			r.found(Exec, "the debugger takes its commands from %s", o.value.shown())
		}
	}
	if !scripted || !c.got.has("-batch", "--batch", "-b") {
		r.found(Exec, "the debugger waits for commands")
	}
	for i, v := range c.got.operands {
		switch s := r.locate(sc, v); {
		case i > 0 && !strings.Contains(v.text, "/"):
		case s.free:
			r.found(Dynamic, "debugs code that is not known before it runs")
		case i == 0 && (!v.plain() || strings.ContainsFunc(v.text, func(c rune) bool { return c >= 0x80 }) || !strings.Contains(v.text, "/") || !r.inWork(s.abs) || r.table.find(baseName(v.text)) != nil):
			r.exec(sc, c.got.operands, c.in)
		default:
			r.reads(sc, v)
		}
	}
	r.effect(Build)
	return data{taint: fromWork}, true
}

// debuggerCommand judges one command: what looks and steps is work, all else runs programs or changes memory.
func (r *reader) debuggerCommand(sc *scope, v value) {
	word, rest, _ := strings.Cut(strings.TrimSpace(v.text), " ")
	switch word {
	case "run", "r", "start", "starti", "continue", "c", "cont", "step", "s", "next", "n", "stepi", "si", "nexti", "ni", "finish", "until", "kill", "quit", "q",
		"bt", "backtrace", "where", "info", "i", "list", "l", "frame", "f", "up", "down", "disassemble", "disas", "x", "display", "ptype", "whatis",
		"break", "b", "tbreak", "watch", "rwatch", "delete", "catch", "thread", "maint", "image", "register", "memory", "process", "target", "breakpoint":
		if strings.ContainsAny(rest, "|!`") || word == "target" || word == "catch" && strings.Contains(rest, "load") {
			r.found(Exec, "the debugger connects elsewhere: %s", v.shown())
		}
	case "print", "p", "call", "printf", "echo", "po":
		if strings.Contains(rest, "(") {
			r.found(Exec, "the debugger calls a function: %s", v.shown())
		}
	case "set", "settings":
		if option, _, _ := strings.Cut(rest, " "); option != "pagination" && option != "confirm" && option != "print" && option != "args" && option != "width" && option != "height" && option != "logging" && option != "disassembly-flavor" {
			r.found(Exec, "the debugger changes settings or memory: %s", v.shown())
		}
	case "shell", "!", "make", "pipe", "|", "platform":
		r.found(Exec, "the debugger runs a command")
		r.text(sc, v.with(rest), nil)
	default:
		r.found(Exec, "the debugger runs %s", v.shown())
		r.text(sc, v.with(strings.TrimPrefix(strings.TrimSpace(v.text), "!")), nil)
	}
}

// traceProgram reads strace and ltrace: the program that they start is judged as itself; a running process is another's.
func traceProgram(r *reader, sc *scope, c *call) (data, bool) {
	if pid, ok := c.got.value("-p", "--attach"); ok {
		if pid.taint&fromParent != 0 || pid.text == "1" {
			r.found(Tamper, "attaches to the process that controls this command")
		}
		r.found(Exec, "attaches to a process that runs")
	}
	if out, ok := c.got.value("-o", "--output"); ok && (strings.HasPrefix(out.text, "|") || strings.HasPrefix(out.text, "!")) {
		r.found(Exec, "passes its output to a command")
		r.text(sc, out.with(out.text[1:]), nil)
		r.exec(sc, c.got.operands, c.in)
		return data{taint: fromWork}, true
	}
	if len(c.got.operands) == 0 {
		r.found(Exec, "traces programs that are not named")
	}
	return data{}, false
}
