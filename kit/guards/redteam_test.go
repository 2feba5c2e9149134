package guards

import (
	"strings"
	"testing"

	"rein/guard"
	"rein/kit/places"
	"rein/tool"
)

// TestProtectedFiles is path-13 of docs/maintainers/attacks.md: what later programs run or agents obey is never written without an approval,
// with the tools or with a shell, and never in a mode that only reads. Makefiles, go.mod, conftest.py and the like are
// the project's own code, which runs inside the sandbox: they are not in the table, on purpose.
func TestProtectedFiles(t *testing.T) {
	names := append(places.ProtectedNames(), ".git/hooks/pre-commit", ".vscode/tasks.json", ".husky/pre-push", "AGENTS.md", "CLAUDE.md", ".npmrc", ".github/workflows/ci.yml")
	if len(names) < 80 {
		t.Fatalf("only %d names", len(names))
	}
	paths := Paths{Here: home.Here}
	t.Run("path-13 files that make programs run", func(t *testing.T) {
		for _, name := range names {
			for _, spelled := range []string{name, "sub/dir/" + name, "./x/../" + name, strings.ToUpper(name), strings.ReplaceAll(name, "/", "//./")} {
				for mode, least := range map[guard.Mode]guard.Decision{guard.ReadOnly: guard.Deny, guard.Plan: guard.Deny, guard.Supervised: guard.Ask, guard.Full: guard.Ask} {
					c := call("write_file", tool.Intent{Writes: []string{spelled}})
					c.Mode = mode
					if v := paths.Judge(t.Context(), c); v.Decision < least {
						t.Errorf("write_file %s in %v: %v", spelled, mode, v.Decision)
					}
					c = bash("echo x > '" + spelled + "'")
					c.Mode = mode
					if v := home.Judge(t.Context(), c); v.Decision < least {
						t.Errorf("a shell writes %s in %v: %v", spelled, mode, v.Decision)
					}
				}
			}
		}
	})
}
