package shell

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/guard/effect"
)

// FuzzAnalyze looks for faults of the guard: it must answer everything, and a tail that hides nothing must not make a
// verdict weaker.
func FuzzAnalyze(f *testing.F) {
	for _, name := range []string{"allowed.txt", "asked.txt", "denied.txt"} {
		for _, cmd := range rows(f, name) {
			f.Add(cmd)
		}
	}
	f.Fuzz(func(t *testing.T, cmd string) {
		done := make(chan *effect.Report, 1)
		go func() { done <- Analyze(cmd, testContext()) }()
		var r *effect.Report
		select {
		case r = <-done:
		case <-time.After(10 * time.Second):
			t.Fatalf("%q takes too long", cmd)
		}
		if r.Fault != "" {
			t.Fatalf("%q: the guard failed: %s", cmd, r.Fault)
		}
		for _, find := range r.Findings {
			if find.Start < 0 || find.End < find.Start || find.End > len(cmd) {
				t.Fatalf("%q: a finding at %d to %d", cmd, find.Start, find.End)
			}
		}
		if decision(r.Class()) == 2 && !strings.ContainsAny(cmd, "\r") {
			before := Analyze("true\n"+cmd, testContext())
			if decision(before.Class()) < decision(r.Class()) && before.Class() != effect.Unparsed {
				t.Fatalf("%q is %v, and with a line before it %v", cmd, r.Class(), before.Class())
			}
		}
	})
}

// bashAccepts asks bash itself whether a text is bash. Nothing runs.
func bashAccepts(t testing.TB, text string) bool {
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-n")
	cmd.Stdin = strings.NewReader(text)
	cmd.Env = []string{"PATH=/nonexistent"}
	out, err := cmd.CombinedOutput()
	return err == nil && !strings.Contains(string(out), "here-document")
}

func needBash(t testing.TB) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed, and it is the oracle")
	}
}

// FuzzBash compares with bash: what the guard lets run unasked must be something that bash reads, too.
func FuzzBash(f *testing.F) {
	needBash(f)
	for _, cmd := range rows(f, "allowed.txt") {
		f.Add(cmd)
	}
	f.Fuzz(func(t *testing.T, cmd string) {
		if len(cmd) > 4096 || strings.IndexByte(cmd, 0) >= 0 {
			return
		}
		if r := Analyze(cmd, testContext()); decision(r.Class()) == 0 && !bashAccepts(t, cmd) {
			t.Fatalf("%q runs unasked, but bash does not take it", cmd)
		}
	})
}

// FuzzWords compares the words of simple commands with those of bash, which is given no programs to run.
func FuzzWords(f *testing.F) {
	needBash(f)
	for _, cmd := range []string{`a b`, `a 'b c' "d e"`, `a \b c\ d`, `a "b\"c" 'd'\''e'`, `a "b\nc" 'd\n'`, `a b#c #d`, `a ""  ''`, `a "\a\$\\"`} {
		f.Add(cmd)
	}
	f.Fuzz(func(t *testing.T, cmd string) {
		if len(cmd) > 512 || strings.ContainsAny(cmd, "\x00/") {
			return
		}
		words := Analyze(cmd, testContext()).Simple
		if words == nil {
			return
		}
		sh := exec.CommandContext(t.Context(), "bash", "-r", "--noprofile", "--norc", "-c", "printf '%s\\0' "+strings.TrimLeft(cmd, " \t\n"))
		sh.Env, sh.Dir = []string{"PATH=/nonexistent"}, t.TempDir()
		out, err := sh.Output()
		if err != nil {
			return
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if !slices.Equal(words, want) {
			t.Fatalf("%q: the guard reads %q, bash %q", cmd, words, want)
		}
	})
}
