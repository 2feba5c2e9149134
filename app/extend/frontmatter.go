package extend

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Frontmatter are the keys of a head.
type Frontmatter map[string]any

// ParseFrontmatter splits a file into its head and its body. A file without a head has no fields and is all body. lenient means that the
// head is no valid YAML and was read line by line.
func ParseFrontmatter(text string) (fields Frontmatter, body string, lenient bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	rest, ok := cutLine(text, "---")
	if !ok {
		return Frontmatter{}, text, false
	}
	end := closing().FindStringIndex(rest)
	if end == nil {
		return Frontmatter{}, text, false
	}
	head, body := rest[:end[0]], strings.TrimLeft(rest[end[1]:], "\r\n")
	var all map[string]any // maps below it are of the same type
	if err := yaml.Unmarshal([]byte(head), &all); err == nil && all != nil {
		return all, body, false
	}
	return byLine(head), body, strings.TrimSpace(head) != ""
}

var closing = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^---[ \t]*\r?(?:\n|$)`) })

// cutLine takes the first line away if it is this one.
func cutLine(text, line string) (string, bool) {
	first, rest, found := strings.Cut(text, "\n")
	return rest, found && strings.TrimSpace(first) == line
}

// byLine reads "key: value" lines; deeper lines belong to the value above them.
func byLine(head string) Frontmatter {
	fields, last := Frontmatter{}, ""
	for line := range strings.Lines(head) {
		line = strings.TrimRight(line, "\r\n")
		if key, value, ok := strings.Cut(line, ":"); ok && key != "" && !strings.ContainsAny(key[:1], " \t-#") {
			last = strings.TrimSpace(key)
			fields[last] = strings.Trim(strings.TrimSpace(value), `"'`)
			continue
		}
		if text := strings.TrimSpace(line); last != "" && text != "" {
			fields[last] = strings.TrimSpace(fmt.Sprint(fields[last]) + "\n" + text)
		}
	}
	return fields
}

// Text returns a value as text; "" where there is none, or a list.
func (f Frontmatter) Text(key string) string {
	switch v := f[key].(type) {
	case nil, []any, map[string]any:
		return ""
	default:
		return strings.TrimSpace(fmt.Sprint(v))
	}
}

// List returns a list, or the parts of a text between commas and blanks. Blanks in parentheses do not separate.
func (f Frontmatter) List(key string) (all []string) {
	if list, ok := f[key].([]any); ok {
		for _, v := range list {
			if text := strings.TrimSpace(fmt.Sprint(v)); text != "" {
				all = append(all, text)
			}
		}
		return all
	}
	depth, start, text := 0, 0, strings.Trim(f.Text(key), "[]")
	add := func(end int) {
		if part := strings.Trim(strings.TrimLeft(strings.TrimSpace(text[start:end]), "- "), `"'`); part != "" {
			all = append(all, part)
		}
	}
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case depth == 0 && strings.ContainsRune(", \t\n", c):
			add(i)
			start = i + 1
		}
	}
	add(len(text))
	return all
}

// Bool returns a truth value, also yes, no, on, off, 1 and 0; otherwise what is said where the key is missing or no truth value.
func (f Frontmatter) Bool(key string, otherwise bool) bool {
	switch strings.ToLower(f.Text(key)) {
	case "true", "yes", "on", "1":
		return true
	case "false", "no", "off", "0":
		return false
	}
	return otherwise
}
