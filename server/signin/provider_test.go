package signin

import (
	"slices"
	"testing"

	"rein/server/auth"
)

// TestARoleReachesOnlyItsWorkspaces: who may look at everything and work in one place does not work everywhere.
func TestARoleReachesOnlyItsWorkspaces(t *testing.T) {
	p := Provider{
		Issuer:     "https://accounts.example.org",
		Roles:      map[string]auth.Role{"readers": auth.Viewer, "makers": auth.Operator, "others": auth.Operator, "odd": "owner", "nowhere": auth.Operator},
		Workspaces: map[string][]string{"makers": {"/a", "/b"}, "others": {"/b", "/c"}, "nowhere": {}},
	}
	for _, c := range []struct {
		groups []any
		role   auth.Role
		dirs   []string
	}{
		{[]any{"readers"}, auth.Viewer, nil},
		{[]any{"readers", "makers"}, auth.Operator, []string{"/a", "/b"}},
		{[]any{"makers", "readers"}, auth.Operator, []string{"/a", "/b"}},
		{[]any{"others", "odd", "makers"}, auth.Operator, []string{"/a", "/b", "/c"}},
		{[]any{"odd"}, "", nil},
		{[]any{"nowhere"}, "", nil},
	} {
		u, err := p.user("17", map[string]any{"groups": c.groups})
		if c.role == "" {
			if err == nil {
				t.Errorf("%v: %+v", c.groups, u)
			}
			continue
		}
		if err != nil || u.Role != c.role || !slices.Equal(u.Workspaces, c.dirs) {
			t.Errorf("%v: %+v, %v", c.groups, u, err)
		}
	}
}
