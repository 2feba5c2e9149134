package shell

import (
	"strings"
	"testing"
)

func TestMalformedNamesAreErrors(t *testing.T) {
	for rule, text := range map[string]string{
		"a group outside of a table": "a\n  b\n",
		"a name outside of a group":  "= t\n  b\n",
		"a name twice":               "= t\na\n  x\nb\n  x\n",
		"a table twice":              "= t\na\n  x\n= t\n",
		"a group of two words":       "= t\na b\n",
	} {
		if err := parseNames(map[string]nameTable{}, text); err == nil || !strings.Contains(err.Error(), ": ") {
			t.Errorf("%s: %v", rule, err)
		}
	}
	all := map[string]nameTable{}
	if err := parseNames(all, "# about\n= t\na\n  x y\n  z\n"); err != nil || all["t"].Group("z") != "a" || all["t"].Has("about") {
		t.Errorf("%v, %v", all, err)
	}
}
