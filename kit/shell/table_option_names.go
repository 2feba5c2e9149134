package shell

import (
	"slices"
	"strings"
	"unicode"
)

// optionHint is what the name of an option reveals about its value, in the order of severity.
type optionHint int

const (
	hintNothing optionHint = iota
	hintData               // it is written, or looked at
	hintConfig             // it gives instructions to a tool
	hintLoad               // it is loaded, even where a tool only looks
	hintRun                // it is a program or a command line
)

// loadLetters are the options of one letter that make a tool load something, where a table does not say otherwise. Those
// that are left out write, count, select, or name what is looked at.
const loadLetters = "ACFLMPRSclmprx"

// hintOf returns what the name of an option reveals. A program must be named by the last word: exec.mainClass and
// --hook-timeout are something else; so are --plugin-cache and --config-name.
func hintOf(name string) optionHint {
	words := optionParts(name)
	worst := hintNothing
	if len(words) > 1 && (words[0] == "print" || words[0] == "show" || words[0] == "dump") {
		return hintData // --print-config FILE
	}
	if len(name) == 2 && name[0] == '-' && strings.Contains(loadLetters, name[1:]) {
		return hintConfig
	}
	for i, w := range words {
		hint := wordHint(w)
		last := i == len(words)-1
		switch {
		case last && i > 0 && isProduct(w):
			return hintData
		case hint == hintRun && i == len(words)-2 && words[i+1] == "dir":
			hint = hintLoad
		case hint == hintRun && !last && !(i == len(words)-2 && (words[i+1] == "path" || words[i+1] == "file" || words[i+1] == "bin")):
			hint = hintNothing
		}
		worst = max(worst, hint)
	}
	return worst
}

// isProduct reports whether a name that ends so is of what a tool makes, whatever comes before.
func isProduct(w string) bool {
	return optionProducts().Has(w)
}

// labels reports whether the value of an option is a pattern, a title or a place within something else.
func labels(name string) bool {
	name = strings.ToLower(strings.TrimLeft(name, "-"))
	return optionLabels().Has(name[strings.LastIndexAny(name, "-_.")+1:])
}

// wordHint looks a word up. A word that is not listed may end in a listed one: steepfile, docletpath, nycrc.
func wordHint(w string) optionHint {
	switch optionWords().Group(w) {
	case "data":
		return hintData
	case "config":
		return hintConfig
	case "load":
		return hintLoad
	case "run":
		return hintRun
	}
	for _, made := range []string{"out", "log", "cache", "report", "result", "junit", "html", "xml", "json", "dump", "trace", "output", "base", "public", "temp", "lock", "build", "source"} {
		if strings.HasPrefix(w, made) {
			return hintNothing
		}
	}
	if len(w) > 4 && !strings.HasSuffix(w, "profile") && (strings.HasSuffix(w, "file") || strings.HasSuffix(w, "path") || strings.HasSuffix(w, "rc")) {
		return hintConfig
	}
	return hintNothing
}

// isProductName reports whether the last word of a name shows that the tool creates its value.
func isProductName(name string) bool {
	words := optionParts(name)
	return len(words) > 0 && optionOutputs().Has(words[len(words)-1])
}

// isWritten reports whether a name shows that the tool creates its value, or leaves it out.
func isWritten(name string) bool {
	return slices.ContainsFunc(optionParts(name), optionWritten().Has)
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

// isFlags reports whether an option passes options on to another program: -ldflags, --node-options, --jvm-args.
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
	return i >= 0 && codeExtensions().Has(name[i+1:])
}

// isSettings reports whether a file of this name gives instructions to a tool.
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
	if commandStarts().Has(baseName(first)) {
		return strings.HasPrefix(strings.TrimSpace(rest), "-") || strings.Contains(rest, "/")
	}
	return strings.HasPrefix(first, "/bin/") || strings.HasPrefix(first, "/usr/bin/") || strings.HasPrefix(first, "/tmp/")
}

// isOutput reports whether an option of a program that only reads, by its name, says where to write.
func isOutput(name string) bool {
	return name == "-o" || name == "-O" || isProductName(name)
}
