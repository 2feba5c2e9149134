package shell

// What a program text in another language may do (python -c, node -e, sed, awk) is found by the names and strings in it.

import "strings"

// codeFacts is what the names in a program text say that it does.
type codeFacts struct {
	Runs, Evals, Net, Env, Writes, Removes, Reads, Forks, Socket, Dup, Decodes, Loads, Loops, Signals, Installs, Home, Shells, Includes, Parent bool
}

// factsOf looks at the names of a program text. It prefers to report too much: a name alone is enough.
func factsOf(tokens []token, lang string) codeFacts {
	var f codeFacts
	f.Loads = namesInParts(tokens, lang)
	for i, t := range tokens {
		if t.IsStr {
			if !isURLText(tokens, i) {
				f.fromString(t.Str)
			}
			f.Home = f.Home || namesHome(t.Str)
			f.Writes = f.Writes || isWriteMode(t.Str) && tokenAt(tokens, i-1).Sym != '(' && opens(enclosing(tokens, i)) || lang == "perl" && strings.HasPrefix(strings.TrimLeft(t.Str, "+< "), ">")
			f.Runs = f.Runs || (lang == "perl" || lang == "ruby" || lang == "tclsh" || lang == "wish") && pipesIn(t.Str)
			continue
		}
		name := strings.TrimLeft(t.Word, "@") // php: no messages
		if name == "" {
			continue
		}
		called, was := isCalled(tokens, i), f.Loads
		last := name[strings.LastIndexByte(name, '.')+1:]
		if name == "exec" && tokenAt(tokens, i-1).Sym == '.' {
			name = ".exec" // a method of the value before it
		}
		f.fromName(name, last, called, lang)
		if (name == "__import__" || last == "import_module") && tokenAt(tokens, i+2).IsStr && tokenAt(tokens, i+3).Sym == ')' {
			f.Loads = was // an import, spelled out
		}
		f.Runs = f.Runs || lang == "ruby" && runsByPercent(tokens, i)
	}
	if (lang == "perl" || lang == "ruby" || lang == "php" || lang == "julia") && hasBackticks(tokens) {
		f.Runs = true
	}
	return f
}

// isCalled reports whether the name at an index is called: name(…), name!(…) as in Elixir, (name …) as in Lisp, or given to a function that calls
// it: map(name, …).
func isCalled(tokens []token, i int) bool {
	next := tokenAt(tokens, i+1)
	return next.Sym == '(' || next.Sym == ',' && tokenAt(tokens, i-1).Sym == '(' || next.Sym == '!' && tokenAt(tokens, i+2).Sym == '(' || tokenAt(tokens, i-1).Sym == '(' && strings.Contains(tokens[i].Word, "-")
}

// isWriteMode reports whether a string is the mode in which open writes.
func isWriteMode(s string) bool {
	return len(s) < 4 && strings.Trim(s, "rwaxbt+>") == "" && strings.ContainsAny(s, "wax+>")
}

// hasTemplates reports whether a template of JavaScript is a command: Bun.$`ls`, $`ls`.
func hasTemplates(tokens []token, lang string) bool {
	if !regexpExec(lang) && lang != "zx" {
		return false
	}
	for i, t := range tokens {
		if before := tokenAt(tokens, i-1); t.Sym == '`' && (strings.HasSuffix(before.Word, "$") || lastName(before.Word) == "sh" || before.Sym == ')') {
			return true
		}
	}
	return false
}

// pipesIn reports whether open would start a program by this name: "|sh", "ps |".
func pipesIn(s string) bool {
	return len(s) > 1 && (s[0] == '|' || s[len(s)-1] == '|') && strings.Trim(s, "| ") != ""
}

// runsByPercent reports whether there is ruby's %x.
func runsByPercent(tokens []token, i int) bool {
	return tokens[i].Word == "x" && tokenAt(tokens, i-1).Sym == '%' && strings.IndexByte("({[<|!/", tokenAt(tokens, i+1).Sym) >= 0
}

