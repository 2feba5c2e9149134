package shell

import "strings"

// codeFacts is what the names in a program text say that it does.
type codeFacts struct {
	runs, evals, net, env, writes, removes, reads, forks, socket, dup, decodes, loads, loops, signals, installs, home, shells, includes, parent bool
}

// facts looks at the names of a program text. It errs towards more: a name alone is enough.
func facts(tokens []token, lang string) codeFacts {
	var f codeFacts
	f.loads = namesInParts(tokens, lang)
	for i, t := range tokens {
		if t.isStr {
			if !isURLText(tokens, i) {
				f.fromString(t.str)
			}
			f.runs = f.runs || (lang == "perl" || lang == "ruby" || lang == "tclsh" || lang == "wish") && pipesIn(t.str)
			continue
		}
		name := t.word
		if name == "" {
			continue
		}
		called, was := tokenAt(tokens, i+1).sym == '(', f.loads
		last := name[strings.LastIndexByte(name, '.')+1:]
		if name == "exec" && tokenAt(tokens, i-1).sym == '.' {
			name = ".exec" // a method of the value before it
		}
		f.fromName(name, last, called, lang)
		if (name == "__import__" || last == "import_module") && tokenAt(tokens, i+2).isStr && tokenAt(tokens, i+3).sym == ')' {
			f.loads = was // an import, spelled out
		}
		f.runs = f.runs || lang == "ruby" && runsByPercent(tokens, i)
	}
	if (lang == "perl" || lang == "ruby" || lang == "php" || lang == "julia") && hasBackticks(tokens) {
		f.runs = true
	}
	return f
}

// pipesIn reports whether open would start a program by this name: "|sh", "ps |".
func pipesIn(s string) bool {
	return len(s) > 1 && (s[0] == '|' || s[len(s)-1] == '|') && strings.Trim(s, "| ") != ""
}

// runsByPercent reports whether there is ruby's %x.
func runsByPercent(tokens []token, i int) bool {
	return tokens[i].word == "x" && tokenAt(tokens, i-1).sym == '%' && strings.IndexByte("({[<|!/", tokenAt(tokens, i+1).sym) >= 0
}

// hasBackticks is decided by the tokens: a backtick string in perl, ruby, php and julia runs a command.
func hasBackticks(tokens []token) bool {
	for _, t := range tokens {
		if t.sym == '`' {
			return true
		}
	}
	return false
}

func (f *codeFacts) fromString(s string) {
	switch s {
	case "child_process", "node:child_process", "repl", "node:repl", "subprocess", "os/exec", "pty", "posix", "ctypes", "worker_threads", "node:worker_threads", "vm", "node:vm":
		f.runs = true
	case "net", "http", "https", "http2", "dgram", "tls", "dns", "node:net", "node:http", "node:https", "axios", "node-fetch", "undici":
		f.net = true
	case "base64", "hex", "rot13":
		f.decodes = true
	}
	switch strings.TrimSuffix(s, " -i") {
	case "/bin/sh", "/bin/bash", "sh", "bash", "/usr/bin/bash", "/bin/zsh", "cmd.exe", "powershell.exe", "/bin/sh -i", "/bin/bash -i":
		f.shells = true
	case "HOME", "USERPROFILE":
		f.home = true
	}
	f.shells = f.shells || strings.HasPrefix(s, "sh <") || strings.HasPrefix(s, "sh -i") || strings.HasPrefix(s, "/bin/sh -i") || strings.HasPrefix(s, "/bin/bash -i") || strings.HasPrefix(s, "bash -i")
	if strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "ftp://") || strings.HasPrefix(s, "ws://") || strings.HasPrefix(s, "wss://") {
		f.net = f.net || !strings.Contains(s, "localhost") && !strings.Contains(s, "127.0.0.1")
	}
}

func (f *codeFacts) fromName(name, last string, called bool, lang string) {
	switch codeCalls().group(last) {
	case "run":
		f.runs = true
	case "run-in-some-languages":
		f.runs = f.runs || shellsOut(lang) && last != "Process" || strings.Contains(name, "sys.process") || name == "System.shell" || last == "shell" && called && (lang == "swipl" || lang == "gprolog")
	case "include":
		f.includes = true
	case "include-path":
		f.includes = f.includes || strings.HasPrefix(name, "sys.path.")
	case "perl-include":
		f.includes = true
	case "debug":
		f.evals = f.evals || name == "debug.debug" && called
	case "interact":
		f.runs = f.runs || strings.HasPrefix(name, "code.")
	case "cmd":
		f.runs = f.runs || name == "System.cmd" || name == "os.cmd"
	case "binding":
		f.runs = f.runs || strings.HasPrefix(name, "process.") || last == "dlopen"
	case "process-module":
		f.runs = f.runs || last != "sh" && last != "commands" && last != "multiprocessing"
		f.dup = f.dup || last == "pty"
	case "exec":
		// exec starts a program in most languages and evaluates text in python; a regular expression has one too.
		if lang == "python" || lang == "python3" {
			f.evals = f.evals || called
		} else if !strings.Contains(name, "/") && !(strings.Contains(name, ".") && regexpExec(lang)) && (called || lang == "perl" || lang == "ruby") {
			f.runs = true
		}
	case "subprocess-call":
		f.runs = f.runs || strings.Contains(name, "subprocess") || strings.Contains(name, "Deno") || strings.Contains(name, "Bun.spawn")
	case "eval":
		f.includes = f.includes || last == "load"
		f.evals = f.evals || (called || lang == "perl" || lang == "ruby") && last != "compile" && last != "loads" && last != "load" && last != "assert" ||
			last == "UnsafeLoader" || last == "unsafe_load" || last == "assert" && called && lang == "php" || last == "load" && called && name == "load" && strings.HasPrefix(lang, "lua") || last == "compile" && name == "compile" && called ||
			last == "pickle" || last == "marshal"
	case "look-up":
		f.loads = f.loads || last != "send" && last != "vars" && last != "globals" && last != "constructor" && last != "setattr"
		f.net = f.net || last == "send" && lang != "ruby"
	}
	f.evals = f.evals || strings.HasSuffix(name, "constructor.constructor") && called
	f.runs = f.runs || lang == "php" && called && strings.HasPrefix(name, "$")
	f.fromNet(name, last, called)
	f.fromFiles(name, last, called, lang)
	f.fromSystem(name, last, lang)
}

