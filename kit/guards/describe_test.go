package guards

import (
	"slices"
	"strings"
	"testing"
)

func TestTheQuestionHidesNothing(t *testing.T) {
	hostile := "echo hi\rls \x1b[2K\u202e; rm x" + strings.Repeat("\n", 40) + "rm -rf ~/Documents\t# \u200btail"
	c := bash(hostile)
	q := DescribeRequest(c, home.Judge(t.Context(), c), home, Change{})
	all := strings.Join(q.Lines(), "\n")
	for _, bad := range []string{"\r", "\x1b", "\u202e", "\u200b", "\t"} {
		if strings.Contains(all, bad) {
			t.Errorf("%q reaches the terminal", bad)
		}
	}
	for _, want := range []string{`\r`, `\e[2K`, `\u{202e}`, "rm -rf ~/Documents", "tail", "because"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not shown:\n%s", want, all)
		}
	}
}

func TestTheQuestionMarksTheRiskyPart(t *testing.T) {
	c := bash("ls && rm -rf build && echo done")
	q := DescribeRequest(c, home.Judge(t.Context(), c), home, Change{})
	q.Always = []string{"bash(rm -rf build)"}
	want := []string{
		"bash",
		"  ls && rm -rf build && echo done",
		"        ^^^^^^^^^^^^",
		"  removes  /home/dev/project/build",
		"  runs     ls, rm, echo",
		"  because  rm: removes build",
		"  always   would allow bash(rm -rf build)",
	}
	if !slices.Equal(q.Lines(), want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(q.Lines(), "\n"), strings.Join(want, "\n"))
	}
}
