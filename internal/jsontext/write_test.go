package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
)

func FuzzString(f *testing.F) {
	f.Add("a\"b\\c\n\t\r\x00\x1f é 😀 \xff \u2028")
	f.Fuzz(func(t *testing.T, in string) {
		var back string
		b := AppendString([]byte("x"), in)
		if err := json.Unmarshal(b[1:], &back); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if want := strings.ToValidUTF8(in, ""); strings.ReplaceAll(back, "\uFFFD", "") != strings.ReplaceAll(want, "\uFFFD", "") {
			t.Fatalf("%q became %q", in, back)
		}
	})
}

func TestFields(t *testing.T) {
	out := AppendField(AppendField([]byte("{"), "a", "1"), "b", "2")
	out = append(AppendKey(out, "c"), '[')
	out = append(AppendComma(append(AppendComma(out), '1')), '2', ']', '}')
	if string(out) != `{"a":"1","b":"2","c":[1,2]}` {
		t.Error(string(out))
	}
}
