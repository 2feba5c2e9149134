package undo

import "testing"

// TestBackAndEffects: a copy of the workspace can be made as it was before a call, and be given what a call did.
func TestBackAndEffects(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"a": "one", "gone": "there"})
	w.call(func() { w.sh("printf two > a; printf new > new; ln -s a link") })
	w.call(func() { w.sh("printf three > a; rm gone; mkdir dir") })
	read := func(v Version) string {
		switch {
		case !v.Exists:
			return "-"
		case v.Target != "":
			return "->" + v.Target
		case v.Mode.IsDir():
			return "/"
		}
		data, err := v.Data()
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	then := func(first string) map[string]string {
		got := map[string]string{}
		found, err := Back(t.Context(), w.s, func(c Call) bool { return c.ID == first }, func(v Version) error { got[v.Path] = read(v); return nil })
		if err != nil || found != (first != "c3") {
			t.Fatalf("%s: found %v, %v", first, found, err)
		}
		return got
	}
	for first, want := range map[string]map[string]string{"c1": {"a": "one", "new": "-", "link": "-", "gone": "there", "dir": "-"}, "c2": {"a": "two", "gone": "there", "dir": "-"}, "c3": {}} {
		got := then(first)
		for path, text := range want {
			if got[path] != text {
				t.Errorf("before %s %s was %q, got %q", first, path, text, got[path])
			}
		}
		if len(got) != len(want) {
			t.Errorf("before %s: got %v", first, got)
		}
	}
	did := map[string]string{}
	if err := Effects(t.Context(), w.s, "c2", func(v Version) error { did[v.Path] = read(v); return nil }); err != nil {
		t.Fatal(err)
	}
	if did["a"] != "three" || did["gone"] != "-" || did["dir"] != "/" || len(did) != 3 {
		t.Errorf("got %v", did)
	}
	did = map[string]string{}
	must(t, Effects(t.Context(), w.s, "c1", func(v Version) error { did[v.Path] = read(v); return nil }))
	if did["link"] != "->a" {
		t.Errorf("got %v", did)
	}
}
