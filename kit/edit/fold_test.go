package edit

import "testing"

func TestKey(t *testing.T) {
	for _, r := range []struct {
		rule, a, b string
		same       bool
	}{
		{"blanks at the ends and runs of blanks do not count", "\tx  = 1 ", "x = 1", true},
		{"a blank between words counts", "ab", "a b", false},
		{"typographic quotes are plain ones", "say “x”", `say "x"`, true},
		{"composed accents", "e\u0301", "é", true},
		{"zero width characters do not count", "a\u200bb", "ab", true},
		{"letter case counts", "a", "A", false},
		{"digits count", "x1", "x2", false},
	} {
		if got := foldKey(r.a) == foldKey(r.b); got != r.same {
			t.Errorf("%s: %q and %q", r.rule, r.a, r.b)
		}
		if got := foldHash(r.a) == foldHash(r.b); got != r.same {
			t.Errorf("%s: hashes of %q and %q", r.rule, r.a, r.b)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, r := range []struct {
		model, file string
		want        lineDamage
	}{
		{"x", "x", 0}, {"x ", "x", damageTrailing}, {" x", "x", damageIndentation}, {"a  b", "a b", damageInterior}, {"“x”", `"x"`, damageTypography},
		{"\t“a  b” ", `"a b"`, damageIndentation | damageTypography | damageInterior | damageTrailing},
	} {
		if got := compareLines(r.model, r.file); got != r.want {
			t.Errorf("Compare(%q, %q) = %v, want %v", r.model, r.file, got.Names(), r.want.Names())
		}
	}
}
