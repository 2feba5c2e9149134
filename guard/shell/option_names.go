package shell

import (
	"strings"
	"unicode"
)

// optionSays is what the name of an option says of its value, in the order of weight.
type optionSays int

const (
	saysNothing optionSays = iota
	saysData               // it is written, or looked at
	saysConfig             // it tells a tool what to do
	saysLoad               // it is loaded, even where a tool only looks
	saysRun                // it is a program or a command line
)

// optionWords are the words of such names.
var optionWords = wordTable(
	"", // says nothing
	"builddir build outputdir out output outdir outfile outputs report reports log logs logfile cache cachedir tmp tmpdir temp tempdir basetemp dest destination destdir target dist prefix "+
		"coverage cov junit xml junitxml html json sarif result results artifact artifacts save dump dumps trace tracing profile profiles prof memprofile cpuprofile snapshot snapshots "+
		"screenshot screenshots video videos database db store storage data datadir dataset socket sock pid pidfile input stdin stdout stderr diff baseline export write record recording history "+
		"state lock stats stat timing timings benchmark metadata graph sysroot isysroot repo repository local title name message description label tag dir directory folder path file files "+
		"source sources src url host format pattern glob ignore exclude include only filter grep env mode base crate version docs doc assets static public downloads "+
		"download upload archive backup index keys key cert certs cacert ca locale lang seed sum checksum map maps sourcemap depfile list user timeout",
	"config configuration conf cfg rcfile rc yarnrc npmrc settings options init startup script rules rulesdir toolchain override gemfile homedir home import "+
		"rakefile gulpfile makefile justfile taskfile buildfile knexfile template templates bootclasspath root rootdir app reporter formatter parser environment preset presets classpath "+
		"processorpath module modules sdk jdk jvm java javabase propertyfile filters cwd chdir workdir working project manifest package packages pythonpath adapter workspace xcconfig listener checks custom policy policies auxclasspath sourcepath providerpath optlib",
	"plugin plugins load loader preload require agent javaagent agentpath agentlib rsh extension extensions provider",
	"wrapper launcher exec execute executable command cmd commands hook pager editor program prog runner runtool interpreter shell askpass objdump addr2line extcmd sshcmd linker ld tool compiler cc cxx gcc exe engine renderer gocmd browser bin",
)

func wordTable(lists ...string) map[string]optionSays {
	all := map[string]optionSays{}
	for says, list := range lists {
		for _, w := range strings.Fields(list) {
			all[w] = optionSays(says)
		}
	}
	return all
}

// loadLetters are the options of one letter that tell a tool what to load, where a table does not say otherwise. Those
// that are left out write, count, select, or name what is looked at.
const loadLetters = "ACFLMPRSclmprx"

// optionMeans tells what the name of an option says. A program must be named by the last word: exec.mainClass and
// --hook-timeout are something else; so are --plugin-cache and --config-name.
func optionMeans(name string) optionSays {
	words := optionParts(name)
	heaviest := saysNothing
	if len(words) > 1 && (words[0] == "print" || words[0] == "show" || words[0] == "dump") {
		return saysData // --print-config FILE
	}
	if len(name) == 2 && name[0] == '-' && strings.Contains(loadLetters, name[1:]) {
		return saysConfig
	}
	for i, w := range words {
		says := wordSays(w)
		last := i == len(words)-1
		switch {
		case last && i > 0 && isProduct(w):
			return saysData
		case says == saysRun && i == len(words)-2 && words[i+1] == "dir":
			says = saysLoad
		case says == saysRun && !last && !(i == len(words)-2 && (words[i+1] == "path" || words[i+1] == "file" || words[i+1] == "bin")):
			says = saysNothing
		}
		heaviest = max(heaviest, says)
	}
	return heaviest
}

// isProduct reports whether a name that ends so is of what a tool makes, whatever stands before.
func isProduct(w string) bool {
	switch w {
	case "out", "output", "report", "log", "logs", "cache", "name", "timeout", "format", "results", "prefix", "version", "export":
		return true
	}
	return false
}

// labelWords are names of options whose value is a pattern, a title or a place within something else: what looks like a
// path in it (--grep '/api/users', --base=/docs/) is none.
var labelWords = map[string]bool{
	"grep": true, "match": true, "pattern": true, "regex": true, "regexp": true, "title": true, "message": true, "description": true, "label": true,
	"base": true, "route": true, "routes": true, "endpoint": true, "basepath": true, "baseurl": true, "publicpath": true, "url": true, "uri": true, "query": true, "tests": true, "filter": true, "tag": true, "tags": true,
}

