package shell

import "strings"

// writesByCommand reports whether a word makes vi write its file: +wq, -c x, '%d|wq'.
func writesByCommand(s string) bool {
	for _, part := range strings.FieldsFunc(strings.TrimLeft(s, "+:"), func(c rune) bool { return c == '|' || c == '\n' }) {
		switch strings.TrimSpace(strings.TrimLeft(part, ":")) {
		case "w", "w!", "wq", "wq!", "x", "x!", "wqa", "wqa!", "wa", "xa", "up", "update", "exit":
			return true
		}
	}
	return false
}
