package edit

import (
	"strings"
)

// withoutNumbers undoes line numbers that were copied from a listing. They must be before every line of old that
// is not blank, in one style, and count up.
func (p readingPair) withoutNumbers() (readingPair, bool) {
	first, sep, ok := numbering(p.Old)
	if !ok {
		return p, false
	}
	q := p.with("line numbers")
	q.Number, q.Colon = first, strings.HasPrefix(sep, ":") || sep == "." || sep == ")"
	pad := padded(p.Old, sep)
	q.Old = stripNumbers(p.Old, sep, pad)
	if marked(p.New, sep)*2 >= countFilled(p.New) {
		q.New = stripNumbers(p.New, sep, pad)
	}
	return q.settled(), true
}

// numberSeparators are what listings put between a number and the line.
var numberSeparators = [...]string{"→", "\t", "|", ":", " │", "│", ")", "."}

// cutNumber reads a line number and what is behind it.
func cutNumber(l string) (number int, rest string, ok bool) {
	l = strings.TrimLeft(l, " \t")
	l = strings.TrimPrefix(strings.TrimPrefix(l, "L"), "[")
	i := 0
	for i < len(l) && l[i] >= '0' && l[i] <= '9' && i < 8 {
		number = number*10 + int(l[i]-'0')
		i++
	}
	return number, strings.TrimPrefix(l[i:], "]"), i > 0
}

// cutSeparator takes a separator, with the blank that may be before it.
func cutSeparator(rest, sep string) (string, bool) {
	if after, ok := strings.CutPrefix(rest, sep); ok {
		return after, true
	}
	if sep == "|" {
		return strings.CutPrefix(rest, " |")
	}
	return rest, false
}

// numbering finds the style in which all lines are numbered.
func numbering(lines []string) (first int, sep string, ok bool) {
	for _, s := range numberSeparators {
		if first, ok := countsUp(lines, s); ok {
			return first, s, true
		}
	}
	return 0, "", false
}

func countsUp(lines []string, sep string) (first int, ok bool) {
	last := 0
	for _, l := range lines {
		if isBlankLine(l) {
			last++
			continue
		}
		n, rest, ok := cutNumber(l)
		if !ok {
			return 0, false
		}
		if _, ok = cutSeparator(rest, sep); !ok && !isBlankLine(rest) {
			return 0, false
		}
		if first == 0 {
			first, last = n, n-1
		}
		if n <= last || n > last+1 && sep != ":" {
			return 0, false
		}
		last = n
	}
	return first, first > 0
}

// padded means that each separator is followed by one more blank that belongs to the listing: then the least number of
// blanks there is odd, as text is indented by even ones.
func padded(lines []string, sep string) bool {
	if sep == "\t" || sep == "→" {
		return false
	}
	least := -1
	for _, l := range lines {
		_, rest, _ := cutNumber(l)
		rest, ok := cutSeparator(rest, sep)
		if !ok || rest == "" {
			continue
		}
		n := len(rest) - len(strings.TrimLeft(rest, " "))
		if least < 0 || n < least {
			least = n
		}
	}
	return least > 0 && least%2 == 1
}

func stripNumbers(lines []string, sep string, pad bool) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l
		_, rest, ok := cutNumber(l)
		if !ok {
			continue
		}
		if isBlankLine(rest) {
			out[i] = ""
		} else if rest, ok = cutSeparator(rest, sep); ok {
			if pad {
				rest = strings.TrimPrefix(rest, " ")
			}
			out[i] = rest
		}
	}
	return out
}

// marked counts the lines that carry a number in the style.
func marked(lines []string, sep string) int {
	n := 0
	for _, l := range lines {
		if _, rest, ok := cutNumber(l); ok {
			if _, ok = cutSeparator(rest, sep); ok {
				n++
			}
		}
	}
	return n
}

// countFilled returns how many lines are not blank.
func countFilled(lines []string) int {
	n := 0
	for _, l := range lines {
		if !isBlankLine(l) {
			n++
		}
	}
	return n
}
