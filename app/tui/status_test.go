package tui

import (
	"strings"
	"testing"
	"time"
)

// What matters least leaves first where the room is short; nothing is ever wider than the terminal.
func TestLine(t *testing.T) {
	all := statusBar{Mode: "supervised", Vi: "normal ", Waits: 2, Model: "sonnet", Dir: "~/src/rein", Branch: "main", Context: 36_000, Window: 200_000, Cost: 0.21, Jobs: 1,
		Works: true, For: 83 * time.Second, Tokens: 1234, Stops: "Esc stops"}
	working := statusBar{Mode: "plan", Branch: "main", Context: 36_000, Works: true, For: 9 * time.Second, Tokens: 900, Stops: "Esc stops"}
	rows := []struct {
		rule  string
		bar   statusBar
		width int
		want  string
	}{
		{"all of it", all, 170, "  ask when needed    normal     2 wait    sonnet    ~/src/rein    main    context 18 % of 200k    $0.21    1 job    1.2k tokens    1 min 23 s    Esc stops"},
		{"the branch, the directory and the model leave first", all, 120, "  ask when needed    normal     2 wait    context 18 % of 200k    $0.21    1 job    1 min 23 s    Esc stops"},
		{"then the money", all, 80, "  ask when needed    normal     2 wait    18 %    1 min 23 s    Esc stops"},
		{"a narrow terminal", all, 40, "  supervised   normal    2 wait   18 %"},
		{"hardly any room", all, 24, "  supervised   2 wait"},
		{"a window of unknown size", working, 80, "  plan only    main    context 36.0k    900 tokens    9 s    Esc stops"},
	}
	for _, row := range rows {
		if got := row.bar.Line(row.width).String(); got != row.want {
			t.Errorf("%s:\n%q\nwant\n%q", row.rule, got, row.want)
		}
		for width := 5; width < 200; width++ {
			if got := row.bar.Line(width); got.Width() >= width {
				t.Errorf("%s: %d columns of %d", row.rule, got.Width(), width)
			}
		}
	}
	own := all
	own.Own = all.Line(30)
	if got := own.Line(200).String(); !strings.HasPrefix(got, "  ask when needed    normal     2 wait    ") || strings.Contains(got, "sonnet") {
		t.Errorf("%q", got)
	}
}
