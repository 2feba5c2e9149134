package edit

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// bigFile is source-like text of some 5 MB, no two blocks alike.
func bigFile() string {
	var b strings.Builder
	for i := 0; b.Len() < 5<<20; i++ {
		fmt.Fprintf(&b, "// part%d does the work of part %d.\nfunc part%d(a, b int) int {\n\tif a > %d {\n\t\treturn a*b + %d\n\t}\n\treturn b\n}\n\n", i, i, i, i, i)
	}
	return b.String()
}

// hardCases are what each step of the engine costs on a large file, the worst ones of its kind.
func hardCases() map[string]Edit {
	at := 20000
	body := fmt.Sprintf("func part%d(a, b int) int {\n\tif a > %d {\n\t\treturn a*b + %d\n\t}\n\treturn b\n}", at, at, at)
	other := strings.Replace(body, "return b", "return a", 1)
	indented := func(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }
	long := strings.Repeat("\treturn b\n}\n\n", 900)
	return map[string]Edit{
		"exact":     {Old: body, New: other},
		"part":      {Old: fmt.Sprintf("a*b + %d", at), New: "a+b"},
		"indented":  {Old: indented(body), New: indented(other)},
		"numbers":   {Old: "1\t" + strings.Split(body, "\n")[0] + "\n2\t" + strings.Split(body, "\n")[1], New: "x"},
		"escaped":   {Old: strings.ReplaceAll(body, "\n", `\n`), New: strings.ReplaceAll(other, "\n", `\n`)},
		"fragment":  {Old: fmt.Sprintf("a*b  + %d", at), New: "a+b"},
		"absent":    {Old: strings.ReplaceAll(body, "part", "piece"), New: other},
		"frequent":  {Old: "if  a > 0 && b {", New: "x"},
		"repeating": {Old: long, New: long + "x"},
		"drift":     {Old: strings.Replace(body, "int) int", "int) uint", 1), New: strings.Replace(other, "int) int", "int) uint", 1)},
		"all":       {Old: "return b\n", New: "return c\n", All: true},
	}
}

func BenchmarkApply(b *testing.B) {
	file := bigFile()
	for name, e := range hardCases() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				_, _ = Apply(file, []Edit{e}, &Options{Fresh: true})
			}
		})
	}
}

// TestLimit checks that an adversary's text ends at the time limit.
func TestLimit(t *testing.T) {
	same := strings.Repeat("x = 1\n", 800_000)
	old := strings.Repeat("x  = 1\n", 2000) + "y\n" + strings.Repeat("x  = 1\n", 900)
	for _, e := range []Edit{{Old: old, New: "z"}, {Old: strings.Repeat("x  = 1\n", 2900), New: "z"}, {Old: "x  =  1 1", New: "z"}} {
		start := time.Now()
		_, err := Apply(same, []Edit{e}, &Options{Fresh: true, Limit: 300 * time.Millisecond})
		if err == nil {
			t.Error("a text that is not in the file was found")
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("took %v", d)
		}
	}
}