// hasBackticks is decided by the tokens: a backtick string in perl, ruby, php and julia runs a command.
func hasBackticks(tokens []token) bool {
	for _, t := range tokens {
		if t.Sym == '`' {
			return true
		}
	}
	return false
}

func (f *codeFacts) fromString(s string) {
	switch s {
	case "child_process", "node:child_process", "repl", "node:repl", "subprocess", "os/exec", "pty", "posix", "ctypes", "worker_threads", "node:worker_threads", "vm", "node:vm":
		f.Runs = true
	case "net", "http", "https", "http2", "dgram", "tls", "dns", "node:net", "node:http", "node:https", "axios", "node-fetch", "undici":
		f.Net = true
	case "base64", "hex", "rot13":
		f.Decodes = true
	}
	switch strings.TrimSuffix(s, " -i") {
	case "/bin/sh", "/bin/bash", "sh", "bash", "/usr/bin/bash", "/bin/zsh", "cmd.exe", "powershell.exe", "/bin/sh -i", "/bin/bash -i":
		f.Shells = true
	case "HOME", "USERPROFILE", "user.home":
		f.Home = true
	}
	f.Shells = f.Shells || strings.HasPrefix(s, "sh <") || strings.HasPrefix(s, "sh -i") || strings.HasPrefix(s, "/bin/sh -i") || strings.HasPrefix(s, "/bin/bash -i") || strings.HasPrefix(s, "bash -i")
	if strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "ftp://") || strings.HasPrefix(s, "ws://") || strings.HasPrefix(s, "wss://") {
		f.Net = f.Net || !strings.Contains(s, "localhost") && !strings.Contains(s, "127.0.0.1")
	}
}

func (f *codeFacts) fromName(name, last string, called bool, lang string) {
	switch codeCalls().Group(last) {
	case "run":
		f.Runs = true
	case "run-in-some-languages":
		f.Runs = f.Runs || shellsOut(lang) && last != "Process" || strings.Contains(name, "sys.process") || name == "System.shell" || last == "shell" && called && (lang == "swipl" || lang == "gprolog")
	case "include":
		f.Includes = true
	case "include-path":
		f.Includes = f.Includes || strings.HasPrefix(name, "sys.path.")
	case "perl-include":
		f.Includes = true
	case "debug":
		f.Evals = f.Evals || name == "debug.debug" && called
	case "interact":
		f.Runs = f.Runs || strings.HasPrefix(name, "code.")
	case "cmd":
		f.Runs = f.Runs || name == "System.cmd" || name == "os.cmd"
	case "binding":
		f.Runs = f.Runs || strings.HasPrefix(name, "process.") || last == "dlopen"
	case "process-module":
		f.Runs = f.Runs || last != "sh" && last != "commands" && last != "multiprocessing"
		f.Dup = f.Dup || last == "pty"
	case "exec":
		f.fromExec(name, called, lang)
	case "subprocess-call":
		f.Runs = f.Runs || strings.Contains(name, "subprocess") || strings.Contains(name, "Deno") || strings.Contains(name, "Bun.spawn")
	case "eval":
		f.Includes = f.Includes || last == "load"
		f.Evals = f.Evals || evaluates(name, last, called, lang)
	case "look-up":
		f.Loads = f.Loads || last != "send" && last != "vars" && last != "globals" && last != "constructor" && last != "setattr"
		f.Net = f.Net || last == "send" && lang != "ruby"
	}
	f.Evals = f.Evals || strings.HasSuffix(name, "constructor.constructor") && called
	f.Runs = f.Runs || lang == "php" && called && strings.HasPrefix(name, "$")
	f.fromNet(name, last)
	f.fromFiles(name, last, called, lang)
	f.fromSystem(name, last, lang)
}

// fromExec: exec starts a program in most languages and evaluates text in python; a regular expression has one too.
func (f *codeFacts) fromExec(name string, called bool, lang string) {
	ofRegexp := strings.Contains(name, ".") && regexpExec(lang)
	switch {
	case lang == "python" || lang == "python3":
		f.Evals = f.Evals || called
	case !strings.Contains(name, "/") && !ofRegexp && (called || lang == "perl" || lang == "ruby"):
		f.Runs = true
	}
}

