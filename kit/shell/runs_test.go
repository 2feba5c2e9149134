package shell

import (
	"strings"
	"testing"
)

func TestSubCommand(t *testing.T) {
	for line, want := range map[string]string{
		"git log -p":                            "log -p",
		"/usr/bin/git -C dir log -p":            "log -p",
		"git -c a=b --no-pager show HEAD":       "show HEAD",
		"git --git-dir=x --work-tree y diff":    "diff",
		"git --attr-source HEAD log":            "log",
		"git --git-dir":                         "",
		"git":                                   "",
		"a-program-that-nobody-knows -x status": "-x status",
	} {
		if got := strings.Join(SubCommand(strings.Fields(line)), " "); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
	if SubCommand(nil) != nil {
		t.Error("no words have a sub-command")
	}
}
