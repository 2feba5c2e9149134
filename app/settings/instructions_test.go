package settings

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTrustedFoldersAreTheUsers(t *testing.T) {
	s := Settings{TrustedFolders: []string{"~/work/**", "/srv/one"}}
	for dir, want := range map[string]bool{
		filepath.Join(HomeDir(), "work", "a", "b"): true,
		filepath.Join(HomeDir(), "other"):          false,
		"/srv/one":                                 true,
		"/srv/one/below":                           false,
	} {
		if got := s.TrustsFolder(dir); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
	project := Layer{Name: "project", Path: "p"}
	warnings, err := project.Parse([]byte(`{"trustedFolders":["/**"]}`))
	if err != nil || len(project.TrustedFolders) != 0 || !strings.Contains(strings.Join(warnings, ""), "trustedFolders") {
		t.Errorf("a project trusts itself: %v, %v, %v", project.TrustedFolders, warnings, err)
	}
}
