package dialect

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// recorded is an answer of a model with its parsed content, as a corpus has it.
type recorded struct {
	ID, Dialect string
	Input       *string
	Chunks      []string
	Tools       []Tool
	Expect      []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	Content   *string
	Scorable  bool
	Disputed  any  `json:"disputed"`
	Error     any  `json:"error"`
	Partial   bool `json:"partial"`
	Arguments bool `json:"arguments_partial"`
	Inline    bool `json:"reasoning_inline"`
	Unknown   any  `json:"unknown_tool"`
	Includes  any  `json:"content_includes"`
	Excludes  any  `json:"content_excludes"`
	Drops     bool `json:"drops_unknown"`
}

// variant is a text and its parsed content.
type variant struct {
	text, content string
	tools         []Tool
	calls         []Call
}

// TestVariantsOfACorpus takes each case of a file of cases (REIN_CASES) that is parsed correctly, changes it in ways that must
// not change its content, and counts how often the answer changes with it. REIN_CASES_SHOW lists these.
func TestVariantsOfACorpus(t *testing.T) {
	path := os.Getenv("REIN_CASES")
	if path == "" {
		return // samples and round trips are the tests; this one measures
	}
	tried, broke := map[string]int{}, map[string]int{}
	for _, c := range readRecorded(t, path) {
		d, err := Find(c.Dialect)
		v, ok := c.variant()
		if err != nil || !ok || v.wrong(d) != "" {
			continue
		}
		for name, change := range changes() {
			for _, changed := range change(d, v) {
				tried[name]++
				if why := changed.wrong(d); why != "" {
					broke[name]++
					if only := os.Getenv("REIN_CASES_SHOW"); only == name || only == c.Dialect {
						t.Logf("%s %s\n%q\n%s", name, c.ID, changed.text, why)
					}
				}
			}
		}
	}
	for name := range changes() {
		t.Logf("%-16s %5d tried, %4d changed the answer", name, tried[name], broke[name])
	}
}

