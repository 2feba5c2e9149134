package edit

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The kept and added items of a difference are the second sequence, the kept and removed ones the first.
func TestShortestMakesOneSequenceOfTheOther(t *testing.T) {
	items := rapid.SliceOfN(rapid.Uint64Range(0, 3), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		a, b := items.Draw(t, "a"), items.Draw(t, "b")
		var first, second []uint64
		for _, s := range shortestDiff(a, b) {
			if s.A >= 0 && s.B >= 0 && a[s.A] != b[s.B] {
				t.Fatalf("kept %d, which is not the same in both", a[s.A])
			}
			if s.A >= 0 {
				first = append(first, a[s.A])
			}
			if s.B >= 0 {
				second = append(second, b[s.B])
			}
		}
		if !slices.Equal(first, a) || !slices.Equal(second, b) {
			t.Fatalf("%v and %v came out as %v and %v", a, b, first, second)
		}
	})
}

func TestShortestIsShort(t *testing.T) {
	for _, r := range []struct {
		rule string
		a, b []uint64
		want int // steps that keep nothing
	}{
		{"the same", []uint64{1, 2}, []uint64{1, 2}, 0},
		{"one added", []uint64{1, 3}, []uint64{1, 2, 3}, 1},
		{"one removed", []uint64{1, 2, 3}, []uint64{1, 3}, 1},
		{"one replaced", []uint64{1, 2, 3}, []uint64{1, 4, 3}, 2},
		{"nothing before", nil, []uint64{1, 2}, 2},
	} {
		n := 0
		for _, s := range shortestDiff(r.a, r.b) {
			if s.A < 0 || s.B < 0 {
				n++
			}
		}
		if n != r.want {
			t.Errorf("%s: %d changes, want %d", r.rule, n, r.want)
		}
	}
}
