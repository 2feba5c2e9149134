package shell

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/guard/effect"
)

func BenchmarkEveryday(b *testing.B) {
	cmds := slices.Concat(rows(b, "allowed.txt"), rows(b, "asked.txt"), rows(b, "denied.txt"))
	c := testContext()
	i := 0
	for b.Loop() {
		Analyze(cmds[i%len(cmds)], c)
		i++
	}
}

// BenchmarkSlowest measures the 99th percentile and the slowest of all rows, in microseconds.
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
		"25k evals":        strings.Repeat("eval ", 25000) + "ls",
		"sudo":             strings.Repeat("sudo ", 20000) + "ls",
		"shells in shells": strings.Repeat("bash -c ", 3000) + "ls",
		"python":           "python3 -c '" + strings.Repeat("open(\"/a/b\");", 8000) + "'",
		"sed":              "sed '" + strings.Repeat("s/a/b/;", 15000) + "' x",
		"awk":              "awk '" + strings.Repeat("{print > \"x\"}", 8000) + "' x",
	}
}

// moreMonsters are shapes beside those, each near the limit of what is read at all.
func moreMonsters() map[string]string {
	return map[string]string{
		"appended elements":    strings.Repeat("a+=(x);", 18000),
		"elements":             numbered("a[%d]=x;", 9000),
		"keys":                 "declare -A m;" + numbered("m[k%d]=x;", 8000),
		"lists":                numbered("a[%d]=x;", 5000) + strings.Repeat(`echo "${a[@]}";`, 1500),
		"variables in doubt":   numbered("[ a ] && x%d=b;", 4000) + "rm " + numbered("$x%d ", 4000),
		"exits":                numbered("v%d=b;", 5000) + "for i in a; do " + strings.Repeat("break;", 8000) + "done",
		"inherited variables":  numbered("v%d=b;", 3000) + strings.Repeat("bash -c a;", 7000),
		"deep directories":     strings.Repeat("cd a;", 20000),
		"100k words":           "ls " + strings.Repeat("a ", 62000),
		"10k assignments":      strings.Repeat("a=b ", 10000) + "ls",
		"10k variables":        strings.Repeat("a1=b; ", 10000) + "echo $a1",
		"nested braces":        "echo " + strings.Repeat("{a,", 200) + "b" + strings.Repeat("}", 200),
		"wide braces":          "echo {" + strings.Repeat("a,", 60000) + "b}",
		"brace ranges":         strings.Repeat("echo {1..500}{1..500}; ", 500),
		"20k substitutions":    "echo " + strings.Repeat("$(ls) ", 20000),
		"nested substitutions": strings.Repeat("echo $(", 40) + "ls" + strings.Repeat(")", 40),
		"substitutions of 8":   strings.Repeat("echo $(echo $(echo $(echo $(echo $(ls))))); ", 3000),
		"a long heredoc":       "bash <<'A'\n" + strings.Repeat("rm x\n", 24000) + "A\n",
		"an open heredoc":      "cat <<A\n" + strings.Repeat("$(ls) ${x} `ls`\n", 6000) + "A\n",
		"a huge case":          "case $x in " + strings.Repeat("a|b|c) ls;; ", 10000) + "esac",
		"nested ifs":           strings.Repeat("if ls; then ", 180) + "ls" + strings.Repeat("; fi", 180),
		"a big array":          "a=(" + strings.Repeat("x ", 60000) + "); rm \"${a[@]}\"",
		"arrays of arrays":     "a=(x x x x x x x x x x); " + strings.Repeat("a=(\"${a[@]}\" \"${a[@]}\"); ", 30) + "rm ${a[@]}",
		"nested arithmetic":    "echo $((" + strings.Repeat("(1+", 150) + "1" + strings.Repeat(")", 150) + "))",
		"for (( ))":            strings.Repeat("for ((i=0;i<9;i++)); do ", 150) + "ls" + strings.Repeat("; done", 150),
		"replacements":         "a=aaaaaaaaaaaaaaaa; " + strings.Repeat("a=${a//a/aa}; ", 400) + "echo $a",
		"prefixes":             "a=" + strings.Repeat("ab", 8000) + "; " + strings.Repeat("a=${a#*b}; ", 2000) + "echo $a",
		"redirections":         "ls " + strings.Repeat("> f ", 25000),
		"conditions":           "[[ " + strings.Repeat("( a == b || ", 150) + "a" + strings.Repeat(" )", 150) + " ]]",
		"tests of patterns":    strings.Repeat("[[ $x == *a*b*c* ]]; ", 5000),
		"git settings":         "git " + strings.Repeat("-c alias.x='!git -c alias.y=ls y' ", 3000) + "x",
		"xargs of xargs":       strings.Repeat("xargs -I{} ", 10000) + "rm {}",
		"items of xargs":       "echo " + strings.Repeat("a ", 1900) + "| xargs -n1 sh -c 'rm $0'",
		"lines of a while":     "printf '" + strings.Repeat("a\\n", 250) + "' | while read l; do eval \"$l\"; done",
		"crontab":              "crontab - <<A\n" + strings.Repeat("* * * * * ls | wc\n", 6000) + "A\n",
		"makefile":             "make -f - <<A\n" + strings.Repeat("a:\n\tls | wc\n", 8000) + "A\n",
		"ssh in ssh":           strings.Repeat("ssh h ", 10000) + "ls",
		"python of shells":     "python3 -c 'import os\n" + strings.Repeat("os.system(\"ls | wc\")\n", 5000) + "'",
		"traps":                strings.Repeat("trap ls EXIT; ", 8000),
		"functions in a row":   strings.Repeat("f() { ls; }; f; ", 7000),
		"coprocesses":          strings.Repeat("coproc ls -l; ", 8000),
		"process files":        "cat " + strings.Repeat("<(ls) ", 20000),
		"quotes in quotes":     strings.Repeat("\"$(echo \"", 40) + "x" + strings.Repeat("\")\"", 40),
		"wildcards":            "ls " + strings.Repeat("* ", 60000),
	}
}

