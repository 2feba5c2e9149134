package extend

import "strings"

// MostImports is how deep imports of instructions may be nested.
const MostImports = 4

// Import is a place in a text that imports a file.
type Import struct {
	Path       string // as it is written, without the @
	Start, End int    // bytes of the text, with the @
}

// Imports finds the words @path in a Markdown text, in their order: at the beginning of a line or after a blank, outside of
// code spans and fences, and with a dot or a slash in them. Those that name no file are left to the reader.
func Imports(text string) (all []Import) {
	at, fence := 0, ""
	for line := range strings.SplitAfterSeq(text, "\n") {
		trimmed := strings.TrimLeft(line, " \t>")
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		default:
			for _, i := range inLine(line) {
				all = append(all, Import{i.Path, at + i.Start, at + i.End})
			}
		}
		at += len(line)
	}
	return all
}

// inLine finds the imports of one line.
func inLine(line string) (all []Import) {
	span := 0 // the backquotes that opened a code span
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '`':
			n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
			if span == 0 && strings.Contains(line[i+n:], strings.Repeat("`", n)) {
				span = n
			} else if span == n {
				span = 0
			}
			i += n - 1
		case span == 0 && line[i] == '@' && (i == 0 || strings.IndexByte(" \t(\"'", line[i-1]) >= 0):
			word := line[i+1:]
			if end := strings.IndexAny(word, " \t\r\n,;:!?)\"'`<>*"); end >= 0 {
				word = word[:end]
			}
			word = strings.TrimRight(word, ".")
			if strings.ContainsAny(word, "./") && !strings.Contains(word, "//") {
				all = append(all, Import{word, i, i + 1 + len(word)})
			}
			i += len(word)
		}
	}
	return all
}
