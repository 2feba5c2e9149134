package plaintext

import "testing"

func TestCount(t *testing.T) {
	for _, row := range []struct {
		n    int
		noun string
		want string
	}{
		{0, "line", "0 lines"},
		{1, "line", "1 line"},
		{2, "entry", "2 entries"},
		{1, "entry", "1 entry"},
	} {
		if got := Counted(row.n, row.noun); got != row.want {
			t.Errorf("Count(%d, %q) = %q, want %q", row.n, row.noun, got, row.want)
		}
	}
}

func TestFirst(t *testing.T) {
	if got := FirstOf([]string{"a", "b", "c"}, 2); got != "a, b, …" {
		t.Errorf("got %q", got)
	}
	if got := FirstOf([]string{"a"}, 2); got != "a" {
		t.Errorf("got %q", got)
	}
}