// evaluates reports whether a name of the group eval takes text as code where it stands.
func evaluates(name, last string, called bool, lang string) bool {
	pickled := strings.HasPrefix(name, "pickle.") || strings.HasPrefix(name, "marshal.")
	if pickled && (strings.HasPrefix(last, "load") || last == "Unpickler") {
		return true
	}
	switch last {
	case "UnsafeLoader", "unsafe_load":
		return true
	case "assert":
		return called && lang == "php"
	case "compile":
		return called && name == "compile"
	case "load":
		return called && name == "load" && strings.HasPrefix(lang, "lua")
	case "loads":
		return false
	}
	return called || lang == "perl" || lang == "ruby"
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

func (f *codeFacts) fromNet(name, last string) {
	switch codeNet().Group(last) {
	case "net":
		f.Net = true
	case "socket":
		f.Socket, f.Net = true, true
	case "connect":
		f.Net = f.Net || f.Socket
	case "request":
		f.Net = f.Net || last == "urllib" && strings.Contains(name, "request") || strings.Contains(name, "urllib.request") || strings.Contains(name, "http.client") || strings.HasPrefix(name, "Net")
	case "method":
		f.Net = f.Net || strings.HasPrefix(name, "requests.") || strings.HasPrefix(name, "http.") || strings.HasPrefix(name, "https.") || strings.HasPrefix(name, "axios.")
	case "dup":
		f.Dup = true
	}
	if strings.HasPrefix(name, "socket.") {
		f.Socket, f.Net = true, true
	}
	if strings.Contains(name, "urllib.request") || strings.Contains(name, "http.client") || strings.Contains(name, "Net::HTTP") {
		f.Net = true
	}
	if codeInstalls().Has(name) {
		f.Installs = true
	}
}

func (f *codeFacts) fromFiles(name, last string, called bool, lang string) {
	switch codeFiles().Group(last) {
	case "remove":
		f.Removes = f.Removes || called && (last != "delete" && last != "remove" || removesByPlainNames(lang)) || removesByPrefix(name) || callsWithoutBrackets(lang)
	case "write":
		f.Writes = f.Writes || name != "move" && name != "link"
	case "read":
		f.Reads = true
	case "environment":
		f.Env = f.Env || last != "env" && last != "getenv" || strings.Contains(name, "process.env") || strings.Contains(name, "Deno.env") || name == "getenv" && called
	}
}

// removesByPrefix reports whether a name that ends in delete or remove is about files.
func removesByPrefix(name string) bool {
	for _, prefix := range []string{"os.", "shutil", "File", "file.", "fs.", "Files.", "Sys.", "Deno.", "Dir.", "Pathname"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// callsWithoutBrackets are languages in which a name with words behind it is a call.
func callsWithoutBrackets(lang string) bool {
	switch lang {
	case "perl", "raku", "ghc", "runghc", "runhaskell", "ocaml":
		return true
	}
	return false
}

// removesByPlainNames are languages in which delete and remove are rather about files than about entries of a list.
func removesByPlainNames(lang string) bool {
	switch lang {
	case "erl", "octave", "octave-cli", "groovy", "scala", "kotlin", "bsh", "jshell", "java":
		return true
	}
	return false
}

func (f *codeFacts) fromSystem(name, last, lang string) {
	switch codeSystem().Group(last) {
	case "pack":
		f.Decodes = f.Decodes || lang == "perl"
	case "home":
		f.Home = true
	case "home-method":
		f.Home = f.Home || name == "Path.home" || name == "Dir.home" || name == "pathlib.Path.home"
	case "fork":
		f.Forks = true
	case "loop":
		f.Loops = true
	case "parent":
		f.Signals = f.Signals || lang == "perl"
		f.Parent = true
	case "signal":
		f.Signals = f.Signals || strings.HasPrefix(name, "os.") || strings.HasPrefix(name, "process.") || strings.HasPrefix(name, "Process.")
	case "decode":
		f.Decodes = true
	}
}
