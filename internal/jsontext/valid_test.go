package jsontext

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestStrict(t *testing.T) {
	many := func(last string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, `"n%d":0,`, i)
		}
		return "{" + b.String() + last + "}"
	}
	rows := []struct {
		rule, in string
		want     bool
	}{
		{"a surrogate pair", `"\ud83d\ude00"`, true},
		{"half of a surrogate pair", `"\ud83d"`, false},
		{"half of a surrogate pair, then another character", `"\ud83d\u0041"`, false},
		{"the second half alone", `"\ude00"`, false},
		{"bytes that are not UTF-8", "\"a\xff\"", false},
		{"a name twice", `{"a":1,"b":2,"a":3}`, false},
		{"a name twice, once with an escape", `{"a":1,"\u0061":2}`, false},
		{"a name twice in different objects", `[{"a":{"a":1}},{"a":2}]`, true},
		{"a name twice behind an object inside", `{"a":{"b":1},"a":2}`, false},
		{"many names", many(`"n":0`), true},
		{"many names, one twice", many(`"n7":0`), false},
	}
	for _, r := range rows {
		if Strict([]byte(r.in)) != r.want {
			t.Errorf("%s: Strict(%q) is %v", r.rule, r.in, !r.want)
		}
	}
}

// FuzzStrict compares with a library that has the same rules.
func FuzzStrict(f *testing.F) {
	for _, in := range []string{
		`{"a":[1,2.5e-3,true,null,"x\u00e9"]}`, `-0`, `01`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `[`, ``, "\"\xff\"",
		`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":{"a":1},"b":[{"a":2}]}`, `"\x"`, "\"a\nb\"", `"\u12"`,
	} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if got, want := Strict(in), jsontext.Value(in).IsValid(); got != want {
			t.Errorf("Strict(%.100q) is %v, jsontext says %v", in, got, want)
		}
	})
}

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