// deepMonsters are nested shapes, texts that are put together, and words that are read several times.
func deepMonsters() map[string]string {
	return map[string]string{
		"many heredocs of one command": "cat " + strings.Repeat("<<A ", 3000) + "\n" + strings.Repeat("x\nA\n", 3000),
		"heredocs in substitutions":    strings.Repeat("x=$(cat <<A\n$y\nA\n)\n", 5000),
		"functions that call the next": numbered("f%d() { f1 $1; }; ", 3000) + "f7 a",
		"functions in functions":       strings.Repeat("f() { ", 60) + "ls" + strings.Repeat("; }; f", 60),
		"case in case":                 strings.Repeat("case $x in a|b) ", 90) + "ls" + strings.Repeat(";; esac", 90),
		"a case of variables":          "x=a; [ a ] && x=b; " + strings.Repeat("case $x in a) y=1;; *) y=2;; esac; ", 1500) + "rm $x $y",
		"an array of 10,000":           "a=(" + numbered("x%d ", 10000) + `); for i in "${a[@]}"; do ls "$i"; done; rm "${a[@]:9000}" "${a[@]/x/y}"`,
		"an array in doubt":            "a=(" + numbered("x%d ", 5000) + `); [ b ] && a+=(q); ` + strings.Repeat(`rm "${a[@]}"; `, 50),
		"indexes in arithmetic":        "a=(1 2 3); " + strings.Repeat("echo $((a[a[a[0]]] + ${a[1]})); ", 2500),
		"braces in arithmetic":         "echo $((" + strings.Repeat("(1+{1,2}),", 6000) + "1))",
		"braces with variables":        "x=a; " + strings.Repeat("echo $x{a,b,c}$y{1..9} {~,b}/c; ", 2000),
		"braces in braces":             "echo " + strings.Repeat("{a,{b,", 15) + "c" + strings.Repeat("}}", 15),
		"eval of eval of text":         "x='ls '; " + strings.Repeat("x=\"$x$x\"; ", 12) + strings.Repeat("eval \"$x\"; ", 40),
		"evals in quotes":              strings.Repeat(`eval "`, 1) + strings.Repeat("eval ls; ", 12000) + `"`,
		"increments in doubt":          "i=0; [ a ] && i=1; " + strings.Repeat("ls $((i++)) ${y:=$i} $i; ", 3000),
		"quotes in defaults":           strings.Repeat(`echo "${x:-'a b'}${y:+'c'}"; `, 4000),
		"defaults in defaults":         "echo " + strings.Repeat("${x:-", 90) + "a" + strings.Repeat("}", 90),
		"shortened options":            strings.Repeat("tar --extr --fil a --director b; ", 3500),
		"options that may take values": "nl " + strings.Repeat("-q /a/b --zz c ", 8000),
		"cleaning and building":        strings.Repeat("make clean; make; ", 7000),
		"downloads and builds":         strings.Repeat("git clone https://x/y%d; make; ", 3000),
		"statements of sql":            "sqlite3 a.db \"" + strings.Repeat("select 'a''b', c from d; ", 5000) + "\"",
		"pipes of loops":               strings.Repeat("while read -r x; do ls $x; done | ", 3000) + "cat",
		"lists of locals":              "f() { " + numbered("local v%d=a; ", 6000) + "}; f; f; f",
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
	all := monsters()
	maps.Copy(all, moreMonsters())
	maps.Copy(all, deepMonsters())
	c := testContext()
	for i := range 1000 {
		c.Dashed = append(c.Dashed, fmt.Sprintf("/home/dev/project/-%d", i))
	}
	for name, cmd := range all {
		start := time.Now()
		r := Analyze(cmd, c)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		if len(cmd) > MaxBytes && decision(r.Class()) == 0 {
			t.Errorf("%s: too long to read, and yet %v", name, r.Class())
		}
	}
	if r := Analyze(strings.Repeat("true; ", 15000)+"rm -rf /", testContext()); decision(r.Class()) == 0 {
		t.Errorf("the last of many commands is not seen: %v", r.Class())
	}
	if r := Analyze(strings.Repeat("eval ", 25000)+"ls", testContext()); !slices.ContainsFunc(r.Findings, func(f effect.Finding) bool { return strings.HasPrefix(f.Why, "too much text") }) {
		t.Errorf("shells within shells are read without a bound: %v", r.Findings)
	}
	if r := Analyze("bash <<'A'\n"+strings.Repeat("ls x\n", 24000)+"rm -rf /\nA\n", testContext()); decision(r.Class()) == 0 {
		t.Errorf("the end of a long text for a shell is not seen: %v", r.Class())
	}
	if r := Analyze(strings.Repeat("true; ", 60)+"rm -rf /", testContext()); r.Class() != effect.Destroy {
		t.Errorf("the 61st command is not seen: %v", r.Class())
	}
}

func BenchmarkMonsters(b *testing.B) {
	all := monsters()
	maps.Copy(all, moreMonsters())
	maps.Copy(all, deepMonsters())
	for name, cmd := range all {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				Analyze(cmd, testContext())
			}
		})
	}
}

// numbered repeats a text with numbers.
func numbered(format string, many int) string {
	var b strings.Builder
	for i := range many {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
