package dialect

import (
	"strings"
	"testing"
	"time"
)

// benchDialects are one of each syntax.
var benchDialects = []string{"hermes", "qwen3_coder", "glm47", "deepseek_v4", "kimi_k2", "mistral_v11", "gemma4", "pythonic", "minimax_m3", "harmony", "llama3_json"}

func BenchmarkPlainText(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog, and says: \"fine\" (a < b).\nAnother line follows it. ", 1<<14)
	for _, name := range benchDialects {
		b.Run(name, func(b *testing.B) { bench(b, name, text, 1<<12) })
	}
}

func BenchmarkCalls(b *testing.B) {
	content := strings.Repeat("package x\n\n// F does it: a < b && c > d.\nfunc F(s []string) int { return len(s) }\n", 12)
	for _, name := range benchDialects {
		d, err := Find(name)
		if err != nil {
			b.Fatal(err)
		}
		args := append(append([]byte(`{"command":`), quoteJSON(content)...), '}')
		text := strings.Repeat(writeCalls(d, []Call{{Name: "run", Args: args}}, offered, 0)+"\n", 1<<9)
		if d.Frames != nil {
			text = strings.ReplaceAll(text, "\n<|channel|>", "<|start|>assistant<|channel|>")
		}
		b.Run(name, func(b *testing.B) { bench(b, name, text, 1<<12) })
	}
}

// BenchmarkTokens feeds text in pieces as long as a token.
func BenchmarkTokens(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 1<<12)
	bench(b, "hermes", text, 4)
}

func BenchmarkNew(b *testing.B) {
	d, _ := Find("claude_invoke")
	b.ReportAllocs()
	for b.Loop() {
		New(d, Options{Tools: offered}).Close()
	}
}

func bench(b *testing.B, name, text string, piece int) {
	d, err := Find(name)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		p := New(d, Options{Tools: offered})
		for at := 0; at < len(text); at += piece {
			p.Write(text[at:min(at+piece, len(text))])
		}
		p.Close()
	}
}

// hostile are texts that make a careless reader start over and over.
func hostile(d *Dialect) []string {
	var texts []string
	for _, m := range d.marks().text.list {
		texts = append(texts, m.lit, m.lit+"\n", m.lit+"{", m.lit+`{"name":`, m.lit+"[f(a='", m.lit+"x>")
	}
	for _, f := range d.Calls {
		for _, lit := range append(append(append([]string{}, f.Open...), f.Close...), f.Tags.Param) {
			if lit != "" {
				texts = append(texts, lit, lit+"x", lit+" name=\"")
			}
		}
	}
	return append(texts, `{"name":`, "[f(", "[", "{", "`", "```\n", " ", "\n", "<", `"`, `\`, "[{", `{"a":{`)
}

// BenchmarkHostile reads 16 KiB of each hostile text after the first opener of each dialect and reports the slowest.
func BenchmarkHostile(b *testing.B) {
	for b.Loop() {
		var worst time.Duration
		what := ""
		for _, d := range All() {
			first := d.marks().text.list
			for _, unit := range hostile(d) {
				for _, start := range []string{"", first[0].lit} {
					text := start + strings.Repeat(unit, (1<<14)/len(unit))
					began := time.Now()
					Parse(d, Options{Tools: offered}, text)
					if took := time.Since(began); took > worst {
						worst, what = took, d.Name+" "+start+" "+unit
					}
				}
			}
		}
		b.Logf("slowest 16 KiB: %v, %q", worst, what)
	}
}