func readRecorded(t *testing.T, path string) []recorded {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []recorded
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<26)
	for s.Scan() {
		var c recorded
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// variant is the case itself, when its answer can be compared whole.
func (c recorded) variant() (variant, bool) {
	v := variant{text: strings.Join(c.Chunks, ""), tools: c.Tools}
	if c.Input != nil {
		v.text = *c.Input
	}
	if c.Content != nil {
		v.content = *c.Content
	}
	for _, e := range c.Expect {
		v.calls = append(v.calls, Call{Name: e.Name, Args: e.Arguments})
	}
	return v, c.Scorable && c.Disputed == nil && c.Error == nil && !c.Partial && !c.Arguments && !c.Inline && c.Includes == nil && c.Excludes == nil && !c.Drops
}

// wrong describes how the answer differs from the variant's content.
func (v variant) wrong(d *Dialect) string {
	a := Parse(d, Options{Tools: v.tools}, v.text)
	if strings.TrimSpace(a.Content) != strings.TrimSpace(v.content) {
		return "content " + a.Content + "\nwant " + v.content
	}
	if len(a.Calls) != len(v.calls) {
		return "another number of calls: " + strings.Join(a.Broken, "; ")
	}
	for i, want := range v.calls {
		if a.Calls[i].Name != want.Name || !sameJSON(a.Calls[i].Args, want.Args) {
			return "call " + a.Calls[i].Name + string(a.Calls[i].Args) + "\nwant " + want.Name + string(want.Args)
		}
	}
	return ""
}

// changes are the ways to change a case without changing its content, except for what is replaced in it.
func changes() map[string]func(*Dialect, variant) []variant {
	all := map[string]func(*Dialect, variant) []variant{
		"tool names": func(d *Dialect, v variant) []variant {
			return v.renamed(d, toolNames(v), []string{"x", "get_data_2", "ns.tool-name", "CamelCase", "mcp__server__do_it", "functional", "name"})
		},
		"argument names": func(d *Dialect, v variant) []variant {
			return v.renamed(d, argumentNames(v), []string{"k", "from_date", "camelCase", "x-y", "arg1"})
		},
		"text before":    textBefore,
		"twice":          twice,
		"blanks around":  blanksAround,
		"thought before": thoughtBefore,
		"never closed":   neverClosed,
		"more tools": func(_ *Dialect, v variant) []variant {
			if len(v.tools) == 0 {
				return nil
			}
			v.tools = append(slices.Clone(v.tools), Tool{Name: "unused_one", Parameters: json.RawMessage(`{"type":"object","properties":{"q":{"type":"integer"}}}`)})
			return []variant{v}
		},
	}
	for name, value := range map[string]string{
		"unicode": "日本語 ☃ é 👩‍💻", "quotes": `say "hi", it's 'so' and \n is no break`, "braces": `{a: [b], "c": (d)}}] end`, "lines": "first\n\n  second\n\tthird\nlast",
		"code": "func f(a []int) { if a[0] < 1 && b > 2 { return `x` } }\n// </div> <b>", "long": strings.Repeat("many words, and \"quotes\" {too} ", 2000) + "end",
		"other marks": "see <tool_response> and [TOOL_CALLS] and <|im_end|> and </invoke> and <|call|> here", "fence": "a\n```go\nx := 1\n```\nb", "number": "12345 of them", "path": `C:\new\table and /tmp/x`,
	} {
		all["value: "+name] = func(d *Dialect, v variant) []variant { return v.revalued(d, value) }
	}
	return all
}

func toolNames(v variant) []string {
	var names []string
	for _, c := range v.calls {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

func argumentNames(v variant) []string {
	var names []string
	for _, c := range v.calls {
		for _, m := range objectMembers(c.Args) {
			if !slices.Contains(names, m.Key) {
				names = append(names, m.Key)
			}
		}
	}
	return names
}

// renamed replaces one word everywhere, in turn by each of the others.
func (v variant) renamed(d *Dialect, words, others []string) []variant {
	var all []variant
	for _, word := range words {
		whole, err := regexp.Compile(`(^|[^\w.-])` + regexp.QuoteMeta(word) + `($|[^\w.-])`)
		if err != nil || len(word) < 4 || d.hasInMarks(word) || strings.Count(v.text, word) != len(whole.FindAllString(v.text, -1)) || strings.Contains(v.content, word) || v.inValue(word) {
			continue
		}
		for _, other := range others {
			if !strings.Contains(v.text, other) && !strings.Contains(toolText(v.tools), `"`+other+`"`) || len(other) == 1 {
				all = append(all, v.replaced(word, other))
			}
		}
	}
	return all
}

// inValue reports whether an argument's value, or a name that needs escaping, holds the word.
func (v variant) inValue(word string) bool {
	for _, c := range v.calls {
		for _, m := range objectMembers(c.Args) {
			if strings.Contains(string(m.Value), word) {
				return true
			}
		}
	}
	return strings.ContainsAny(word, `&"<>`)
}

func toolText(tools []Tool) string {
	raw, _ := json.Marshal(tools)
	return string(raw)
}

// hasInMarks reports whether a word is part of the dialect's own marks.
func (d *Dialect) hasInMarks(word string) bool {
	raw, _ := json.Marshal(d)
	return strings.Contains(string(raw)+" arguments parameters name functions tool_name", word)
}

// replaced replaces a name in the text, the tools and the calls.
func (v variant) replaced(word, other string) variant {
	out := variant{text: strings.ReplaceAll(v.text, word, other), content: v.content}
	name := func(s string) string {
		if s == word {
			return other
		}
		return s
	}
	for _, tool := range v.tools {
		params := strings.ReplaceAll(string(tool.Parameters), `"`+word+`"`, `"`+other+`"`)
		out.tools = append(out.tools, Tool{Name: name(tool.Name), Parameters: json.RawMessage(params)})
	}
	for _, c := range v.calls {
		args := strings.ReplaceAll(string(c.Args), `"`+word+`":`, `"`+other+`":`)
		out.calls = append(out.calls, Call{Name: name(c.Name), Args: json.RawMessage(args)})
	}
	return out
}

// textBefore puts a sentence before a call that is all of the answer.
func textBefore(d *Dialect, v variant) []variant {
	if !v.onlyCalls(d) {
		return nil
	}
	var all []variant
	for _, text := range []string{"Let me check.\n\n", "I'll look at \"a.go\" (line 3): `x`.\n", "Sure! "} {
		w := v
		w.text, w.content = text+v.text, text
		all = append(all, w)
	}
	return all
}

// thoughtBefore puts reasoning before an answer that has none: opened by the model, and opened by the prompt.
func thoughtBefore(d *Dialect, v variant) []variant {
	if len(d.Think) == 0 || d.StartsThinking || d.Frames != nil {
		return nil
	}
	for _, span := range d.Think {
		for _, lit := range append(slices.Clone(span.Open), span.Close...) {
			if strings.Contains(v.text, strings.TrimSpace(lit)) {
				return nil
			}
		}
	}
	for i := range d.Calls {
		if d.Calls[i].AtStart {
			return nil
		}
	}
	open, closer := d.Think[0].Open[0], d.Think[0].Close[0]
	own, prompt := v, v
	own.text = open + "I should {look} at [a], maybe with \"read\".\n" + closer + "\n\n" + v.text
	prompt.text = "I should {look} at [a].\n" + closer + "\n\n" + v.text
	if d.OpensThink || d.isDrop(closer) {
		return []variant{own}
	}
	return []variant{own, prompt}
}

// neverClosed removes the closing mark at the end, where the end of the output may replace it.
func neverClosed(d *Dialect, v variant) []variant {
	if !v.onlyCalls(d) || !v.closed(d) {
		return nil
	}
	for i := range d.Calls {
		f := &d.Calls[i]
		if f.NeedClose {
			return nil
		}
		for _, lit := range append(slices.Clone(f.Section.Close), f.Close...) {
			if text, ok := strings.CutSuffix(strings.TrimSpace(v.text), lit); ok {
				v.text = text
				return []variant{v}
			}
		}
	}
	return nil
}

// twice repeats all calls.
func twice(d *Dialect, v variant) []variant {
	if !v.onlyCalls(d) || !v.closed(d) {
		return nil
	}
	v.text += "\n" + v.text
	v.calls = append(slices.Clone(v.calls), v.calls...)
	return []variant{v}
}

func blanksAround(d *Dialect, v variant) []variant {
	if !v.onlyCalls(d) || !v.closed(d) {
		return nil
	}
	v.text = "\n  " + v.text + "\n\n"
	return []variant{v}
}

// onlyCalls reports whether a text begins with a mark of a call, not a bare bracket, and holds nothing else.
func (v variant) onlyCalls(d *Dialect) bool {
	if len(v.calls) == 0 || strings.TrimSpace(v.content) != "" {
		return false
	}
	for i := range d.Calls {
		for _, lit := range d.Calls[i].openers() {
			if len(lit) > 3 && strings.HasPrefix(v.text, lit) {
				return true
			}
		}
	}
	return false
}

// closed reports whether a text ends with a closing mark.
func (v variant) closed(d *Dialect) bool {
	for i := range d.Calls {
		f := &d.Calls[i]
		for _, lit := range append(slices.Clone(f.Close), f.Section.Close...) {
			if strings.HasSuffix(strings.TrimSpace(v.text), lit) && (len(f.Section.Close) == 0 || slices.Contains(f.Section.Close, lit)) {
				return true
			}
		}
	}
	return false
}

// revalued replaces one string value by another, written as the old one was.
func (v variant) revalued(d *Dialect, value string) []variant {
	var all []variant
	for i, c := range v.calls {
		for _, m := range objectMembers(c.Args) {
			old, isText := plainText(m.Value)
			at := strings.Index(v.text, old)
			if !isText || len(old) < 3 || strings.Count(v.text, old) != 1 || at < 1 || d.hasInMarks(old) || strings.Contains(v.content, old) {
				continue
			}
			written, ok := alike(v.text[:at], v.text[at+len(old):], value)
			if !ok || v.kind(c.Name, m.Key)&^typeString != 0 {
				continue
			}
			w := v
			w.text = v.text[:at] + written + v.text[at+len(old):]
			w.calls = slices.Clone(v.calls)
			w.calls[i].Args = json.RawMessage(strings.Replace(string(c.Args), string(m.Value), string(quoteJSON(value)), 1))
			all = append(all, w)
		}
	}
	return all
}

// kind returns the types that a tool's argument may have.
func (v variant) kind(tool, key string) valueTypes {
	if s := newToolbox(v.tools)[tool]; s != nil && s.Members[key] != nil {
		return s.Members[key].Types
	}
	return 0
}

// alike writes a value in the quotation marks that surround its position.
func alike(before, after, value string) (string, bool) {
	switch {
	case strings.HasSuffix(before, `\"`), strings.HasSuffix(before, `<|"|>`) && strings.Contains(value, `<|"|>`):
		return "", false
	case strings.HasSuffix(before, `<|"|>`), strings.HasSuffix(before, "<escape>"):
		return value, true
	case strings.HasSuffix(before, `"`) && strings.HasPrefix(after, `"`):
		return strings.Trim(string(quoteJSON(value)), `"`), !strings.HasSuffix(value, `"`)
	case strings.HasSuffix(before, `'`) && strings.HasPrefix(after, `'`):
		return strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(value), true
	case strings.HasSuffix(before, ">") || strings.HasSuffix(before, ">\n") || strings.HasSuffix(before, "<|sep|>"):
		return value, !strings.Contains(before[max(0, len(before)-12):], "CDATA")
	}
	return "", false
}
