package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"rein/tool"
)

// Lines renders the request as plain lines: all of the call, what it would do, and why it needs an approval. A terminal
// finds no control characters in them.
func (r Request) Lines() []string { return r.LinesIn(fmt.Sprintf) }

// LinesIn are the Lines in the language of say, which takes the English words and what belongs into them. What is not the program's own
// stays: the call, and what has the form of a line of the program in it.
func (r Request) LinesIn(say func(english string, args ...any) string) []string {
	lines := []string{Printable(r.Tool)}
	add := func(english string, args ...any) { lines = append(lines, say(english, args...)) }
	if r.Depth > 0 {
		lines[0] += say(" (of a sub-agent at depth %d)", r.Depth)
	}
	if r.Questions != nil {
		return append(lines, questionLines(r.Questions, say)...)
	}
	if r.Command != "" {
		lines = append(lines, marked(r.Command, r.Marks)...)
		if r.Cwd != "" {
			add("  in       %s", Printable(r.Cwd))
		}
	} else if len(r.Args) > 0 {
		lines = append(lines, argLines(r.Args)...)
	}
	lines = append(lines, diffLines(r.Diff)...)
	lines = append(lines, effectLines(r, say)...)
	if r.Reason != "" {
		add("  because  %s", Printable(r.Reason))
	}
	if r.RuleAt != "" {
		add("  rule     %s", Printable(r.RuleAt))
	}
	for _, o := range r.Origins {
		add("  from     %s", Printable(o.String()))
	}
	for _, rule := range r.Always {
		add("  always   would allow %s", Printable(rule))
	}
	return lines
}

// argLines shows arguments exactly, each of an object on a line of its own.
func argLines(args json.RawMessage) []string {
	d := json.NewDecoder(bytes.NewReader(args))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return rawLines(args)
	}
	var out []string
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		name, isName := key.(string)
		if err != nil || !isName {
			return rawLines(args)
		}
		out = append(out, argument(name, value)...)
	}
	if _, err := d.Token(); err != nil || d.More() {
		return rawLines(args)
	}
	return out
}

// argument shows one argument: as JSON, or, where it is a text of several lines, line by line behind a bar.
func argument(name string, value json.RawMessage) []string {
	var text string
	if json.Unmarshal(value, &text) != nil || !strings.Contains(text, "\n") {
		return []string{fmt.Sprintf("  %-8s %s", Printable(name), Printable(string(value)))}
	}
	out := []string{"  " + Printable(name)}
	whole := strings.TrimSuffix(text, "\n")
	for l := range strings.SplitSeq(whole, "\n") {
		out = append(out, "    | "+Printable(l))
	}
	if whole == text {
		out = append(out, "    (without a line break at its end)")
	}
	return out
}

func rawLines(args json.RawMessage) []string {
	var out []string
	for l := range strings.SplitSeq(string(args), "\n") {
		out = append(out, "  "+Printable(l))
	}
	return out
}

// diffLines shows a diff. Its tabs are shown as blanks, unless it is blanks that it changes.
func diffLines(diff []string) []string {
	plain := strings.NewReplacer("\t", "    ")
	if changesBlanks(diff) {
		plain = strings.NewReplacer()
	}
	var out []string
	for _, l := range diff {
		out = append(out, "  "+Printable(plain.Replace(l)))
	}
	return out
}

// changesBlanks reports whether a line that goes and one that comes differ in their blanks alone.
func changesBlanks(diff []string) bool {
	gone := map[string]bool{}
	bare := func(l string) string { return strings.Join(strings.Fields(l[1:]), "") }
	for _, l := range diff {
		if strings.HasPrefix(l, "-") {
			gone[bare(l)] = true
		}
	}
	return slices.ContainsFunc(diff, func(l string) bool { return strings.HasPrefix(l, "+") && gone[bare(l)] })
}

// marked shows a command whole, line by line, with the parts that need the approval underlined.
func marked(command string, marks []Span) []string {
	risky := make([]bool, len(command)+1)
	for _, m := range marks {
		for i := m.Start; i < m.End; i++ {
			risky[i] = true
		}
	}
	var out []string
	offset := 0
	lines := strings.Split(command, "\n")
	for _, line := range lines {
		shown, under := underlined(line, risky[offset:])
		out = append(out, "  "+shown)
		if under != "" && len(lines) > 1 || strings.Contains(strings.TrimSpace(under), " ") || strings.HasPrefix(under, " ") {
			out = append(out, "  "+under)
		}
		offset += len(line) + 1
	}
	return out
}

