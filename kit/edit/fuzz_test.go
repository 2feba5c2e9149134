package edit

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzApply checks what must hold for any texts: no panic, an end in time, nothing changed outside the reported regions,
// valid text stays valid, and an edit that is made is not made a second time.
func FuzzApply(f *testing.F) {
	f.Add("a\nb\nc\n", "b", "B", false, false)
	f.Add("\ufeffa\r\n  b\r\nc", " b\n", "x\ny", false, false)
	f.Add("func f() {\n\treturn “x”\n}\n", "```go\nfunc f() {\n    return \"x\"\n}\n```", "```go\nfunc f() {\n    return \"y\"\n}\n```", true, false)
	f.Add("a\n\n\nb\n", "  1→a\n  2→\n  3→b", "  1→a\n  2→c\n", false, true)
	f.Add("x\\n\ty\n", "x\\\\n\\n\\ty", "x\n...\ny", true, true)
	f.Add("a b\na b\n", "a b", "c", false, true)
	f.Fuzz(func(t *testing.T, file, old, new string, fresh, all bool) {
		start := time.Now()
		e := []Edit{{Old: old, New: new, All: all}}
		r, err := Apply(file, e, &Options{Fresh: fresh})
		if d := time.Since(start); d > 3*time.Second {
			t.Fatalf("took %v", d)
		}
		if err != nil {
			if r.Text != file {
				t.Fatalf("refused and changed: %q", r.Text)
			}
			return
		}
		if len(r.Changes) == 0 || r.Text == file {
			t.Fatalf("success without a change: %+v", r)
		}
		first, last := r.Changes[0], r.Changes[len(r.Changes)-1]
		if !strings.HasPrefix(r.Text, file[:first.start]) || !strings.HasSuffix(r.Text, file[last.end:]) {
			t.Fatalf("changed outside %v: %q", r.Changes, r.Text)
		}
		if utf8.ValidString(file) && utf8.ValidString(new) && !utf8.ValidString(r.Text) {
			t.Fatalf("no longer UTF-8: %q", r.Text)
		}
		if again, err := Apply(r.Text, e, &Options{Fresh: fresh}); err == nil && again.Text == file && file != r.Text && !all {
			t.Fatalf("the second time undoes the first: %q", again.Text)
		}
	})
}

// FuzzExact checks that a text that is once, in whole lines, is replaced as strings.Replace would.
func FuzzExact(f *testing.F) {
	f.Add("a\nb\nc\n", uint8(1), uint8(1), "x")
	f.Add("one\ntwo\n\nthree", uint8(0), uint8(2), "x\ny")
	f.Fuzz(func(t *testing.T, file string, from, count uint8, by string) {
		if strings.ContainsAny(file+by, "\r\ufeff") || by == "" || isPlaceholder(by) || isBlankLine(by) || !utf8.ValidString(file+by) {
			return
		}
		lines := strings.SplitAfter(file, "\n")
		a := int(from) % len(lines)
		b := min(a+1+int(count)%6, len(lines))
		old := strings.TrimSuffix(strings.Join(lines[a:b], ""), "\n")
		by = strings.TrimSuffix(by, "\n")
		ol, nl := strings.Split(old, "\n"), strings.Split(by, "\n")
		if isBlankLine(ol[0]) || isBlankLine(ol[len(ol)-1]) || isBlankLine(nl[0]) || isBlankLine(nl[len(nl)-1]) || old == by {
			return
		}
		r, err := Apply(file, []Edit{{Old: old, New: by}}, nil)
		if err != nil {
			return
		}
		if want := strings.Replace(file, old, by, 1); r.Text != want {
			t.Fatalf("old %q new %q\ngot  %q\nwant %q (%v)", old, by, r.Text, want, r.Classes)
		}
	})
}
