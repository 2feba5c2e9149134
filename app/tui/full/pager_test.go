package full

import (
	"strings"
	"testing"

	"rein/app/tui/text"
)

// TestAllIsReadInAnyOrder: a text is read when each of its lines was on the screen. Who goes to its end sees how many were not.
func TestAllIsReadInAnyOrder(t *testing.T) {
	for _, row := range []struct{ keys, hint string }{
		{"", "Enter approves only what was shown whole: PgUp PgDn show the rest"},
		{"pgdown pgdown pgdown", "arrows"},
		{"end", "rows above that were not on the screen yet: 12; PgUp shows them"},
		{"end pgup", "PgUp PgDn"},
		{"end pgup pgup end", "arrows"},
		{"end home pgdown pgdown", "arrows"},
	} {
		read, p := 0, NewPager("x", make([]text.Line, 28))
		p.Read = func() { read++ }
		lines, _ := p.Lines(80, 10)
		for key := range strings.FieldsSeq(row.keys) {
			p.Key("", key, "")
			lines, _ = p.Lines(80, 10)
		}
		whole := strings.Count(row.keys, " ") > 1
		if hint := lines[len(lines)-1].String(); !strings.Contains(hint, row.hint) || (read == 1) != whole || read > 1 {
			t.Errorf("%s: read %d times, %s", row.keys, read, hint)
		}
	}
}
