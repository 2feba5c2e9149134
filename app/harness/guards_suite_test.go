package harness

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/kit/guardtest"
)

// TestEveryGuardOfASessionPassesTheSuite: the guards of the themes pass the suite that strangers run, each alone and all together.
func TestEveryGuardOfASessionPassesTheSuite(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, ".agents/skills/touch/SKILL.md"), "---\ndescription: Makes it.\n---\nMake it.\n")
	h := openFresh(t, Options{Dir: dir, Trust: true, Terms: event.Terms{Mode: "auto"}, MCPConfig: []string{userServer(t)}})
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, hello)})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for i, g := range append(s.moreGuards(), s.guards) {
		names = append(names, fmt.Sprintf("%T", g))
		t.Run(fmt.Sprint(names[i], " ", i), func(t *testing.T) { guardtest.Run(t, func(*testing.T) guard.Guard { return g }) })
	}
	for _, want := range []string{"guard.Func", "*harness.fileKeeper", "extend.SkillGuard", "*harness.ToolServers", "*harness.planMode", "*schedule.Desk", "*inbox.Reviewer", "harness.GuardSet"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s among %v", want, names)
		}
	}
}