// regexpExec are languages in which a method exec belongs to regular expressions; what starts programs has to be required
// by its name.
func regexpExec(lang string) bool {
	switch lang {
	case "node", "nodejs", "deno", "bun", "tsx", "ts-node":
		return true
	}
	return false
}

// shellsOut are languages in which a plain word such as execute or shell starts programs.
func shellsOut(lang string) bool {
	switch lang {
	case "lua", "luajit", "texlua", "groovy", "groovysh", "swipl", "gprolog", "guile", "racket", "sbcl", "clisp", "ecl", "ccl", "janet", "wolframscript", "osascript", "jshell", "ocaml", "octave-cli", "j", "apl":
		return true
	}
	return false
}

func (f *codeFacts) fromNet(name, last string, called bool) {
	switch codeNet().group(last) {
	case "net":
		f.net = true
	case "socket":
		f.socket, f.net = true, true
	case "connect":
		f.net = f.net || f.socket
	case "request":
		f.net = f.net || last == "requests" || last == "urllib" && strings.Contains(name, "request") || strings.Contains(name, "urllib.request") || strings.Contains(name, "http.client") || strings.HasPrefix(name, "Net")
	case "method":
		f.net = f.net || strings.HasPrefix(name, "requests.") || strings.HasPrefix(name, "http.") || strings.HasPrefix(name, "https.") || strings.HasPrefix(name, "axios.")
	case "dup":
		f.dup = true
	}
	if strings.Contains(name, "urllib.request") || strings.Contains(name, "http.client") || strings.Contains(name, "Net::HTTP") {
		f.net = true
	}
	if codeInstalls().has(name) {
		f.installs = true
	}
}

func (f *codeFacts) fromFiles(name, last string, called bool, lang string) {
	switch codeFiles().group(last) {
	case "remove":
		f.removes = f.removes || called && last != "delete" && last != "remove" || strings.HasPrefix(name, "os.") || strings.HasPrefix(name, "shutil") || strings.HasPrefix(name, "File") ||
			strings.HasPrefix(name, "fs.") || lang == "perl" || strings.HasPrefix(name, "FileUtils")
	case "write":
		f.writes = f.writes || name != "move" && name != "link"
	case "read":
		f.reads = true
	case "environment":
		f.env = f.env || last != "env" && last != "getenv" || strings.Contains(name, "process.env") || strings.Contains(name, "Deno.env") || name == "getenv" && called
	}
}

func (f *codeFacts) fromSystem(name, last, lang string) {
	switch codeSystem().group(last) {
	case "pack":
		f.decodes = f.decodes || lang == "perl"
	case "home":
		f.home = true
	case "home-method":
		f.home = f.home || name == "Path.home" || name == "Dir.home" || name == "pathlib.Path.home"
	case "fork":
		f.forks = true
	case "loop":
		f.loops = true
	case "parent":
		f.signals = f.signals || lang == "perl"
		f.parent = true
	case "signal":
		f.signals = f.signals || strings.HasPrefix(name, "os.") || strings.HasPrefix(name, "process.") || strings.HasPrefix(name, "Process.")
	case "decode":
		f.decodes = true
	}
}

// judgeCode turns facts into effects.
func (r *reader) judgeCode(f codeFacts, v value) {
	r.effect(Build)
	switch {
	case (f.socket || f.net) && f.dup, f.socket && f.runs && f.shells:
		r.found(Backdoor, "connects a shell to the network")
	case f.forks && f.loops:
		r.found(Exhaust, "forks without end")
	}
	switch {
	case f.evals && f.net:
		r.found(RemoteCode, "runs code from the network")
	case f.evals && f.decodes:
		r.found(Obfuscated, "runs code that it decodes")
	case f.runs && f.decodes:
		r.found(Obfuscated, "runs a command that it decodes")
	case f.evals:
		r.found(Exec, "evaluates text as code")
	case f.runs:
		r.found(Exec, "starts other programs")
	case f.loads:
		r.found(Exec, "looks up what it calls while it runs")
	}
	if f.net {
		r.effect(Network)
		if f.env {
			r.found(Exfil, "sends the environment over the network")
		}
	}
	if f.installs {
		r.effect(Install)
	}
	if f.writes {
		r.effect(Write)
	}
	if f.removes {
		r.effect(Delete)
	}
	if f.removes && f.home {
		r.found(OutsideWrite, "removes something in the home directory")
	}
	if f.signals && f.parent {
		r.found(Tamper, "signals the process that controls this command")
	}
	if f.signals {
		r.effect(Signal)
	}
	if f.env && !f.net {
		r.effect(Env)
	}
}
