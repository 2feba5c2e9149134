package edit

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	for _, row := range []struct{ rule, base, ours, theirs, want string }{
		{"changes in different places are both kept", "a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n"},
		{"theirs before ours moves ours", "a\nb\nc\nd\n", "a\nb\nc\nD\n", "x\ny\na\nb\nc\nd\n", "x\ny\na\nb\nc\nD\n"},
		{"the same change counts once", "a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n", "a\nB\nc\n"},
		{"ours adds at the end", "a\nb\nc\n", "a\nb\nc\nd\n", "A\nb\nc\n", "A\nb\nc\nd\n"},
		{"the same line is a conflict", "a\nb\nc\n", "a\nB\nc\n", "a\nX\nc\n", ""},
		{"lines that touch are a conflict", "a\nb\nc\n", "a\nB\nc\n", "a\nb\nX\n", ""},
		{"theirs deleted what ours changes", "a\nb\nc\n", "a\nB\nc\n", "a\n", ""},
	} {
		r, conflicts := Merge(row.base, row.ours, row.theirs)
		if row.want == "" {
			if len(conflicts) == 0 {
				t.Errorf("%s: got %q", row.rule, r.Text)
			}
			continue
		}
		if len(conflicts) > 0 || r.Text != row.want {
			t.Errorf("%s: got %q, %v", row.rule, r.Text, conflicts)
		}
	}
}

// TestMergeOfSeparateChanges changes two halves of a text apart, and demands that both changes are in the merge.
func TestMergeOfSeparateChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var head, tail []string
		for range 3 + r.IntN(20) {
			head = append(head, strings.Repeat("h", 1+r.IntN(3)))
			tail = append(tail, strings.Repeat("t", 1+r.IntN(3)))
		}
		change := func(l []string) []string {
			l = append([]string{}, l...)
			for range 1 + r.IntN(3) {
				l[r.IntN(len(l))] = "changed"
			}
			return l
		}
		text := func(a, b []string) string {
			return strings.Join(a, "\n") + "\nfirst\nmiddle\nlast\n" + strings.Join(b, "\n") + "\n"
		}
		newHead, newTail := change(head), change(tail)
		m, conflicts := Merge(text(head, tail), text(newHead, tail), text(head, newTail))
		if want := text(newHead, newTail); len(conflicts) > 0 || m.Text != want {
			t.Fatalf("got %q, %v; want %q", m.Text, conflicts, want)
		}
	}
}
