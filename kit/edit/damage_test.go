package edit

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// trial is one made case: what the file is, what a model sends, and what must come out. An empty want means that nothing may.
type trial struct {
	rule            string
	file, old, new_ string
	want            string
}

// region is an undamaged edit: the lines of a file, which of them are replaced, and by what.
type region struct {
	lines    []string
	from, to int
	by       []string
}

func (g region) old() []string { return g.lines[g.from:g.to] }
func (g region) with(by []string) string {
	out := append(append(append([]string{}, g.lines[:g.from]...), by...), g.lines[g.to:]...)
	return strings.Join(out, "\n") + "\n"
}
func (g region) trial() trial {
	return trial{file: strings.Join(g.lines, "\n") + "\n", old: strings.Join(g.old(), "\n"), new_: strings.Join(g.by, "\n"), want: g.with(g.by)}
}

// pick chooses a place of a file and a change of it. The place is unique under the loosest key.
func pick(r *rand.Rand, text string) (region, bool) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 8 {
		return region{}, false
	}
	for range 30 {
		n := 1 + r.IntN(12)
		from := r.IntN(len(lines))
		to := min(from+n, len(lines))
		g := region{lines: lines, from: from, to: to}
		if isBlankLine(lines[from]) || isBlankLine(lines[to-1]) || !strings.ContainsFunc(lines[from], isWord) || !strings.ContainsFunc(lines[to-1], isWord) {
			continue
		}
		d := parse(text, farFuture())
		if len(d.candidates(g.old(), nil)) != 1 || len(d.hits(strings.Join(g.old(), "\n"), 2)) != 1 {
			continue
		}
		g.by = rewrite(r, g.old())
		if strings.Join(g.by, "\n") != strings.Join(g.old(), "\n") && len(g.by) > 0 {
			return g, true
		}
	}
	return region{}, false
}

// rewrite makes one or two changes as a programmer would.
func rewrite(r *rand.Rand, old []string) []string {
	out := append([]string{}, old...)
	for range 1 + r.IntN(2) {
		i := r.IntN(len(out))
		if isBlankLine(out[i]) {
			i = 0
		}
		switch in := indentOf(out[i]); r.IntN(5) {
		case 0:
			out = append(out[:i:i], append([]string{in + "note this, it is new"}, out[i:]...)...)
		case 1:
			out = append(out[:i:i], append([]string{in + "first of two new lines {", in + strings.Repeat(" ", 0) + "second of them }"}, out[i:]...)...)
		case 2:
			if len(out) > 1 && !isBlankLine(out[i]) {
				out = append(out[:i:i], out[i+1:]...)
			}
		default:
			if at := wordEnd(out[i]); at > 0 {
				out[i] = out[i][:at] + "Changed" + out[i][at:]
			}
		}
	}
	return out
}

// wordEnd is where the first word of a line ends, zero if there is none.
func wordEnd(l string) int {
	in := false
	for i, c := range l {
		if isWord(c) && c < 0x80 {
			in = true
		} else if in {
			return i
		}
	}
	if in {
		return len(l)
	}
	return 0
}

// layers are the kinds of harm in the order in which they come about, from the file outwards.
var layers = []string{"none", "bom", "ends", "final", "blank", "indent", "inside", "typo", "elide", "trailing", "ended", "mark", "fence", "escape", "modelends"}

// harm damages a case as a model or a file system does. It returns false if it does not apply.
type harm struct {
	name string
	kind string // harms of one kind are not combined
	f    func(*rand.Rand, *trial) bool
}

func mapLines(s string, f func(string) string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = f(lines[i])
	}
	return strings.Join(lines, "\n")
}

// both applies f to old and new; it reports whether old changed.
func both(t *trial, f func(string) string) bool {
	was := t.old
	t.old, t.new_ = f(t.old), f(t.new_)
	return t.old != was
}

func oldOnly(t *trial, f func(string) string) bool {
	was := t.old
	t.old = f(t.old)
	return t.old != was
}

