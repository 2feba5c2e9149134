package text

import (
	_ "embed"
	"regexp"
	"sort"
	"strings"
	"sync"
)

// reasons has what checks say, in English and in Chinese: % in the English words is what is not known beforehand, %1 in the Chinese ones is the
// first of it, and {1} is it in Chinese where it is a reason itself. The page has the same table.
//
//go:embed reasons.zh.txt
var reasons string

// messages has in the same form what a session says to its user by itself: notices, errors of providers, what hooks did, why a call did not run.
//
//go:embed messages.zh.txt
var messages string

// commands has in the same form what commands print: their summaries, errors and warnings, and the lines of rein doctor.
//
//go:embed commands.zh.txt
var commands string

// reasonRow is a row of the table.
type reasonRow struct {
	fits    *regexp.Regexp
	chinese string
	known   int // bytes of its words
	ends    bool
}

var (
	reasonRows  = sync.OnceValue(func() []reasonRow { return rowsOf(reasons, `(\S+)`) })
	messageRows = sync.OnceValue(func() []reasonRow { return rowsOf(messages, "(.*?)") })
	commandRows = sync.OnceValue(func() []reasonRow { return rowsOf(commands+messages, "(.*?)") })
)

// rowsOf reads a table. first matches what a row may begin with.
func rowsOf(table, first string) (rows []reasonRow) {
	for line := range strings.Lines(table) {
		english, chinese, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		pattern := strings.ReplaceAll(regexp.QuoteMeta(english), "%", "(.*?)")
		if rest, ok := strings.CutPrefix(pattern, "(.*?)"); ok { // the name of something, not the words of another reason
			if pattern = first + rest; strings.HasPrefix(rest, ": ") {
				pattern = `(the model|\S+)` + rest
			}
		}
		ends := strings.HasPrefix(english, ", ") // it follows another reason
		if ends {
			pattern, chinese = "(.+)"+pattern, "{0}"+chinese
		}
		rows = append(rows, reasonRow{regexp.MustCompile("(?s)^" + pattern + "$"), chinese, len(strings.ReplaceAll(english, "%", "")), ends})
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].known > rows[j].known })
	return rows
}

var (
	programReason = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^([^\s:]+): (.+)$`) })
	reasonPart    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[1-9]|\{[0-9]\}`) })
)

// Reason is why a check decided as it did, in the language. One of which a part is not known, as the words of an own rule, stays English.
func (w Words) Reason(english string) string {
	if w != nil {
		if own, ok := chineseReason(english); ok {
			return own
		}
	}
	return english
}

// chineseReason translates a reason; ok is false where the table lacks a part of it.
func chineseReason(reason string) (words string, ok bool) {
	parts := strings.Split(reason, "; ")
	for i, part := range parts {
		if parts[i], ok = chinesePart(part); !ok {
			return "", false
		}
	}
	return strings.Join(parts, "；"), true
}

func chinesePart(reason string) (words string, ok bool) {
	if m := programReason().FindStringSubmatch(reason); m != nil {
		if words, ok := chinesePart(m[2]); ok {
			return m[1] + "：" + words, true
		}
	}
	return fillFirst(reasonRows(), reason, chinesePart)
}

// Message is what a session says to its user by itself, in the language: its first line, because what follows is for the model or the words of
// others. What the table lacks stays English.
func (w Words) Message(english string) string {
	if w == nil {
		return english
	}
	line, rest, more := strings.Cut(english, "\n")
	if own, ok := chineseMessage(line); ok {
		line = own
	}
	if more {
		line += "\n" + rest
	}
	return line
}

// fillFirst fills the row of a table that fits and has the most words.
func fillFirst(rows []reasonRow, text string, inner func(string) (string, bool)) (words string, ok bool) {
	for _, row := range rows {
		if found := row.fits.FindStringSubmatch(text); found != nil {
			return row.fill(found[1:], inner), true
		}
	}
	return "", false
}

func chineseMessage(message string) (words string, ok bool) {
	if words, ok = fillFirst(messageRows(), message, chineseMessage); ok {
		return words, true
	}
	if words, ok = chineseReason(message); ok {
		return words, true
	}
	part, rest, more := strings.Cut(message, "; ") // what is known of a list
	if !more {
		return "", false
	}
	one, known := chineseMessage(part)
	other, ok := chineseMessage(rest)
	if !known {
		one = part
	}
	if !ok {
		other = rest
	}
	return one + "；" + other, known || ok
}

// Command is what a command prints, in the language, line by line. What the tables lack stays English.
func (w Words) Command(english string) string {
	if w == nil {
		return english
	}
	lines := strings.Split(english, "\n")
	for i, line := range lines {
		words := strings.TrimLeft(line, " ")
		if own, ok := chineseCommand(words); ok {
			lines[i] = line[:len(line)-len(words)] + own
		}
	}
	return strings.Join(lines, "\n")
}

func chineseCommand(line string) (words string, ok bool) {
	if words, ok = fillFirst(commandRows(), line, chineseCommand); ok {
		return words, true
	}
	if words, ok = chineseMessage(line); ok {
		return words, true
	}
	if before, after, more := strings.Cut(line, ": "); more { // what it is about, in the words of others
		if words, ok = chineseCommand(after); ok {
			return before + "：" + words, true
		}
	}
	return "", false
}

// fill puts what was found into the Chinese words. inner translates a part that is a text itself.
func (r *reasonRow) fill(found []string, inner func(string) (string, bool)) string {
	return reasonPart().ReplaceAllStringFunc(r.chinese, func(part string) string {
		n := int(part[1] - '0')
		if !r.ends {
			n--
		}
		if n >= len(found) {
			return ""
		}
		if words, ok := inner(found[n]); ok && part[0] == '{' {
			return words
		}
		return found[n]
	})
}
