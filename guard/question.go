package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"rein/guard/shell"
)

// Request is what a person is shown before they answer: plain lines, all of the call in them, nothing that a terminal
// would obey.
type Request struct {
	Lines []string
	// Always are the rules that a lasting yes would make; none where it is not on offer.
	Always []Rule
}

// DescribeRequest puts the question for a call together. diff is shown for edits, already as lines; it may be empty.
func DescribeRequest(c Case, v Verdict, p Programs, diff []string) Request {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	add("%s%s", Printable(c.Call.Name), depth(c.Depth))
	if c.Intent.Command != "" {
		report := p.Read(c)
		lines = append(lines, marked(c.Intent.Command, report, c)...)
		if c.Intent.Cwd != "" {
			add("  in       %s", Printable(c.Intent.Cwd))
		}
	} else if len(c.Call.Args) > 0 {
		lines = append(lines, argLines(c.Call.Args)...)
	}
	lines = append(lines, diffLines(diff)...)
	lines = append(lines, effectLines(v.Effects)...)
	if v.Reason != "" {
		add("  because  %s", Printable(v.Reason))
	}
	if v.RuleAt != "" {
		add("  rule     %s", Printable(v.RuleAt))
	}
	q := Request{Always: Offer(c, v, p)}
	for _, r := range q.Always {
		add("  always   would allow %s", Printable(r.String()))
	}
	q.Lines = lines
	return q
}

func depth(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (asked by a helper, %d deep)", n)
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
	for _, l := range diff {
		if strings.HasPrefix(l, "+") && gone[bare(l)] {
			return true
		}
	}
	return false
}

// marked shows a command whole, line by line, with the risky parts underlined.
func marked(command string, report *shell.Report, c Case) []string {
	risky := make([]bool, len(command)+1)
	for _, f := range report.Findings {
		if d, _ := decide(f.Class, c.Mode, c.Isolation); d == Allow || f.End > len(command) || f.Start >= f.End {
			continue
		}
		for i := f.Start; i < f.End; i++ {
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

// underlined escapes a line and gives the marks that belong under it.
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

func effectLines(effects []string) []string {
	var out []string
	groups := map[string][]string{}
	var order []string
	for _, e := range effects {
		verb, what, _ := strings.Cut(e, " ")
		if groups[verb] == nil {
			order = append(order, verb)
		}
		groups[verb] = append(groups[verb], Printable(what))
	}
	for _, verb := range order {
		out = append(out, fmt.Sprintf("  %-8s %s", verb, listed(groups[verb])))
	}
	return out
}

const maxListed = 8 // names of one kind of effect; more are counted

func listed(names []string) string {
	if len(names) <= maxListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
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
	case c != ' ' && !unicode.IsPrint(c):
		return fmt.Sprintf("\\u{%x}", c)
	}
	return string(c)
}