func inFile(t *trial, f func(string) string) bool {
	was := t.file
	t.file, t.want = f(t.file), f(t.want)
	return t.file != was
}

func leastIndent(s string) string {
	least, some := "", false
	for l := range strings.SplitSeq(s, "\n") {
		if in := indentOf(l); !isBlankLine(l) && (!some || len(in) < len(least)) {
			least, some = in, true
		}
	}
	return least
}

func cutIndent(by string) func(string) string {
	return func(s string) string {
		return mapLines(s, func(l string) string { return strings.TrimPrefix(l, by) })
	}
}

func reunit(from, to string) func(string) string {
	return func(s string) string {
		return mapLines(s, func(l string) string {
			n, rest := 0, l
			for strings.HasPrefix(rest, from) {
				n, rest = n+1, rest[len(from):]
			}
			return strings.Repeat(to, n) + rest
		})
	}
}

func numbered(start int, form string) func(string) string {
	return func(s string) string {
		n := start
		return mapLines(s, func(l string) string {
			n++
			return fmt.Sprintf(form, n-1) + l
		})
	}
}

func lineOf(t *trial) int {
	i := strings.Index(t.file, t.old)
	return strings.Count(t.file[:max(i, 0)], "\n") + 1
}

func curly(s string) string {
	open := true
	return strings.Map(func(c rune) rune {
		switch c {
		case '"':
			open = !open
			if open {
				return '”'
			}
			return '“'
		case '\'':
			return '’'
		}
		return c
	}, s)
}

func asJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSuffix(strings.TrimSpace(b.String())[1:], `"`)
}

// fileLine applies f to a few whole lines of the file, the same ones in what must come out.
func scatter(r *rand.Rand, t *trial, f func(string) string) bool {
	seed := r.Uint64()
	return inFile(t, func(s string) string {
		return mapLines(s, func(l string) string {
			if !isBlankLine(l) && (foldHash(l)^seed)%2 == 0 {
				return f(l)
			}
			return l
		})
	})
}

