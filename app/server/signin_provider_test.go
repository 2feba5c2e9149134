package server

import (
	"slices"
	"testing"
)

// TestARoleReachesOnlyItsWorkspaces: who may look at everything and work in one place does not work everywhere.
func TestARoleReachesOnlyItsWorkspaces(t *testing.T) {
	p := signinProvider{
		Issuer:     "https://accounts.example.org",
		Roles:      map[string]Role{"readers": Viewer, "makers": authOperator, "others": authOperator, "odd": "owner", "nowhere": authOperator},
		Workspaces: map[string][]string{"makers": {"/a", "/b"}, "others": {"/b", "/c"}, "nowhere": {}},
	}
	for _, c := range []struct {
		groups []any
		role   Role
		dirs   []string
	}{
		{[]any{"readers"}, Viewer, nil},
		{[]any{"readers", "makers"}, authOperator, []string{"/a", "/b"}},
		{[]any{"makers", "readers"}, authOperator, []string{"/a", "/b"}},
		{[]any{"others", "odd", "makers"}, authOperator, []string{"/a", "/b", "/c"}},
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
