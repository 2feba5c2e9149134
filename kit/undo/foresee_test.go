package undo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestForesee: what Foresee names is what an undo cannot restore afterwards, and nothing else.
func TestForesee(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.MaxFile, o.MaxIgnored = 1000, 10 })
	w.write(map[string]string{
		"a": "small", "d/b": "small", "d/large": strings.Repeat("x", 2000), ".gitignore": "build/\n*.log\n", "build/out": "left out",
		"d/x.log": strings.Repeat("x", 100), "d/y.log": "small",
	})
	other := filepath.Join(filepath.Dir(w.dir), "other")
	must(t, os.WriteFile(other, []byte("outside"), 0o644))
	must(t, w.s.Snapshot(t.Context()))
	w.exactly(func() { w.write(map[string]string{"build/named": "by a file tool"}) }, "build/named")
	grown := filepath.Join(w.dir, "grown") // since the walk
	must(t, os.WriteFile(grown, []byte(strings.Repeat("x", 3000)), 0o644))
	for _, row := range []struct {
		rule            string
		writes, removes []string
		want            []string // path and reason
	}{
		{"a small file", []string{"a", "d/b", "d/y.log"}, nil, nil},
		{"a new file", []string{"new", "d/e/f", filepath.Join(filepath.Dir(w.dir), "new")}, nil, nil},
		{"a large file", []string{"d/large"}, nil, []string{"d/large larger than the limit"}},
		{"a file that has grown", []string{grown}, nil, []string{"grown larger than the limit"}},
		{"an ignored file", nil, []string{"d/x.log"}, []string{"d/x.log left out by an ignore file"}},
		{"in an ignored directory", []string{"build/out"}, nil, []string{"build left out by an ignore file"}},
		{"what a file tool named there", []string{"build/named"}, []string{"build/named"}, nil},
		{"outside", nil, []string{other}, []string{other + " outside of the workspace"}},
		{"a device", []string{"/dev/null"}, nil, nil},
		{"a directory that is written to", []string{"d", "build"}, nil, nil},
		{"a directory that is removed", nil, []string{"d"}, []string{"d/large larger than the limit", "d/x.log left out by an ignore file"}},
		{"the whole workspace", nil, []string{w.dir}, []string{"build left out by an ignore file", "d/large larger than the limit", "d/x.log left out by an ignore file"}},
		{"each once", []string{"d/large", "d/large"}, []string{"d/large"}, []string{"d/large larger than the limit"}},
	} {
		t.Run(row.rule, func(t *testing.T) {
			var got []string
			for _, u := range w.s.Foresee(row.writes, row.removes, 10) {
				got = append(got, u.Path+" "+string(u.Why))
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
	if got := w.s.Foresee(nil, []string{"d"}, 1); len(got) != 1 {
		t.Errorf("%d entries, at most one", len(got))
	}
}
