package settings

import (
	"strings"
	"testing"
)

func TestOffers(t *testing.T) {
	for _, row := range []struct{ patterns, tool, want string }{
		{"", "bash", "on"},
		{"read_file grep", "grep", "on"},
		{"read_file grep", "bash", "off"},
		{"-bash", "bash", "off"},
		{"-bash", "grep", "on"},
		{"git_* -git_blame", "git_blame", "off"},
		{"git_* -git_blame", "git_log", "on"},
		{"-* read_file", "read_file", "on"},
		{"-browser_* browser_snapshot", "browser_snapshot", "on"},
		{"-browser_* browser_snapshot", "bash", "off"},
		{"-mcp__*", "mcp__x__y", "off"},
	} {
		if got := map[bool]string{true: "on", false: "off"}[Offers(strings.Fields(row.patterns), row.tool)]; got != row.want {
			t.Errorf("%q: %s is %s", row.patterns, row.tool, got)
		}
	}
	for _, bad := range []string{"[", "-", "", "-[a"} {
		if CheckOffer([]string{bad}) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