// underlined escapes a line and returns the marks that belong under it.
func underlined(line string, risky []bool) (shown, under string) {
	var b, u strings.Builder
	for i, c := range line {
		s := printableRune(c)
		if c == unicode.ReplacementChar {
			s = fmt.Sprintf("\\x%02x", line[i])
		}
		b.WriteString(s)
		mark := " "
		if i < len(risky) && risky[i] {
			mark = "^"
		}
		u.WriteString(strings.Repeat(mark, len([]rune(s))))
	}
	return b.String(), strings.TrimRight(u.String(), " ")
}

// effectLines shows the effects, those with the same verb in one line. Hosts are shown as the addresses that are known.
func effectLines(r Request, say func(string, ...any) string) []string {
	groups := map[string][]string{}
	var order []string
	put := func(verb, what string) {
		if groups[verb] == nil {
			order = append(order, verb)
		}
		groups[verb] = append(groups[verb], Printable(what))
	}
	var changes []string // what is different in the definition of a tool: all of it, in its order
	for _, e := range r.Effects {
		verb, what, _ := strings.Cut(e, " ")
		if verb == "-" || verb == "+" {
			changes = append(changes, "  "+Printable(e))
			continue
		}
		if verb != "contacts" || len(r.Contacts) == 0 {
			put(verb, what)
		}
	}
	for _, c := range r.Contacts {
		put("contacts", c.String())
	}
	out := changes
	for _, verb := range order {
		out = append(out, say(strings.ReplaceAll(fmt.Sprintf("  %-8s ", verb), "%", "%%")+"%s", listed(groups[verb], say)))
	}
	return out
}

const maxListed = 8 // names of one kind of effect; further ones are only counted

func listed(names []string, say func(string, ...any) string) string {
	if len(names) <= maxListed {
		return strings.Join(names, ", ")
	}
	return say("%s and %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
}

// Printable spells text so that a terminal shows every character of it and obeys none: control characters, characters
// that turn the direction of the text, and invisible ones are escaped.
func Printable(s string) string {
	var b strings.Builder
	for i, c := range s {
		if c == unicode.ReplacementChar {
			fmt.Fprintf(&b, "\\x%02x", s[i])
			continue
		}
		b.WriteString(printableRune(c))
	}
	return b.String()
}

// blank are letters and signs that a screen shows as nothing or as a space.
const blank = "\u2800\u3164\u115f\u1160\uffa0\u17b4\u17b5\u034f"

func printableRune(c rune) string {
	switch {
	case c == '\t':
		return `\t`
	case c == '\n':
		return `\n`
	case c == '\r':
		return `\r`
	case c == 0x1b:
		return `\e`
	case c < ' ' || c == 0x7f:
		return fmt.Sprintf("\\x%02x", c)
	case c != ' ' && !unicode.IsPrint(c), unicode.In(c, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point), strings.ContainsRune(blank, c):
		return fmt.Sprintf("\\u{%x}", c)
	}
	return string(c)
}

// QuestionLines renders questions as plain lines, with the number of each choice. A terminal finds no control characters in
// them.
func QuestionLines(q *tool.Questions) []string { return questionLines(q, fmt.Sprintf) }

func questionLines(q *tool.Questions, say func(string, ...any) string) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if q.From != "" {
		add("  %s", say("%s asks", Printable(q.From)))
	}
	for i, one := range q.List {
		text := one.Asks()
		if len(q.List) > 1 {
			text = fmt.Sprintf("%d. %s", i+1, text)
		}
		for line := range strings.SplitSeq(text, "\n") {
			add("  %s", Printable(line))
		}
		for n, c := range one.Choices {
			text := strings.TrimSuffix(c.Label+": "+c.Description, ": ")
			mark := fmt.Sprintf("[%d]", n+1)
			for line := range strings.SplitSeq(text, "\n") {
				add("     %s %s", mark, Printable(line))
				mark = strings.Repeat(" ", len(mark))
			}
		}
	}
	if q.Wait > 0 {
		then := "without an answer within %d s the call fails"
		if q.First {
			then = "without an answer within %d s the first choice counts"
		}
		add("  %s", say(then, q.Wait))
	}
	return lines
}
