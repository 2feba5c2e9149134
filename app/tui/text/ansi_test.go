package text

import (
	"slices"
	"testing"
)

func TestOutput(t *testing.T) {
	want := []Line{{In(Dim, "10% a")}, nil, {In(Dim, "a "), In(Error, "red"), In(Dim, " <U+202E>b")}}
	got := Output("1%\r10%\ta\r\n\na \x1b[31mred\x1b[0m \u202eb\n\n", Dim)
	if len(got) != len(want) || len(Output("\n", Dim)) > 0 {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("line %d: %+v", i, got[i])
		}
	}
}

func TestFromANSI(t *testing.T) {
	for _, row := range []struct {
		in   string
		want Line
	}{
		{"plain text", Line{In(Plain, "plain text")}},
		{"a \x1b[31mred\x1b[0m b", Line{In(Plain, "a "), In(Error, "red"), In(Plain, " b")}},
		{"\x1b[1;32mok\x1b[22m no", Line{Bold(OK, "ok"), In(OK, " no")}},
		{"\x1b[38;5;200mx\x1b[38;2;1;2;31my", Line{In(Plain, "x"), In(Plain, "y")}},
		{"\x1b]8;;http://x\x1b\\link\x1b]8;;\a \x1b[2Jgone\x1b[", Line{In(Plain, "link gone")}},
		{"\x1b", nil}, {"a\x1bcb", Line{In(Plain, "ab")}},
	} {
		got := FromANSI(row.in)
		if len(got) != len(row.want) {
			t.Errorf("%q: %q", row.in, got)
			continue
		}
		for i := range got {
			if got[i] != row.want[i] {
				t.Errorf("%q: %+v", row.in, got[i])
			}
		}
	}
}
