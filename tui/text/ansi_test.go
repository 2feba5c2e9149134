package text

import "testing"

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
