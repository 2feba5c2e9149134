package shell

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/guard/effect"
)

var update = flag.Bool("update", false, "write help/options.txt anew from the programs that are installed")

// TestOptionsAreThoseOfHelp compares help/options.txt with the programs that are installed.
func TestOptionsAreThoseOfHelp(t *testing.T) {
	lines := map[string]string{}
	for name, options := range helpLines() {
		lines[name] = helpLine(options())
	}
	installed := 0
	for _, name := range programTable().Names() {
		if !asksHelp(name) {
			continue
		}
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := readHelp(t, path)
		if len(options) < 2 {
			continue
		}
		installed++
		if *update {
			lines[name] = helpLine(options)
			continue
		}
		have := helpOf(name)
		for option, takes := range options {
			if was, ok := have[option]; ok && was != takes {
				t.Errorf("%s %s: by --help it takes a value: %v; help/options.txt says %v", name, option, takes, was)
			}
		}
	}
	if installed == 0 {
		t.Skip("SKIPPED: none of the programs is installed, so that help/options.txt is not compared with any")
	}
	t.Logf("%d programs of %d in help/options.txt are installed and were compared", installed, len(lines))
	if *update {
		writeHelp(t, lines)
	}
}

func writeHelp(t *testing.T, lines map[string]string) {
	var b strings.Builder
	b.WriteString("# Options by the programs' own --help. Written by: go test ./kit/shell -run TestOptionsAreThoseOfHelp -update\n")
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&b, "%s %s\n", name, lines[name])
	}
	if err := os.WriteFile("help/options.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func helpLine(options map[string]bool) string {
	var flags, takes []string
	for _, o := range slices.Sorted(maps.Keys(options)) {
		if options[o] {
			takes = append(takes, o)
		} else {
			flags = append(flags, o)
		}
	}
	return strings.TrimSpace("flags " + strings.Join(flags, " ") + " takes " + strings.Join(takes, " "))
}

// asksHelp reports whether a program is safe to ask: it looks at files or changes ordinary ones, and has no sub-commands.
func asksHelp(name string) bool {
	p := programTable().find1(name)
	if p == nil || strings.ContainsAny(name, ":/") || p.Subs != nil {
		return false
	}
	switch name { // wrappers that answer by themselves
	case "xargs", "timeout", "nice", "env", "nohup", "stdbuf", "setsid", "ionice", "taskset", "flock", "chrt", "choom", "prlimit", "tar", "find", "sed", "time", "setarch":
		return true
	}
	if p.Runner || p.posix {
		return false
	}
	switch p.How {
	case "", "copy", "rm", "ln", "grep", "uniq", "cat", "filter", "pathname", "fetch", "chown", "later":
		return p.Class == effect.Read || p.Class == effect.Write || p.How == "fetch" || p.Class == effect.Admin && p.How == "chown"
	}
	return false
}

func readHelp(t *testing.T, path string) map[string]bool {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	dir := t.TempDir()
	cmd := exec.CommandContext(ctx, path, "--help")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "LC_ALL=C", "COLUMNS=200"}
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil || out.Len() == 0 {
		return nil
	}
	return optionsIn(out.String())
}

var (
	optionLine = regexp.MustCompile(`^ {1,8}(-.*)$`)
	optionWord = regexp.MustCompile(`^(--[a-zA-Z][a-zA-Z0-9-]*|-[a-zA-Z0-9])((?:\[=?[^]]*\])|(?:=[^ ,]+)|(?: <[^>]+>)|(?: [A-Z][A-Z0-9_-]+\b))?(?:, *|$)`)
)

// optionsIn reads the list of options in a help text. A value in brackets is optional: it never is the next word.
func optionsIn(text string) map[string]bool {
	options := map[string]bool{}
	for line := range strings.Lines(text) {
		m := optionLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		head, _, _ := strings.Cut(m[1], "  ")
		var names []string
		takes, fine := false, true
		for rest := strings.TrimSpace(head); rest != ""; {
			w := optionWord.FindStringSubmatch(rest)
			if w == nil {
				fine = false
				break
			}
			names = append(names, w[1])
			takes = takes || w[2] != "" && w[2][0] != '['
			rest = rest[len(w[0]):]
		}
		if !fine {
			continue
		}
		for _, n := range names {
			options[n] = takes
		}
	}
	return options
}

// TestHelpIsRead checks the reading of help texts.
func TestHelpIsRead(t *testing.T) {
	text := "Usage: x\n  -a, --all           do all\n  -n, --lines=NUM     how many\n      --color[=WHEN]  colours\n -s, --separator <string>  what\n  -o FILE   output\n  -q  -- odd\n"
	want := map[string]bool{"-a": false, "--all": false, "-n": true, "--lines": true, "--color": false, "-s": true, "--separator": true, "-o": true}
	got := optionsIn(text)
	delete(got, "-q")
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if _, err := os.Stat(filepath.Join(".", "help/options.txt")); err != nil {
		t.Error(err)
	}
}
