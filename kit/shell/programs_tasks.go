package shell

import (
	"strings"
	"unicode"
)

// taskParts cuts a name where tools put namespaces: db:drop, :app:publish, core/test. A dot does so too, unless what
// follows is the ending of a file.
func taskParts(name string) []string {
	parts := strings.FieldsFunc(name, func(c rune) bool { return c == ':' || c == '/' })
	if i := strings.LastIndexByte(name, '.'); i > 0 && len(parts) == 1 {
		return []string{name[i+1:]} // ecto.reset; install.sh has no verb to judge
	}
	return parts
}

// taskWords cuts a part into words: clean-cache, clean_all, cleanTest.
func taskWords(part string) []string {
	var words []string
	start := 0
	for i, c := range part {
		switch {
		case c == '-' || c == '_':
			if i > start {
				words = append(words, strings.ToLower(part[start:i]))
			}
			start = i + 1
		case unicode.IsUpper(c) && i > start && !unicode.IsUpper(rune(part[i-1])):
			words = append(words, strings.ToLower(part[start:i]))
			start = i
		}
	}
	if start < len(part) {
		words = append(words, strings.ToLower(part[start:]))
	}
	return words
}

// taskName reports whether a word may be the name of a task: no path, no pattern, no sentence.
func taskName(s string, slashes bool) bool {
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune(":._-", c) || c == '/' && slashes) {
			return false
		}
	}
	return s != "" && strings.Trim(s[:1], ":abcdefghijklmnopqrstuvwxyz") == "" // Release is a value
}
