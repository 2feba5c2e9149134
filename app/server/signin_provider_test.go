package server

import (
	"slices"
	"testing"
)

// TestARoleReachesOnlyItsWorkspaces: who may look at everything and work in one place does not work everywhere.
func TestARoleReachesOnlyItsWorkspaces(t *testing.T) {
	p := signInProvider{
		Issuer:     "https://accounts.example.org",
		Roles:      map[string]Role{"readers": RoleViewer, "makers": roleOperator, "others": roleOperator, "odd": "owner", "nowhere": roleOperator},
		Workspaces: map[string][]string{"makers": {"/a", "/b"}, "others": {"/b", "/c"}, "nowhere": {}},
	}
	for _, c := range []struct {
		groups []any
		role   Role
		dirs   []string
	}{
		{[]any{"readers"}, RoleViewer, nil},
		{[]any{"readers", "makers"}, roleOperator, []string{"/a", "/b"}},
		{[]any{"makers", "readers"}, roleOperator, []string{"/a", "/b"}},
		{[]any{"others", "odd", "makers"}, roleOperator, []string{"/a", "/b", "/c"}},
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
