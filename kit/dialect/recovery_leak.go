package dialect

import (
	"regexp"
	"strings"
	"sync"
)

// leaked is what a reading of a text found.
type leaked struct {
	calls []RecoveredCall
	show  string
	notes []string

	quoted bool // from what the model has read
}

// bars are the ways in which hosts write the bars of DSML.
var bars = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<(/?)[｜|‖]{1,2}\s*DSML\s*[｜|‖]{1,2}`) })

// leak reads the calls of a text. ok is false when it holds none that may run, or when two readings differ.
func (b *recoveryTools) leak(t RecoveredTurn) (leaked, bool) {
	text := bars().ReplaceAllString(t.Text, "<$1｜DSML｜")
	var best leaked
	found := false
	elements := row{mark: "</", dialect: func() *Dialect { return elementsOf(text, b.tools) }}
	for _, row := range append(formsToTry(t.Failed), elements) {
		if row.mark != "" && !strings.Contains(text, row.mark) {
			continue
		}
		source := text
		if row.prepare != nil {
			var ok bool
			if source, ok = row.prepare(text); !ok {
				continue
			}
		}
		l, ok := b.read(row.dialect(), source)
		switch {
		case !ok:
			if !found {
				best.notes = append(best.notes, l.notes...)
			}
		case found && !same(best.calls, l.calls):
			return leaked{notes: []string{"a call in the text can be read in two ways, so it does not run"}}, false
		case !found:
			best, found = l, true
		}
	}
	for _, c := range best.calls {
		if quotes(t.Seen, c) {
			return leaked{notes: []string{"the call of " + c.Name + " in the text is also in what the model has read, so it counts as a quotation and does not run"}, quoted: true}, false
		}
	}
	return best, found
}

// read reads a text in one dialect and keeps the rules: whole calls at the end of the text, known names, arguments
// that fit.
func (b *recoveryTools) read(d *Dialect, text string) (leaked, bool) {
	var l leaked
	var before, after strings.Builder
	p := New(d, Options{Tools: b.tools})
	events := append(p.Write(text), p.Close()...)
	began, whole := false, true
	for _, e := range events {
		switch e.Kind {
		case Called:
			began = true
			whole = b.add(&l, e.Call) && whole
		case Broken:
			l.notes = append(l.notes, e.Text)
		case Text:
			if began {
				after.WriteString(e.Text)
			} else {
				before.WriteString(e.Text)
			}
		}
	}
	if !whole || len(l.calls) == 0 || strings.TrimSpace(after.String()) != "" || announcesExample(before.String()) {
		return leaked{notes: l.notes}, false
	}
	l.show = shown(before.String())
	return l, true
}

// add takes a call that may run. One that was cut makes the whole reading doubtful; one that is unknown or does not fit is
// reported, and leaves the others alone.
func (b *recoveryTools) add(l *leaked, c Call) bool {
	if c.Unclosed {
		l.notes = append(l.notes, "the call of "+c.Name+" was not closed")
		return false
	}
	name, ok := b.name(c.Name)
	if !ok {
		l.notes = append(l.notes, "no tool "+c.Name)
		return true
	}
	args, err := b.fit(name, c.Args)
	if err != nil {
		l.notes = append(l.notes, "the call of "+name+" does not fit: "+err.Error())
		return true
	}
	l.calls = append(l.calls, RecoveredCall{Name: name, Args: string(args), Runs: true})
	return true
}

// shown returns the text before the calls without the stray word that Claude puts before a leak.
func shown(before string) string {
	before = strings.TrimRight(before, " \t\r\n")
	if before == "count" || before == "court" {
		return ""
	}
	for _, word := range []string{"\ncount", "\ncourt"} {
		before = strings.TrimRight(strings.TrimSuffix(before, word), " \t\r\n")
	}
	return before
}

// announcesExample reports whether the text before a call announces an example.
func announcesExample(before string) bool {
	before = strings.ToLower(strings.TrimSpace(before))
	if !strings.HasSuffix(before, ":") {
		return false
	}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	for _, word := range []string{"example", "form:", "format", "syntax", "like this", "template", "looks like", "would be", "e.g."} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return reports(line)
}

// reports returns true for a line that ends in a colon and describes what something else holds, not what the model will do.
func reports(line string) bool {
	for _, word := range []string{"let me", "let's", "i'll", "i will", "going to", "check", "see "} {
		if strings.Contains(line, word) {
			return false
		}
	}
	for _, verb := range []string{"contains:", "contained:", "contents:", "content:", "says:", "said:", "reads:", "shows:", "printed:", "prints:", "quote:"} {
		if strings.HasSuffix(line, verb) {
			return true
		}
	}
	return false
}

func same(a, b []RecoveredCall) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].Args != b[i].Args {
			return false
		}
	}
	return true
}
