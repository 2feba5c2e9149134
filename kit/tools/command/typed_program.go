package command

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// readers are programs of which it is known what they do with the lines that they read, and the command that judges such lines:
// interpreters execute them as code, the others take them as answers to their questions.
var readers = map[string]string{
	"python": "python3", "python3": "python3", "node": "node", "psql": "", "sqlite3": "", "mysql": "",
	"npm": "", "pnpm": "", "yarn": "", "cargo": "", "pip": "", "pip3": "",
}

// What the words of a command line must be, so that a reader does what readers says: npm explore starts a shell, as python3 -m pty does,
// and nobody knows what a script does with what it reads.
var (
	asking  = strings.Fields("init new create install i add uninstall remove login publish")
	modules = strings.Fields("pdb code")
)

// readsAsExpected reports whether a reader is started so that it does with lines what readers says.
func readsAsExpected(words []string) bool {
	flag := func(w string) bool { return strings.HasPrefix(w, "-") }
	switch path.Base(words[0]) {
	case "npm", "pnpm", "yarn", "cargo", "pip", "pip3":
		return len(words) > 1 && slices.Contains(asking, words[1])
	case "python", "python3":
		if len(words) > 2 && words[1] == "-m" {
			return slices.Contains(modules, words[2])
		}
		return !slices.ContainsFunc(words[1:], func(w string) bool { return !flag(w) || strings.HasPrefix(w, "-m") })
	case "node":
		return !slices.ContainsFunc(words[1:], func(w string) bool { return !flag(w) })
	}
	return true
}

// simpleCommand is one program with plain words.
var simpleCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w./:=@,+ -]+$`) })

// takesInput returns the command that a line is judged with as its input, when it is typed into the terminal of a program: a debugger
// of Python executes it as Python. "" means that nobody knows what the program does with it: an editor may start a shell, and so
// may a program of the workspace.
func takesInput(command string) string {
	words := strings.Fields(command)
	for len(words) > 1 && (strings.HasPrefix(words[0], "PG") || strings.HasPrefix(words[0], "MYSQL_PWD=")) && strings.Contains(words[0], "=") {
		words = words[1:] // whom a client of a database signs in as, and where
	}
	if !simpleCommand().MatchString(command) || len(words) == 0 || strings.Contains(words[0], "=") {
		return ""
	}
	switch judged, known := readers[path.Base(words[0])]; {
	case !known || strings.Contains(words[0], "/") || !readsAsExpected(words):
		return ""
	case judged != "":
		return judged
	}
	return strings.Join(words, " ")
}

// asInput is a command with its input.
func asInput(command, input string) string {
	end := "INPUT"
	for strings.Contains(input, end) {
		end += "_"
	}
	return command + " <<'" + end + "'\n" + strings.TrimSuffix(input, "\n") + "\n" + end
}
