package workspace

import (
	"strings"
	"unicode/utf8"
)

// matchPath matches a glob of several elements; "**" stands for any number of them, but at the end for at least one.
// Only the last "**" is ever tried again, so the time is at most the product of both lengths.
func matchPath(glob, path string) bool {
	star, retry, starred := "", "", false
	for {
		element, rest, more := strings.Cut(glob, "/")
		if element == "**" {
			if !more {
				return path != ""
			}
			glob, star, retry, starred = rest, rest, path, true
			continue
		}
		head, tail, deeper := strings.Cut(path, "/")
		if matchElement(element, head) && more == deeper {
			if !more {
				return true
			}
			glob, path = rest, tail
			continue
		}
		_, next, ok := strings.Cut(retry, "/")
		if !starred || !ok {
			return false
		}
		glob, path, retry = star, next, next
	}
}

// matchElement matches one element of a path: "*" is any run of letters, "?" any letter, "[…]" one of a class.
func matchElement(glob, name string) bool {
	star, retry := "", ""
	starred := false
	for {
		if glob != "" && glob[0] == '*' {
			star, retry, starred = strings.TrimLeft(glob, "*"), name, true
			glob = star
			continue
		}
		if name == "" && glob == "" {
			return true
		}
		if name != "" && glob != "" {
			if g, n, ok := matchOne(glob, name); ok {
				glob, name = g, n
				continue
			}
		}
		if !starred || retry == "" {
			return false
		}
		_, size := utf8.DecodeRuneInString(retry)
		retry = retry[size:]
		glob, name = star, retry
	}
}

// matchOne takes one letter off both.
func matchOne(glob, name string) (string, string, bool) {
	letter, size := utf8.DecodeRuneInString(name)
	switch glob[0] {
	case '?':
		return glob[1:], name[size:], true
	case '[':
		rest, ok := matchClass(glob[1:], letter)
		return rest, name[size:], ok
	case '\\':
		if glob = glob[1:]; glob == "" {
			return "", name, false
		}
	}
	want, wide := utf8.DecodeRuneInString(glob)
	return glob[wide:], name[size:], want == letter
}

// matchClass matches what is behind a "[". A class that does not end matches nothing.
func matchClass(class string, letter rune) (rest string, ok bool) {
	negated := class != "" && (class[0] == '!' || class[0] == '^')
	if negated {
		class = class[1:]
	}
	found := false
	for first := true; class != ""; first = false {
		if class[0] == ']' && !first {
			return class[1:], found != negated
		}
		if name, after, isNamed := namedClass(class); isNamed {
			found = found || inNamed(name, letter)
			class = after
			continue
		}
		var from, to rune
		from, class = classLetter(class)
		to = from
		if len(class) > 1 && class[0] == '-' && class[1] != ']' {
			to, class = classLetter(class[1:])
		}
		found = found || from <= letter && letter <= to
	}
	return "", false
}

func classLetter(class string) (rune, string) {
	if class[0] == '\\' && len(class) > 1 {
		class = class[1:]
	}
	r, size := utf8.DecodeRuneInString(class)
	return r, class[size:]
}

func namedClass(class string) (name, rest string, ok bool) {
	if rest, ok = strings.CutPrefix(class, "[:"); !ok {
		return "", "", false
	}
	return strings.Cut(rest, ":]")
}

func inNamed(name string, r rune) bool {
	digit, lower, upper := r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z'
	switch name {
	case "digit":
		return digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "alpha":
		return lower || upper
	case "alnum":
		return lower || upper || digit
	case "space":
		return r == ' ' || r >= '\t' && r <= '\r'
	case "xdigit":
		return digit || r|0x20 >= 'a' && r|0x20 <= 'f'
	case "punct":
		return r > ' ' && r < 0x7f && !digit && !lower && !upper
	}
	return false
}
