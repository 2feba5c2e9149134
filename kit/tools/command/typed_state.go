package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	plainShell = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:/usr)?(?:/bin/)?(?:bash|dash|sh)(?:\s+(?:-[il]+|--norc|--noprofile|--login|--noediting))*\s*$`)
	})
	// What changes how the terminal or the shell reads a line, and programs that read the next lines themselves.
	leaves = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[^\w.-])(?:(?:stty|tset|reset|bind|histchars|ssh|su|chroot|nsenter|screen|tmux|script)(?:[^\w.-]|$)|` +
			`(?:i?python[\d.]*|node|deno|bun|irb|ruby|perl|php|lua|psql|mysql|sqlite3|gdb|ed|ex|vim?|nano|zsh|fish|t?csh)(?:\s+-\S*)*\s*$)`)
	})
	quoting    = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer(`'`, "", `"`, "", `\`, "") })
	assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\w+(?:\[.*\])?\+?=`) })
	// A function, arithmetic, or ${name:=value}.
	definition = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(\s*\)|\(\(|\$\[|\$\{[^}]*=`) })
	plainWord  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w./+-]+$`) })
)

// stateWords are builtins after which a later line may mean something else, and words before another command.
var stateWords = strings.Fields(`cd pushd popd set shopt shift unset export declare local typeset readonly read mapfile readarray
	getopts printf alias unalias trap eval exec source . enable hash builtin command function coproc let umask`)

// isPlainShell reports whether a job is a shell that reads what is typed into its terminal.
func isPlainShell(command string) bool { return plainShell().MatchString(command) }

// leavesTheShell reports whether later lines may not be read as this shell's lines are.
func leavesTheShell(lines string) bool {
	return slices.ContainsFunc(strings.Split(quoting().Replace(lines), "\n"), leaves().MatchString)
}

// changesState reports whether lines may change what later lines mean: the directory, variables, functions. What is not
// known to leave the state alone changes it.
func changesState(lines string) bool {
	if definition().MatchString(lines) {
		return true
	}
	for _, command := range strings.FieldsFunc(lines, func(c rune) bool { return strings.ContainsRune(";&|\n", c) }) {
		words := strings.Fields(command)
		if len(words) > 0 && !plainWord().MatchString(words[0]) {
			return true
		}
		for _, w := range words {
			if w = quoting().Replace(w); slices.Contains(stateWords, w) || assignment().MatchString(w) {
				return true
			}
		}
	}
	return false
}
