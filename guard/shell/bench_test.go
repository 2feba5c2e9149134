package shell

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func BenchmarkLoadTable(b *testing.B) {
	for b.Loop() {
		if _, err := loadTable(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEveryday(b *testing.B) {
	cmds := slices.Concat(rows(b, "allowed.txt"), rows(b, "asked.txt"), rows(b, "denied.txt"))
	c := testContext()
	i := 0
	for b.Loop() {
		Analyze(cmds[i%len(cmds)], c)
		i++
	}
}

// BenchmarkSlowest tells the 99th percentile and the slowest of all rows, in microseconds.
func BenchmarkSlowest(b *testing.B) {
	cmds := slices.Concat(rows(b, "allowed.txt"), rows(b, "asked.txt"), rows(b, "denied.txt"))
	c := testContext()
	var times []time.Duration
	for b.Loop() {
		times = times[:0]
		for _, cmd := range cmds {
			best := time.Hour
			for range 3 {
				start := time.Now()
				Analyze(cmd, c)
				best = min(best, time.Since(start))
			}
			times = append(times, best)
		}
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "µs-p50")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "µs-p99")
	b.ReportMetric(float64(times[len(times)-1].Nanoseconds())/1e3, "µs-max")
}

// monsters are texts that are made to be slow.
func monsters() map[string]string {
	return map[string]string{
		"parentheses":      strings.Repeat("(", 10000),
		"substitutions":    strings.Repeat("$(", 10000),
		"400 kB of echo":   "echo " + strings.Repeat("a", 400<<10),
		"chain":            strings.Repeat("true; ", 20000) + "rm -rf /",
		"pipes":            strings.Repeat("cat | ", 20000) + "sh",
		"words":            "rm " + strings.Repeat("a/b ", 30000),
		"braces":           "echo " + strings.Repeat("{a,b}", 40),
		"numbers":          "for i in {1..1000000}; do rm x$i; done",
		"loops":            strings.Repeat("for i in a b c d e f g h; do ", 12) + "ls" + strings.Repeat("; done", 12),
		"functions":        "f() { f1; f1; }; " + manyFunctions(24) + "f",
		"heredocs":         strings.Repeat("cat <<A\nx\nA\n", 8000),
		"variables":        "a=x; " + strings.Repeat("a=$a$a; ", 40) + "echo $a",
		"stars":            "ls " + strings.Repeat("*", 100000),
		"quotes":           strings.Repeat("'a'\"b\"", 15000),
		"backslashes":      strings.Repeat(`\a`, 60000),
		"arithmetic":       "echo $((" + strings.Repeat("1+", 30000) + "1))",
		"evals":            strings.Repeat("eval ", 5000) + "ls",
		"globs of home":    "cat " + strings.Repeat("~/.*/*?[a]* ", 5000),
		"tests":            "[[ " + strings.Repeat("a == b && ", 8000) + "a == b ]]",
		"sudo":             strings.Repeat("sudo ", 20000) + "ls",
		"shells in shells": strings.Repeat("bash -c ", 3000) + "ls",
		"python":           "python3 -c '" + strings.Repeat("open(\"/a/b\");", 8000) + "'",
		"sed":              "sed '" + strings.Repeat("s/a/b/;", 15000) + "' x",
		"awk":              "awk '" + strings.Repeat("{print > \"x\"}", 8000) + "' x",
	}
}

func manyFunctions(n int) string {
	var b strings.Builder
	for i := 1; i < n; i++ {
		s := string(rune('a' + i))
		next := string(rune('a' + i + 1))
		if i == 1 {
			b.WriteString("f1() { g" + next + "; g" + next + "; }; ")
			continue
		}
		b.WriteString("g" + s + "() { g" + next + "; g" + next + "; }; ")
	}
	return b.String()
}

// TestMonstersEnd checks that nothing takes long and that what is too much is never let through. The bound is wide,
// because machines differ; the benchmark has the figures.
func TestMonstersEnd(t *testing.T) {
	for name, cmd := range monsters() {
		start := time.Now()
		r := Analyze(cmd, testContext())
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		if len(cmd) > MaxBytes && weight3(r.Class()) == 0 {
			t.Errorf("%s: too long to read, and yet %v", name, r.Class())
		}
	}
	if r := Analyze(strings.Repeat("true; ", 15000)+"rm -rf /", testContext()); weight3(r.Class()) == 0 {
		t.Errorf("the last of many commands is not seen: %v", r.Class())
	}
	if r := Analyze(strings.Repeat("true; ", 60)+"rm -rf /", testContext()); r.Class() != Destroy {
		t.Errorf("the 61st command is not seen: %v", r.Class())
	}
}

func BenchmarkMonsters(b *testing.B) {
	for name, cmd := range monsters() {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				Analyze(cmd, testContext())
			}
		})
	}
}
