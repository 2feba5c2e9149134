package edit

import "strings"

// isPlaceholder reports whether a line stands for text that was left out: dots, alone or with the words for it, with or
// without the marks of a comment.
func isPlaceholder(l string) bool {
	body := trimComment(strings.TrimSpace(l))
	if body == "..." || body == "…" || body == "[...]" || body == "(...)" {
		return true
	}
	dotted := strings.HasPrefix(body, "...") || strings.HasPrefix(body, "…") || strings.HasSuffix(body, "...") || strings.HasSuffix(body, "…")
	commented := body != strings.TrimSpace(l)
	if !dotted && !commented || len(body) > 90 {
		return false
	}
	words := strings.ToLower(strings.Trim(body, ".…[](){}<> \t"))
	for _, w := range omissions {
		if strings.Contains(words, w) {
			return dotted || strings.HasPrefix(words, w) && len(words) <= len(w)+24
		}
	}
	return false
}

var omissions = [...]string{
	"unchanged", "existing code", "existing", "rest of", "remaining", "remainder", "omitted", "same as before", "as before", "no change",
	"previous code", "other code", "code here", "snip", "truncated", "elided", "etc", "keep", "stays the same", "same code", "more code",
	"implementation", "other methods", "other functions", "other imports",
}

func trimComment(s string) string {
	for _, m := range commentMarks {
		if rest, ok := strings.CutPrefix(s, m.open); ok {
			return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), m.end))
		}
	}
	return s
}

var commentMarks = [...]struct{ open, end string }{
	{"<!--", "-->"}, {"{/*", "*/}"}, {"/*", "*/"}, {"//", ""}, {"#", ""}, {"--", ""}, {";", ""}, {"%", ""}, {"*", ""}, {"\"\"\"", "\"\"\""}, {"'", ""}, {"REM ", ""},
}

// isBareEllipsis reports whether a line is the Python body of three dots, the one placeholder that is also a statement.
func isBareEllipsis(l string) bool { return strings.TrimSpace(l) == "..." }
