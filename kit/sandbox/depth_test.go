package sandbox

import (
	"slices"
	"testing"
)

func TestDepthIsCounted(t *testing.T) {
	for _, row := range []struct {
		rule string
		env  []string
		want int
		next string
	}{
		{"no rein is around it", nil, 0, "REIN_DEPTH=1"},
		{"one", []string{"REIN=1", "REIN_DEPTH=1"}, 1, "REIN_DEPTH=2"},
		{"many", []string{"REIN_DEPTH=7"}, 7, "REIN_DEPTH=8"},
		{"a number that was taken away", []string{"REIN=1"}, 1, "REIN_DEPTH=2"},
		{"no number", []string{"REIN_DEPTH=-5"}, 1, "REIN_DEPTH=2"},
		{"a number beyond all numbers", []string{"REIN_DEPTH=99999999999999999999"}, 1, "REIN_DEPTH=2"},
	} {
		if got := Depth(row.env); got != row.want {
			t.Errorf("%s: %d, want %d", row.rule, got, row.want)
		}
		if env := Env(row.env); !slices.Contains(env, row.next) {
			t.Errorf("%s: a child gets %v", row.rule, env)
		}
	}
}