var harms = []harm{
	{"none", "none", func(r *rand.Rand, t *trial) bool { return true }},
	{"crlf file", "ends", func(r *rand.Rand, t *trial) bool {
		return inFile(t, func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") })
	}},
	{"crlf model", "modelends", func(r *rand.Rand, t *trial) bool {
		return both(t, func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") })
	}},
	{"cr file", "ends", func(r *rand.Rand, t *trial) bool {
		return inFile(t, func(s string) string { return strings.ReplaceAll(s, "\n", "\r") })
	}},
	{"bom", "bom", func(r *rand.Rand, t *trial) bool { return inFile(t, func(s string) string { return bom + s }) }},
	{"no final newline", "final", func(r *rand.Rand, t *trial) bool {
		return inFile(t, func(s string) string { return strings.TrimSuffix(s, "\n") })
	}},
	{"ended", "ended", func(r *rand.Rand, t *trial) bool { return both(t, func(s string) string { return s + "\n" }) }},
	{"blanks at ends in file", "trailing", func(r *rand.Rand, t *trial) bool {
		was, want := t.file, t.want
		return scatter(r, t, func(l string) string {
			if !strings.Contains(was, "\n"+l+"\n") || !strings.Contains(want, "\n"+l+"\n") {
				return l
			}
			return l + "  "
		})
	}},
	{"blanks at ends in old", "trailing", func(r *rand.Rand, t *trial) bool {
		return oldOnly(t, func(s string) string { return mapLines(s, func(l string) string { return l + " \t"[:r.IntN(3)] }) })
	}},
	{"blanks at ends in both", "trailing", func(r *rand.Rand, t *trial) bool {
		return both(t, func(s string) string { return mapLines(s, func(l string) string { return l + " " }) })
	}},
	{"dedent both", "indent", func(r *rand.Rand, t *trial) bool {
		by := leastIndent(t.old)
		if strings.HasPrefix(leastIndent(t.new_), by) {
			return both(t, cutIndent(by))
		}
		return false
	}},
	{"dedent old", "indent", func(r *rand.Rand, t *trial) bool { return oldOnly(t, cutIndent(leastIndent(t.old))) }},
	{"first line dedent old", "indent", func(r *rand.Rand, t *trial) bool {
		return oldOnly(t, func(s string) string { return strings.TrimLeft(s, " \t") })
	}},
	{"first line dedent both", "indent", func(r *rand.Rand, t *trial) bool {
		return both(t, func(s string) string { return strings.TrimLeft(s, " \t") })
	}},
	{"deeper", "indent", func(r *rand.Rand, t *trial) bool {
		in := []string{"\t", "  ", "    "}[r.IntN(3)]
		return both(t, func(s string) string {
			return mapLines(s, func(l string) string {
				if l == "" {
					return l
				}
				return in + l
			})
		})
	}},
	{"tabs to 4", "indent", func(r *rand.Rand, t *trial) bool { return both(t, reunit("\t", "    ")) }},
	{"tabs to 2", "indent", func(r *rand.Rand, t *trial) bool { return both(t, reunit("\t", "  ")) }},
	{"tabs to 4 old", "indent", func(r *rand.Rand, t *trial) bool { return oldOnly(t, reunit("\t", "    ")) }},
	{"4 to tabs", "indent", func(r *rand.Rand, t *trial) bool { return both(t, reunit("    ", "\t")) }},
	{"4 to tabs old", "indent", func(r *rand.Rand, t *trial) bool { return oldOnly(t, reunit("    ", "\t")) }},
	{"4 to 2", "indent", func(r *rand.Rand, t *trial) bool { return both(t, reunit("    ", "  ")) }},
	{"4 to 8", "indent", func(r *rand.Rand, t *trial) bool { return both(t, reunit("    ", "        ")) }},
	{"2 to 4", "indent", func(r *rand.Rand, t *trial) bool {
		return !strings.Contains(t.file, "\t") && both(t, reunit("  ", "    "))
	}},
	{"flat old", "indent", func(r *rand.Rand, t *trial) bool {
		return oldOnly(t, func(s string) string { return mapLines(s, strings.TrimSpace) })
	}},
	{"blank lines dropped", "blank", func(r *rand.Rand, t *trial) bool {
		return both(t, func(s string) string {
			for strings.Contains(s, "\n\n") {
				s = strings.ReplaceAll(s, "\n\n", "\n")
			}
			return s
		})
	}},
	{"blank lines around old", "blank", func(r *rand.Rand, t *trial) bool {
		t.old = strings.Repeat("\n", r.IntN(3)) + t.old + strings.Repeat("\n", 1+r.IntN(3))
		return true
	}},
	{"blank line added both", "blank", func(r *rand.Rand, t *trial) bool {
		i := strings.Index(t.old, "\n")
		j := strings.Index(t.new_, "\n")
		if i < 0 || j < 0 || t.old[:i] != t.new_[:j] {
			return false
		}
		t.old, t.new_ = t.old[:i]+"\n"+t.old[i:], t.new_[:j]+"\n"+t.new_[j:]
		return true
	}},
	{"curly model", "typo", func(r *rand.Rand, t *trial) bool { return both(t, curly) }},
	{"curly file", "typo", func(r *rand.Rand, t *trial) bool {
		return !strings.ContainsAny(t.new_, `"'`) || strings.Contains(t.want, t.new_) && inFile(t, func(s string) string {
			return strings.NewReplacer("'", "’").Replace(s)
		})
	}},
	{"dash model", "typo", func(r *rand.Rand, t *trial) bool {
		return both(t, func(s string) string { return strings.ReplaceAll(s, " - ", " – ") })
	}},
	{"nbsp model", "typo", func(r *rand.Rand, t *trial) bool {
		return both(t, func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") })
	}},
	{"nfd", "typo", func(r *rand.Rand, t *trial) bool {
		return both(t, norm.NFD.String)
	}},
	{"blanks inside collapsed", "inside", func(r *rand.Rand, t *trial) bool {
		return both(t, func(s string) string {
			return mapLines(s, func(l string) string { in := indentOf(l); return in + strings.Join(strings.Fields(l), " ") })
		})
	}},
	{"json both", "escape", func(r *rand.Rand, t *trial) bool { return strings.Contains(t.old, "\n") && both(t, asJSON) }},
	{"json old", "escape", func(r *rand.Rand, t *trial) bool {
		return strings.Contains(t.old, "\n") && strings.Contains(t.new_, "\n") && oldOnly(t, asJSON)
	}},
	{"quotes both", "escape", func(r *rand.Rand, t *trial) bool {
		return both(t, func(s string) string { return strings.ReplaceAll(s, `"`, `\"`) })
	}},
	{"html both", "escape", func(r *rand.Rand, t *trial) bool {
		return both(t, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace)
	}},
	{"unicode both", "escape", func(r *rand.Rand, t *trial) bool {
		return both(t, strings.NewReplacer("&", `\u0026`, "<", `\u003c`, ">", `\u003e`).Replace)
	}},
	{"backslashes both", "escape", func(r *rand.Rand, t *trial) bool {
		return both(t, func(s string) string { return strings.ReplaceAll(s, `\`, `\\`) })
	}},
	{"numbers both", "mark", func(r *rand.Rand, t *trial) bool {
		form := []string{"%6d\t", "%5d→", "%d|", "%4d | ", "%d: ", "L%d: ", "[%d] "[:0] + "%d:"}[r.IntN(7)]
		return both(t, numbered(lineOf(t), form))
	}},
	{"numbers old", "mark", func(r *rand.Rand, t *trial) bool {
		form := []string{"%6d\t", "%5d→", "%d|", "%4d | ", "%d: "}[r.IntN(5)]
		return oldOnly(t, numbered(lineOf(t), form))
	}},
	{"fence both", "fence", func(r *rand.Rand, t *trial) bool {
		return both(t, func(s string) string { return "```go\n" + s + "\n```" })
	}},
	{"fence old", "fence", func(r *rand.Rand, t *trial) bool {
		return oldOnly(t, func(s string) string { return "```\n" + s + "\n```\n" })
	}},
	{"diff marks", "mark", func(r *rand.Rand, t *trial) bool {
		t.new_ = mapLines(t.new_, func(l string) string {
			if strings.Contains("\n"+t.old+"\n", "\n"+l+"\n") {
				return " " + l
			}
			return "+" + l
		})
		t.old = mapLines(t.old, func(l string) string { return " " + l })
		return strings.Contains(t.new_, "+")
	}},
	{"elided both", "elide", func(r *rand.Rand, t *trial) bool { return elide(r, t, true) }},
	{"zero width", "typo", func(r *rand.Rand, t *trial) bool {
		return oldOnly(t, func(s string) string { return strings.Replace(s, " ", " \u200b", 1) })
	}},
}

// elide leaves lines out that old and new have in common.
func elide(r *rand.Rand, t *trial, _ bool) bool {
	o, n := strings.Split(t.old, "\n"), strings.Split(t.new_, "\n")
	head := 0
	for head < len(o) && head < len(n) && o[head] == n[head] {
		head++
	}
	if head < 4 || len(o)-head < 2 {
		return false
	}
	from, to := 2, head-1
	mark := indentOf(o[from]) + []string{"...", "// ...", "# ... existing code ...", "// ... (unchanged) ..."}[r.IntN(4)]
	left := func(l []string) string {
		return strings.Join(append(append(append([]string{}, l[:from]...), mark), l[to:]...), "\n")
	}
	t.old, t.new_ = left(o), left(n)
	return true
}
