package dialect

import (
	"regexp"
	"strings"
	"sync"
)

// row is a form in which calls leak.
type row struct {
	// mark is what the text must hold for the row to be tried.
	mark string
	// dialect returns what reads it. It is called only for a text with the mark: the dialect's data are read then.
	dialect func() *Dialect
	// prepare turns the text into what the dialect reads; false when it is nothing of it.
	prepare func(string) (string, bool)
}

// formsToTry returns the forms to try. In a text that a provider gave back as an unreadable call, bare JSON and Python count too.
func formsToTry(failed bool) []row {
	all := []row{
		{mark: "invoke", dialect: claude},
		{mark: "DSML", dialect: dsml},
		{mark: "<|open|>", dialect: kimi3},
		{mark: "<function=", dialect: function},
		{mark: "call:default_api:", dialect: geminiText},
	}
	for _, leak := range [][2]string{
		{"<|tool_call_begin|>", "kimi_k2"}, {"<tool_call>", "hermes"}, {"<arg_key>", "glm45"}, {"<parameter=", "qwen3_coder"},
		{"[TOOL_CALLS]", "mistral_v11"}, {"<minimax:tool_call>", "minimax_m2"}, {"<｜tool▁sep｜>", "deepseek_v31"},
		{"function<｜tool▁sep｜>", "deepseek_v3"}, {"<|tool_call>", "gemma4"}, {"to=functions.", "harmony"},
		{"<toolcall>", "hermes_lenient"}, {"<tool-call>", "hermes_lenient"}, {"<FunctionCall>", "hermes_lenient"}, {"TOOL_CALL", "hermes_lenient"},
		{"```tool_call", "hermes_lenient"}, {"```tool-call", "hermes_lenient"}, {"```toolcall", "hermes_lenient"},
	} {
		all = append(all, row{mark: leak[0], dialect: func() *Dialect { return find(leak[1]) }})
	}
	if failed {
		all = append(all,
			row{dialect: func() *Dialect {
				return &Dialect{Name: "failed", Calls: []Form{{Envelope: true, OnlyKnown: true, AtStart: true}}}
			}},
			row{dialect: func() *Dialect {
				return &Dialect{Name: "failed list", Calls: []Form{{OnlyArray: true, OnlyKnown: true, AtStart: true}}}
			}},
			row{dialect: func() *Dialect {
				return &Dialect{Name: "malformed", Calls: []Form{{Syntax: Python, AtStart: true}}}
			}, prepare: python})
	}
	return all
}

// find returns a dialect of the table; an unknown one reads nothing.
func find(name string) *Dialect {
	d, err := Find(name)
	if err != nil {
		return &Dialect{}
	}
	return d
}

// claude is the text form of Claude at the start of a line, as models leak it.
func claude() *Dialect {
	d := find("claude_invoke")
	own := *d
	own.Calls = nil
	for _, f := range d.Calls {
		f.LineStart, f.Tags.OrJSON = true, false
		own.Calls = append(own.Calls, f)
	}
	return &own
}

// dsml is DeepSeek's markup with either section, or none.
func dsml() *Dialect {
	own := Dialect{Name: "leaked DSML", CallsInThink: true, Think: []Span{{Open: []string{"<think>"}, Close: []string{"</think>"}}}}
	for _, name := range []string{"deepseek_v32", "deepseek_v4"} {
		d := find(name)
		own.Calls = append(own.Calls, d.Calls...)
		own.Drop = append(own.Drop, d.Calls[0].Section.Close...)
	}
	if len(own.Calls) > 0 {
		bare := own.Calls[0]
		bare.Section = Span{}
		own.Calls = append(own.Calls, bare)
	}
	return &own
}

// kimi3 is Kimi K3's markup without its section, and with the words that its hosts run together.
func kimi3() *Dialect {
	d := find("kimi_k3")
	own := *d
	form := d.Calls[0]
	form.Section = Span{}
	form.Open = []string{"<|open|>call", "<|open|> call", "<|open|>toolscall", "<|open|>tools<|sep|><|open|>call", "<|open|>toolsmessage<|sep|><|open|>call"}
	form.Close = append(form.Close, "<|close|>call")
	own.Calls = []Form{form}
	own.Drop = append(append([]string{}, d.Drop...), "<|open|>tools<|sep|>", "<|close|>tools<|sep|>", "<|close|>tools", "<|open|>toolsmessage<|sep|>", "<|close|>toolsmessage<|sep|>")
	return &own
}

// function is what Llama models write on Groq: <function=NAME>{…}</function>, also with = or nothing for the bracket.
func function() *Dialect {
	return &Dialect{Name: "leaked function", Calls: []Form{{Syntax: Named, Open: []string{"<function="},
		Sep: []string{">", "=", ">\n"}, Close: []string{"</function>"}, NeedClose: true, LineStart: true, Loose: false}}}
}

// geminiText is the form in which Gemini writes a call into its text.
func geminiText() *Dialect {
	return &Dialect{Name: "leaked gemini", Calls: []Form{{Syntax: Braces, Open: []string{"call:default_api:"}, Quote: `<|"|>`, OnlyKnown: true, LineStart: true}}}
}

// malformed is what Gemini writes before the code that it could not read.
var malformed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^\s*malformed function call:?\s*`) })

// python takes the Python calls out of Gemini's words: print(default_api.f(x=1)), one or one on each line.
func python(text string) (string, bool) {
	text = strings.TrimSpace(malformed().ReplaceAllString(text, ""))
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "```python"), "```"))
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' })
	var calls []string
	for _, line := range lines {
		call, ok := pythonCall(line)
		if !ok { // a call on several lines, or none
			call, ok = pythonCall(text)
			return "[" + call + "]", ok
		}
		calls = append(calls, call)
	}
	return "[" + strings.Join(calls, ", ") + "]", len(calls) > 0
}

// pythonCall takes print( ) off a call.
func pythonCall(text string) (string, bool) {
	text = strings.TrimSpace(text)
	for strings.HasPrefix(text, "print(") && strings.HasSuffix(text, ")") {
		text = strings.TrimSpace(text[len("print(") : len(text)-1])
	}
	return text, strings.Contains(text, "(") && strings.HasSuffix(text, ")")
}
