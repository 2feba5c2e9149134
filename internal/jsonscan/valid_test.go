package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
)

func FuzzValid(f *testing.F) {
	for _, in := range []string{
		`{}`, `[]`, ` { "a" : [ 1 , -0.5e+10, true,false,null,"x\u00e9\n" ] } `, `"a long text, longer than eight bytes, with \" and \\ in it"`,
		`{"a":1,}`, `[1,]`, `[1 2]`, `{"a"}`, `{a:1}`, `{"a":1}}`, `01`, `-`, `1.`, `1e`, `.5`, `+1`, `"\x"`, `"\u12"`, "\"a\nb\"", "\"a longer text with a\tin it\"",
		`"`, ``, ` `, `nul`, `nullx`, `[[[]]]`, `[{}]`, `{"a":{}}`, `[}`, `{]`, "\"\xff\"", "\"\x7f\"", "\x00", "[\x00]", `"a` + "\x00" + `"`, `1 1`,
		strings.Repeat("[", 20) + strings.Repeat("]", 20), strings.Repeat("[", 10001) + strings.Repeat("]", 10001), strings.Repeat("[", 10000) + strings.Repeat("]", 10000),
		strings.Repeat(`{"a":`, 10000) + "{}" + strings.Repeat("}", 10000),
	} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if got, want := Valid(in), json.Valid(in); got != want {
			t.Errorf("Valid(%.100q) = %v, json.Valid says %v", in, got, want)
		}
	})
}

func BenchmarkValid(b *testing.B) {
	in := []byte(`{"path":"a.txt","content":"` + strings.Repeat(`a line of source text, as long as lines are\n`, 9000) + `"}`)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if !Valid(in) {
			b.Fatal("not valid")
		}
	}
}

func BenchmarkValidOfTheStandardLibrary(b *testing.B) {
	in := []byte(`{"path":"a.txt","content":"` + strings.Repeat(`a line of source text, as long as lines are\n`, 9000) + `"}`)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if !json.Valid(in) {
			b.Fatal("not valid")
		}
	}
}
