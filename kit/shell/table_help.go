package shell

import (
	_ "embed"
	"strings"
	"sync"
)

// The file help/options.txt holds, for each program by its name, the options that its own --help lists: those that take a value
// behind "takes", the others behind "flags". A test compares it with the programs that are installed, and writes it with -update.
// Lines of several programs in the other files are less exact: the same letter may take a value in one and not in another.

//go:embed help/options.txt
var helpFile string

// helpOf returns what the options of a program are by its own account: true for those that take a value.
func helpOf(name string) map[string]bool {
	options := helpLines()[name]
	if options == nil {
		return nil
	}
	return options()
}

// helpLines are the options by the names of the programs. A line is read when its program is first asked for.
var helpLines = sync.OnceValue(func() map[string]func() map[string]bool {
	lines := map[string]func() map[string]bool{}
	for line := range strings.Lines(helpFile) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			lines[name] = sync.OnceValue(func() map[string]bool { return parseHelp(rest) })
		}
	}
	return lines
})

func parseHelp(line string) map[string]bool {
	options := map[string]bool{}
	takes := false
	for _, word := range strings.Fields(line) {
		switch word {
		case "flags":
			takes = false
		case "takes":
			takes = true
		default:
			options[word] = takes
		}
	}
	return options
}
