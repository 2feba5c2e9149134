package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// escapeStyle is the place where escapes are met: each has rules of its own.
type escapeStyle int

// The styles: the format of printf, the values of its %b and echo -e, and $'...'.
const (
	styleFormat escapeStyle = iota
	styleEcho
	styleDollar
)

// replaceEscapes replaces backslash sequences. ends is true where \c ends the output. ok is false where the result is not text.
func replaceEscapes(s string, style escapeStyle) (out string, ends, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'a', 'b', 'f', 'n', 'r', 't', 'v', '\\':
			b.WriteByte("\a\b\f\n\r\t\v\\"[strings.IndexByte(`abfnrtv\`, c)])
		case 'e', 'E':
			b.WriteByte(0x1b)
		case '\'', '"', '?':
			if style == styleEcho {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case 'c':
			if style == styleDollar {
				return "", false, false
			}
			if style == styleEcho {
				return b.String(), true, true
			}
			b.WriteString(`\c`)
		case 'x', 'u', 'U':
			n := digits(s[i+1:], 16, map[byte]int{'x': 2, 'u': 4, 'U': 8}[c])
			if n == 0 {
				b.WriteByte('\\')
				b.WriteByte(c)
				continue
			}
			code, _ := strconv.ParseUint(s[i+1:i+1+n], 16, 64) // digits has looked
			if code >= utf8.RuneSelf || !writeCode(&b, code, style) {
				return "", false, false
			}
			i += n
		case '0', '1', '2', '3', '4', '5', '6', '7':
			start := i
			if style == styleEcho {
				if start++; c != '0' { // echo wants \0NNN
					b.WriteByte('\\')
					b.WriteByte(c)
					continue
				}
			}
			n := digits(s[start:], 8, 3)
			code, _ := strconv.ParseUint("0"+s[start:start+n], 8, 64) // digits has looked
			if code >= utf8.RuneSelf || !writeCode(&b, code, style) {
				return "", false, false
			}
			i = start + n - 1
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), false, true
}

// writeCode writes one byte. A NUL is written as Nul; in $'...' it would end the text.
func writeCode(b *strings.Builder, code uint64, style escapeStyle) bool {
	if code == 0 {
		if style == styleDollar {
			return false
		}
		b.WriteByte(nulMark)
		return true
	}
	b.WriteByte(byte(code))
	return true
}

// nulMark stands for a NUL byte in data.
const nulMark = '\x03'

func digits(s string, base, most int) int {
	n := 0
	for n < len(s) && n < most {
		if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	return n
}

const maxFormatted = 64 << 10

// formatPrintf formats arguments as the builtin does: again and again until all are used. ok is false where it is not computed.
func formatPrintf(format string, args []string) (string, bool) {
	var b strings.Builder
	for {
		used, done, ok := formatOnce(&b, format, args)
		if !ok || b.Len() > maxFormatted {
			return "", false
		}
		if done || used == 0 || used >= len(args) {
			return b.String(), true
		}
		args = args[used:]
	}
}

func formatOnce(b *strings.Builder, format string, args []string) (used int, done, ok bool) {
	next := func() string {
		if used++; used > len(args) {
			return ""
		}
		return args[used-1]
	}
	for i := 0; i < len(format); {
		j := strings.IndexByte(format[i:], '%')
		if j < 0 {
			j = len(format) - i
		}
		text, _, ok := replaceEscapes(format[i:i+j], styleFormat)
		if !ok || strings.Contains(text, `\c`) {
			return 0, false, false
		}
		b.WriteString(text)
		if i += j; i >= len(format) {
			break
		}
		d, n, ok := directiveOf(format[i+1:])
		if !ok {
			return 0, false, false
		}
		i += 1 + n
		var s string
		switch d.verb {
		case '%':
			b.WriteByte('%')
			continue
		case 's':
			s = next()
		case 'b':
			text, ends, ok := replaceEscapes(next(), styleEcho)
			if !ok {
				return 0, false, false
			}
			if ends {
				b.WriteString(text)
				return used, true, true
			}
			s = text
		case 'c':
			s = next()
			s = s[:min(1, len(s))]
		case 'd', 'i':
			if s, ok = decimal(next()); !ok || d.precision >= 0 {
				return 0, false, false
			}
		default:
			return 0, false, false
		}
		if s, ok = d.fit(s); !ok {
			return 0, false, false
		}
		b.WriteString(s)
	}
	return used, false, true
}

// directive is one % of a format.
type directive struct {
	left             bool
	width, precision int // precision is -1 where it is not given
	verb             byte
}

// directiveOf reads a directive behind its % and how long it is. ok is false where it has no end.
func directiveOf(format string) (d directive, n int, ok bool) {
	d.precision = -1
	for n < len(format) && format[n] == '-' {
		d.left = true
		n++
	}
	if n < len(format) && strings.IndexByte("0+ #'", format[n]) >= 0 {
		return d, 0, false // flags that are not computed
	}
	k := digits(format[n:], 10, 4)
	d.width, _ = strconv.Atoi("0" + format[n:n+k]) // digits has looked
	if n += k; n < len(format) && format[n] == '.' {
		k = digits(format[n+1:], 10, 4)
		d.precision, _ = strconv.Atoi("0" + format[n+1:n+1+k]) // digits has looked
		n += 1 + k
	}
	if n >= len(format) {
		return d, 0, false
	}
	d.verb = format[n]
	return d, n + 1, true
}

// fit cuts and pads a value.
func (d directive) fit(s string) (string, bool) {
	if (d.precision >= 0 || d.width > 0 || d.verb == 'c') && !isASCII(s) || d.verb == 'c' && s == "" { // the latter prints a NUL byte
		return "", false
	}
	if d.precision >= 0 && d.precision < len(s) {
		s = s[:d.precision]
	}
	pad := strings.Repeat(" ", max(0, d.width-len(s)))
	if d.left {
		return s + pad, true
	}
	return pad + s, true
}

// decimal is a number as %d prints it. Numbers in other bases are not computed.
func decimal(s string) (string, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if s != "" && (err != nil || s[0] == '0' && len(s) > 1 || s[0] == '+') {
		return "", false
	}
	return strconv.FormatInt(n, 10), true
}
