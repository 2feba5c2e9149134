package guard

import (
	"bytes"
	"testing"
)

// FuzzSpelling: both ways to spell arguments give the same bytes, and so approvals the same hashes.
func FuzzSpelling(f *testing.F) {
	for _, seed := range []string{
		`{"path":"a.txt","limit":12}`, `{"b":[1,{"z":null,"a":[]},-0.5e+3],"a":{}}`, ` { "a" : "x\n\"\\" , "A" : true } `,
		`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":"<&>"}`, `{"é":"ü\u2028"}`, `[]`, `"x"`, `01`, `{"a":1}}`, `{"a":1,}`, `[1,]`, `[,1]`, `{"a"1}`,
		`nul`, ``, `{`, "{\"a\":\"\x7f\"}", `"\/\b"`, `{"ab":1,"a":2,"a b":3}`, `1 2`, `-`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		if len(args) > maxCanonical {
			return
		}
		if got, want := Canonical(args), respelled(args); !bytes.Equal(got, want) {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	})
}

func TestSpellingTakesWhatIsUsual(t *testing.T) {
	s := spelling{in: `{"path": "a b.txt", "limit": 12, "deep": [{"z": true, "a": "x\ny"}, null]}`}
	if !s.value() || string(s.out) != `{"deep":[{"a":"x\ny","z":true},null],"limit":12,"path":"a b.txt"}` {
		t.Errorf("got %q", s.out)
	}
}
