package guards

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rein/guard"
)

// TestTheSetHasEveryGuardOfThePackage reads the sources for guards. Whoever writes a new one puts it into the set.
func TestTheSetHasEveryGuardOfThePackage(t *testing.T) {
	more := guard.Func(func(context.Context, guard.Case) guard.Verdict { return guard.Verdict{} })
	var have []string
	for _, g := range New(Options{Rules: &Rules{}, Rate: &Rate{}, More: []guard.Guard{more}}).all.Guards {
		_, name, _ := strings.Cut(fmt.Sprintf("%T", g), ".")
		have = append(have, name)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	judges, found := regexp.MustCompile(`(?m)^func \((?:\w+ )?\*?(\w+)\) Judge\(`), 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range judges.FindAllStringSubmatch(string(text), -1) {
			if strings.HasSuffix(file, "_test.go") || m[1] == "Set" || m[1] == "RuleLimits" { // a sub-agent's and a task's are added by More
				continue
			}
			if found++; !slices.Contains(have, m[1]) {
				t.Errorf("the set has no %s: %v", m[1], have)
			}
		}
	}
	if found < 14 || !slices.Contains(have, "Rules") || !slices.Contains(have, "Func") {
		t.Errorf("guards of the package: %d; the set has %v", found, have)
	}
}
