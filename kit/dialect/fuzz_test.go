package dialect

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

func seeds(f *testing.F) {
	for i, s := range readSamples(f) {
		f.Add(s.Input, indexOf(s.Dialect), uint64(i))
	}
	for i, text := range prose {
		f.Add(text, uint8(i), uint64(i))
	}
}

// FuzzSameHoweverCut reads a text whole and in random pieces: the answers are the same, nothing panics, the output is
// no longer than the input, and each call's arguments are a JSON object.
func FuzzSameHoweverCut(f *testing.F) {
	seeds(f)
	all := All()
	f.Fuzz(func(t *testing.T, text string, which uint8, seed uint64) {
		d := all[int(which)%len(all)]
		o := Options{Tools: offered}
		if seed%3 == 0 {
			o = Options{}
		}
		whole := Parse(d, o, text)
		for _, pieces := range [][]string{pieces(text, 1), randomPieces(text, seed)} {
			if cut := Parse(d, o, pieces...); !sameAnswer(whole, cut) {
				t.Fatalf("%s: %q\nwhole %+v\ncut   %+v", d.Name, text, whole, cut)
			}
		}
		if len(whole.Content)+len(whole.Reasoning) > len(text)+strings.Count(text, "<|") {
			t.Fatalf("%s: the output is longer than the input: %+v of %q", d.Name, whole, text)
		}
		for _, c := range whole.Calls {
			if !json.Valid(c.Args) || c.Args[0] != '{' {
				t.Fatalf("%s: %q gives arguments %s", d.Name, text, c.Args)
			}
		}
	})
}

// indexOf returns the place of a dialect in All.
func indexOf(name string) uint8 {
	for i, d := range All() {
		if d.Name == name {
			return uint8(i)
		}
	}
	return 0
}

func randomPieces(text string, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	var out []string
	for len(text) > 0 {
		n := min(len(text), 1+r.IntN(9))
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

// FuzzNoCallWithoutAnOpener takes the openers out of a text: then it holds no call, and the parser emits all of it.
func FuzzNoCallWithoutAnOpener(f *testing.F) {
	seeds(f)
	all := All()
	f.Fuzz(func(t *testing.T, text string, which uint8, _ uint64) {
		d := all[int(which)%len(all)]
		if d.Frames != nil || d.StartsThinking {
			return
		}
		m := d.marks()
		for again := true; again; {
			again = false
			for _, set := range []*markSet{&m.text, &m.thinking} {
				for _, mark := range set.list {
					if mark.kind != backtick && strings.Contains(text, mark.lit) {
						text, again = strings.ReplaceAll(text, mark.lit, ""), true
					}
				}
			}
		}
		a := Parse(d, Options{Tools: offered}, text)
		if len(a.Calls) > 0 || a.Content != text {
			t.Fatalf("%s: %q gives %+v", d.Name, text, a)
		}
	})
}

// FuzzWrittenCallsAreRead writes a call with a random text in it and reads it back.
func FuzzWrittenCallsAreRead(f *testing.F) {
	for _, s := range readSamples(f) {
		f.Add(s.Input, indexOf(s.Dialect))
	}
	all := All()
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		d := all[int(which)%len(all)]
		if silent[d.Name] {
			return
		}
		text = strings.ToValidUTF8(text, "")
		args := append(append([]byte(`{"command":`), quoteJSON(text)...), '}')
		written := writeCalls(d, []Call{{Name: "run", Args: args}}, offered, 0)
		if strings.Contains(written, "</") && strings.ContainsAny(text, "<[]`") || d.unescaped() && strings.ContainsAny(text, "<]|") || d.NullText && strings.EqualFold(strings.TrimSpace(text), "null") {
			return // a form without escaping cannot say its own marks
		}
		a := Parse(d, Options{Tools: offered}, written)
		if len(a.Calls) != 1 || a.Calls[0].Name != "run" || !sameJSON(a.Calls[0].Args, args) {
			t.Fatalf("%s: %q was written as %q and read as %+v", d.Name, text, written, a)
		}
	})
}

// unescaped reports whether values are written raw.
func (d *Dialect) unescaped() bool {
	for i := range d.Calls {
		if s := d.Calls[i].Syntax; s == Markup || s == Elements || s == Braces {
			return true
		}
	}
	return d.Frames != nil && d.Frames.Body != nil
}

// FuzzLiterals reads Python literals: no panic, and what is read is JSON.
func FuzzLiterals(f *testing.F) {
	for _, s := range []string{"'a'", `"a \"b\""`, "[1, 'x', {'k': None}]", "(1, 2)", "1e5", "-0x1", "'''a'''", `"\u00e9\x41\q"`, "{'a': [True, False]}", "1_000", "['it's']"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v, ok := pyLiteral(text); ok && !json.Valid(v) {
			t.Fatalf("%q gives %s", text, v)
		}
	})
}
