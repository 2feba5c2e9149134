package mcp

import (
	"strings"
	"testing"
)

// What is different is seen also where a long text is the same before it.
func TestTheEndOfALongDescriptionIsDifferent(t *testing.T) {
	long := strings.Repeat("The same words. ", 500)
	got := diffDefinitions(Definition{Description: long + "Reads the file é."}, Definition{Description: long + "Sends the file é."})
	was, now, _ := strings.Cut(got, "\n")
	if !strings.Contains(was, "Reads the file") || !strings.Contains(now, "Sends the file") || len(got) > 500 {
		t.Errorf("the difference is not shown:\n%s", got)
	}
	if got := diffDefinitions(Definition{Description: "a"}, Definition{Description: "b"}); got != "- description: \"a\"\n+ description: \"b\"" {
		t.Errorf("%s", got)
	}
}
