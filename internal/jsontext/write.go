package jsontext

import "unicode/utf8"

const hex = "0123456789abcdef"

// AppendString appends s in quotes. What is no UTF-8 becomes U+FFFD, so that the result is always JSON.
func AppendString(out []byte, s string) []byte {
	out = append(out, '"')
	from := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			out = escape(append(out, s[from:i]...), c)
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			out = append(append(out, s[from:i]...), "\uFFFD"...)
			from = i + 1
		}
		i += n
	}
	return append(append(out, s[from:]...), '"')
}

func escape(out []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(out, '\\', c)
	case '\n':
		return append(out, '\\', 'n')
	case '\t':
		return append(out, '\\', 't')
	case '\r':
		return append(out, '\\', 'r')
	}
	return append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// AppendField appends a comma, the key and the string s; key must need no escapes.
func AppendField(out []byte, key, s string) []byte {
	return AppendString(AppendKey(out, key), s)
}

// AppendKey appends a comma where something is before it in the same object, then the key and its colon.
func AppendKey(out []byte, key string) []byte {
	if n := len(out); n > 0 && out[n-1] != '{' {
		out = append(out, ',')
	}
	out = append(out, '"')
	return append(append(out, key...), '"', ':')
}

// AppendComma appends a comma unless an array or object has just begun.
func AppendComma(out []byte) []byte {
	if n := len(out); n > 0 && out[n-1] != '[' && out[n-1] != '{' {
		return append(out, ',')
	}
	return out
}

// AppendStrings appends a field whose value is a list of strings, with a comma before it where one is needed.
func AppendStrings(out []byte, key string, all []string) []byte {
	out = append(AppendKey(out, key), '[')
	for _, s := range all {
		out = AppendString(AppendComma(out), s)
	}
	return append(out, ']')
}
