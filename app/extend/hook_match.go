package extend

import (
	"regexp"
	"slices"
	"strings"
)

// readMatcher reads a matcher of a format: "", "*" match all; letters, digits, "_", "-", blanks, "," and "|" are a list of exact names; anything
// else is a regular expression that may match any part of a name. A tool has several names: see toolNames. For
// the tools of Gemini CLI and crush it is always an expression.
func readMatcher(text, format string, ofTool bool) (func(subject string) bool, error) {
	if text == "" || text == "*" {
		return nil, nil
	}
	if isNameList(text) && !(ofTool && hasOwnNames(format)) {
		list := strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ',' })
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
		return func(subject string) bool {
			return slices.ContainsFunc(toolNames(subject, format), func(n string) bool { return slices.Contains(list, n) })
		}, nil
	}
	re, err := regexp.Compile(text)
	if err != nil && format == "gemini" { // there it is then a text
		re, err = regexp.Compile(regexp.QuoteMeta(text))
	}
	if err != nil {
		return nil, err
	}
	return func(subject string) bool { return slices.ContainsFunc(toolNames(subject, format), re.MatchString) }, nil
}

// isNameList reports whether a matcher is a list of names.
func isNameList(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_- ,|", r))
	})
}
