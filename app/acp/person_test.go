package acp

import (
	"testing"

	"rein/tool"
)

func TestChangesOfARequest(t *testing.T) {
	first := tool.Change{Path: "a b (1).go", Added: 1, Removed: 1, Diff: "@@ -1 +1 @@\n-change x (+1 -1 lines)\n+y\n"}
	second := tool.Change{Path: "new", Created: true, Added: 1, Diff: "@@ -0,0 +1 @@\n+x\n"}
	lines, _ := first.Lines()
	more, _ := second.Lines()
	got := changesOf(append(lines, more...))
	if len(got) != 2 || got[0] != first || got[1] != second {
		t.Errorf("got %+v", got)
	}
}
