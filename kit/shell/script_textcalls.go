package shell

import (
	"strings"
)

// What looks like a path in a program's text often is none: code that edits code is full of routes and imports.

// textCalls are functions whose strings are texts: what they look for and what they put in its place.
var textCalls = map[string]bool{
	"replace": true, "replaceAll": true, "replace_all": true, "sub": true, "subn": true, "gsub": true, "str_replace": true, "preg_replace": true, "split": true, "startswith": true, "startsWith": true,
	"endswith": true, "endsWith": true, "includes": true, "contains": true, "match": true, "search": true, "findall": true, "finditer": true, "indexOf": true, "index": true, "count": true, "find": true,
	"removeprefix": true, "removesuffix": true, "lstrip": true, "rstrip": true, "strip": true, "partition": true, "print": true, "log": true, "puts": true, "re.compile": true,
}

// isText reports whether the string at i is a text: an import that one of these functions looks for, or a route, whose
// first name no machine has below its root, anywhere but in a function that opens files.
func isText(tokens []token, i int) bool {
	name, s := enclosing(tokens, i), tokens[i].Str
	last := lastName(name)
	text := textCalls[last] && name != "os.replace"
	if !strings.HasPrefix(s, "/") {
		return text
	}
	switch tokenAt(tokens, i-1).Word {
	case "include", "include_once", "require", "require_once", "do", "import", "from", "load", "source", "use":
		return false
	}
	first, _, _ := strings.Cut(s[1:], "/")
	return first != "" && !strings.Contains(s, "/..") && !isRootName(strings.ToLower(first)) && (text || !opens(name))
}

// isURLText reports whether the string at i is an address that is only taken apart or put in another's place.
func isURLText(tokens []token, i int) bool {
	if !strings.Contains(tokens[i].Str, "://") {
		return false
	}
	switch last := lastName(enclosing(tokens, i)); last {
	case "urlparse", "urlsplit", "urljoin", "quote", "unquote", "parse_qs", "URL":
		return true
	default:
		return textCalls[last]
	}
}

func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// enclosing is the name of the call that the token at i is an argument of.
func enclosing(tokens []token, i int) string {
	depth := 0
	for j := i - 1; j > 0 && i-j < 200; j-- {
		switch tokens[j].Sym {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth == 0 {
				return tokens[j-1].Word
			}
			depth--
		case ';':
			return ""
		}
	}
	return ""
}

// opens reports whether a function takes a path.
func opens(name string) bool {
	switch lastName(name) {
	case "write", "writelines", "write_text", "write_bytes", "loads", "dumps": // contents
		return false
	}
	name = strings.ToLower(name)
	for _, part := range [...]string{"open", "path", "file", "dir", "read", "write", "copy", "move", "rename", "remove", "unlink", "rm", "chdir", "load", "save", "glob", "walk", "import", "require", "include", "consult", "exists", "stat", "to_csv", "sqlite", "connect"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// holesInStrings reports whether all that is not known of a program's text is within its strings.
func holesInStrings(tokens []token, text string) bool {
	n := 0
	for _, t := range tokens {
		if t.IsStr {
			n += strings.Count(t.Str, string(anyText))
		}
	}
	return n == strings.Count(text, string(anyText))
}