// labels reports whether the last word of an option's name is one of them.
func labels(name string) bool {
	name = strings.ToLower(strings.TrimLeft(name, "-"))
	return labelWords[name[strings.LastIndexAny(name, "-_.")+1:]]
}

// wordSays looks a word up. Those that are not listed may end in one that says enough: steepfile, docletpath, nycrc.
func wordSays(w string) optionSays {
	if says, ok := optionWords[w]; ok {
		return says
	}
	for _, made := range []string{"out", "log", "cache", "report", "result", "junit", "html", "xml", "json", "dump", "trace", "output", "base", "public", "temp", "lock", "build", "source"} {
		if strings.HasPrefix(w, made) {
			return saysNothing
		}
	}
	if len(w) > 4 && !strings.HasSuffix(w, "profile") && (strings.HasSuffix(w, "file") || strings.HasSuffix(w, "path") || strings.HasSuffix(w, "rc")) {
		return saysConfig
	}
	return saysNothing
}

// isProductName reports whether the last word of a name says that its value is made.
func isProductName(name string) bool {
	words := optionParts(name)
	if len(words) == 0 {
		return false
	}
	switch words[len(words)-1] {
	case "out", "output", "outfile", "outdir", "report", "log", "logfile", "results", "dump", "export", "record", "junit", "junitxml":
		return true
	}
	return false
}

// isWritten reports whether a name says that its value is made, or left out.
func isWritten(name string) bool {
	for _, w := range optionParts(name) {
		switch w {
		case "out", "output", "outfile", "outdir", "dest", "destination", "target", "report", "log", "logfile", "cache", "ignore", "exclude", "include", "only", "coverage", "cov", "write", "save",
			"export", "dump", "record", "glob", "pattern", "title", "name", "message", "snapshot", "artifact", "artifacts", "result", "results", "dist", "tmp", "temp", "prefix", "base", "o":
			return true
		}
	}
	return false
}

// optionParts cuts a name at what is no letter, and where small letters turn to capitals: --plugin-dir, testRunner.
func optionParts(name string) []string {
	var words []string
	start, before := -1, rune(0)
	for i, c := range name {
		letter := unicode.IsLetter(c) || unicode.IsDigit(c) && start >= 0
		if start >= 0 && (!letter || unicode.IsUpper(c) && unicode.IsLower(before)) {
			words = append(words, strings.ToLower(name[start:i]))
			start = -1
		}
		if letter && start < 0 {
			start = i
		}
		before = c
	}
	if start >= 0 {
		words = append(words, strings.ToLower(name[start:]))
	}
	return words
}

// isFlags reports whether an option hands options on to another program: -ldflags, --node-options, --jvm-args.
func isFlags(name string) bool {
	for _, end := range []string{"flags", "options", "opts", "args", "arg"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// isCode reports whether a file by this name is a program, or a part of one.
func isCode(name string) bool {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return false
	}
	switch name[i+1:] {
	case "so", "dylib", "dll", "jar", "class", "wasm", "js", "mjs", "cjs", "ts", "mts", "tsx", "jsx", "py", "pyc", "pyz", "rb", "pl", "pm", "lua", "php", "phar", "sh", "bash", "el", "vim", "cmake",
		"gradle", "groovy", "kts", "tcl", "R", "jl", "star", "ipynb", "exs", "erl", "scm", "hs", "ml", "nix", "gdb", "bat", "ps1", "nims", "dart", "swift", "cr", "clj", "scala", "targets", "props", "csproj", "proj", "gemspec", "ru", "fsx", "sc", "nf", "smk", "awk", "sed":
		return true
	}
	return false
}

// isSettings reports whether a file by this name tells a tool what to do.
func isSettings(name string) bool {
	for _, end := range []string{".yml", ".yaml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".xml", "rc"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// isShellText reports whether a word can hardly be anything but a command: it starts a shell, or is behind a pipe.
func isShellText(s string) bool {
	if len(s) > 1 && (s[0] == '|' || s[0] == '!') && strings.Trim(s[1:], " |!") != "" {
		return unicode.IsLetter(rune(s[1])) || strings.ContainsAny(s[1:2], " ./")
	}
	first, rest, ok := strings.Cut(strings.TrimSpace(s), " ")
	if !ok {
		return false
	}
	switch baseName(first) {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "python", "python3", "perl", "ruby", "node", "php", "env", "nc", "ncat", "busybox", "eval":
		return strings.HasPrefix(strings.TrimSpace(rest), "-") || strings.Contains(rest, "/")
	}
	return strings.HasPrefix(first, "/bin/") || strings.HasPrefix(first, "/usr/bin/") || strings.HasPrefix(first, "/tmp/")
}
