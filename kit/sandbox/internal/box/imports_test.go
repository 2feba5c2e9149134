//go:build linux

package box

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A helper starts before the packages that need unicode are initialised: see init.
func TestImportsLittle(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bytes", "os", "strings", "time", "unicode"} {
		if slices.Contains(strings.Fields(string(out)), name) {
			t.Errorf("imports %s", name)
		}
	}
}
