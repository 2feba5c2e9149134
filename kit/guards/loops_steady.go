package guards

import (
	"slices"
	"strings"
)

// steady returns the output of a program without what differs from one run to the next by itself: times and durations, addresses
// in memory, numbers of processes and jobs, seeds of random numbers, names of temporary files and of kept outputs.
func steady(text string) string {
	var out []byte // nil: nothing was taken away yet
	done := 0      // what of the text is in out
	files := strings.Contains(text, "/tmp/") || strings.Contains(text, "output://")
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		from, to := i, 0
		if name := temporary(text, i, files); name > 0 {
			from, to = max(name, done), i+span(text[i:], isName)
		} else if i > 0 && (isWord(text[i-1]) || text[i-1] == '.') {
			if to = i + span(text[i:], isDigit); !afterLabel(text[:i]) {
				i = to + span(text[to:], isWord)
				continue
			}
		} else if to = varying(text, i); to == 0 {
			i += span(text[i:], func(c byte) bool { return isWord(c) || c == '.' })
			continue
		}
		out = append(append(out, text[done:from]...), '~')
		i, done = to, to
	}
	if out == nil {
		return text
	}
	return string(append(out, text[done:]...))
}

// varying returns where something ends that begins with the number at i and differs from run to run; 0 where it does not.
func varying(text string, i int) (end int) {
	rest := text[i:]
	if n := clock(rest); n > 0 && (i == 0 || text[i-1] != ':') {
		return i + n
	}
	if n := span(rest, isDigit); n >= 10 && n%3 == 1 && rest[0] == '1' && rest[1] >= '5' {
		return i + number(rest) // since 1970, in s, ms, µs or ns
	}
	if strings.HasPrefix(rest, "0x") {
		if n := span(rest[2:], isHex); n >= 6 {
			return i + 2 + n
		}
	}
	if n := duration(rest); n > 0 {
		return i + n
	}
	if afterLabel(text[:i]) {
		return i + number(rest)
	}
	return 0
}

// clock returns the length of a time of day, with the date before it and the zone after it: 10:20:30, 2026-11-22T10:20:30.5Z,
// 20261122-102030. A date alone is none.
func clock(text string) int {
	if shaped(text, "########-######") && strings.IndexByte("-_T", text[8]) >= 0 {
		return 15
	}
	n := 0
	if shaped(text, "####-##-##-##:##:##") {
		n = len("2026-11-22T")
	}
	if !shaped(text[n:], "##:##:##") {
		return 0
	}
	n += len("10:20:30")
	if n+1 < len(text) && (text[n] == '.' || text[n] == ',') {
		n += 1 + span(text[n+1:], isDigit)
	}
	switch zone := text[n:]; {
	case strings.HasPrefix(zone, "Z"):
		n++
	case shaped(zone, "-##:##"):
		n += len("+01:00")
	case shaped(zone, "-####"):
		n += len("+0100")
	}
	return n
}

// shaped reports whether a text begins as the shape does: # is a digit, - is a sign or a letter, the rest is itself.
func shaped(text, shape string) bool {
	if len(text) < len(shape) {
		return false
	}
	for i := range len(shape) {
		switch c := text[i]; shape[i] {
		case '#':
			if !isDigit(c) {
				return false
			}
		case '-':
			if strings.IndexByte("-/+_T ", c) < 0 {
				return false
			}
		default:
			if c != shape[i] {
				return false
			}
		}
	}
	return true
}

// units end a duration. The short ones of hours and minutes do so only after another one: 512m may be a size.
var units = strings.Fields("ns µs us ms s sec secs second seconds min mins minute minutes hour hours")

// duration returns the length of a duration: 1.2s, 12 ms, 1m2s, 3 seconds. What follows a slash makes it a measure: 12 ns/op.
func duration(text string) int {
	for n, parts := 0, 0; ; parts++ {
		digits := number(text[n:])
		if digits == 0 {
			return 0
		}
		n += digits
		unit := n
		if unit < len(text) && text[unit] == ' ' {
			unit++
		}
		letters := unit + span(text[unit:], func(c byte) bool { return isLetter(c) || c >= 0x80 })
		word := text[unit:letters]
		next := byte(0)
		if letters < len(text) {
			next = text[letters]
		}
		switch short := word == "d" || word == "h" || word == "m"; {
		case isWord(next) && !isDigit(next) || next == '/':
			return 0
		case slices.Contains(units, word) && !isDigit(next), short && parts > 0 && !isDigit(next):
			return letters
		case !short || unit > n:
			return 0
		case next == ' ':
			letters++
		}
		n = letters
	}
}

// labels are words before a number that say that it is a time, or was chosen by chance.
var labels = strings.Fields("duration elapsed took time uptime latency pid process goroutine seed job")

// afterLabel reports whether a label stands before a number: duration_ms: 12, "elapsed": 3, pid=7, job2.
func afterLabel(before string) bool {
	end := len(before)
	for end > 0 && strings.IndexByte("\"' \t:=", before[end-1]) >= 0 {
		end--
	}
	start := end
	for start > 0 && isLetter(before[start-1]) {
		start--
	}
	is := func(label string) bool { return strings.EqualFold(label, before[start:end]) }
	if end-start >= 3 && slices.ContainsFunc(labels, is) {
		return true
	}
	if start == 0 || before[start-1] != '_' { // duration_ms
		return false
	}
	end = start - 1
	for start = end; start > 0 && isLetter(before[start-1]); {
		start--
	}
	return slices.ContainsFunc(labels, is)
}

// temporary returns where the name of a temporary file begins that the byte at i belongs to, or of a kept output; 0 is none.
func temporary(text string, i int, any bool) int {
	if !any {
		return 0
	}
	start := i
	for start > 0 && isName(text[start-1]) {
		start--
	}
	for _, place := range []string{"/tmp/", "output://"} {
		if strings.HasSuffix(text[:start], place) {
			return start
		}
	}
	return 0
}

// number is the length of a number with its fraction.
func number(text string) int {
	n := span(text, isDigit)
	if n > 0 && n+1 < len(text) && text[n] == '.' && isDigit(text[n+1]) {
		n += 1 + span(text[n+1:], isDigit)
	}
	return n
}

// span is how many bytes a text begins with that are of a kind.
func span(text string, of func(byte) bool) int {
	n := 0
	for n < len(text) && of(text[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isWord(c byte) bool { return isDigit(c) || isLetter(c) || c == '_' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isName(c byte) bool { return isWord(c) || c == '.' || c == '+' || c == '-' }
