package shell

import (
	"fmt"
	"strings"
	"testing"
)

// quoteFor spells text as one word in single quotes.
func quoteFor(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// wrappers hide a command in another without changing what it does.
var wrappers = map[string]string{
	"after a success":        "true && %s",
	"after another":          "ls; %s",
	"in a subshell":          "( %s )",
	"in braces":              "{ %s\n}",
	"in a substitution":      `echo "$( %s )"`,
	"in backquotes":          "`cat x`; ( %s )",
	"in a function":          "f() { %s\n}; f",
	"in a for loop":          "for i in 1 2; do %s\ndone",
	"in a while loop":        "while true; do %s\ndone",
	"in an if":               "if true; then %s\nfi",
	"in a case":              "case x in x) %s\n;; esac",
	"negated":                "! ( %s )",
	"in a process":           "cat <( %s )",
	"in an assignment":       "x=$( %s )",
	"in a here-document":     "bash <<'EOX'\n%s\nEOX",
	"as a script":            "cat > s.sh <<'EOX'\n%s\nEOX\nbash s.sh",
	"by bash -c":             "bash -c %q",
	"by env":                 "env A=b bash -c %q",
	"by timeout":             "timeout 5 sh -c %q",
	"by nice":                "nice -n 5 bash -c %q",
	"by nohup":               "nohup bash -c %q &",
	"by stdbuf":              "stdbuf -oL bash -c %q",
	"by setsid":              "setsid bash -c %q",
	"by eval":                "eval %q",
	"by a trap":              "trap %q EXIT",
	"by a pipe":              "echo %q | bash",
	"by a here-string":       "bash <<< %q",
	"by a variable":          "c=%q; bash -c \"$c\"",
	"by an argument":         "g() { bash -c \"$1\"; }; g %q",
	"by flock":               "flock x bash -c %q",
	"by watch":               "watch -n1 bash -c %q",
	"by busybox":             "busybox sh -c %q",
	"by sudo":                "sudo bash -c %q",
	"by su":                  "su -c %q",
	"by parallel":            "parallel ::: %q",
	"by script":              "script -qc %q /dev/null",
	"by time":                "time bash -c %q",
	"by command":             "command bash -c %q",
	"by git's aliases":       "git -c alias.x=%q x",
	"by xargs":               "echo x | xargs -n1 bash -c %q",
	"by find":                "find . -maxdepth 1 -exec bash -c %q \\;",
	"by a shell in a shell":  "bash -c \"bash -c \"%q",
	"after 60 other things":  strings.Repeat("true; ", 60) + "%s",
	"after a long comment":   "# " + strings.Repeat("x ", 500) + "\n%s",
	"behind a heredoc":       "cat <<EOX\ntext\nEOX\n%s",
	"behind a quoted string": "echo \"a # b\"; %s",
}

// fits reports whether a wrapper leaves the meaning of a command alone.
func fits(wrapper, cmd string) bool {
	switch {
	case strings.Contains(cmd, "{}") && (strings.Contains(wrapper, "xargs") || strings.Contains(wrapper, "find") || strings.Contains(wrapper, "parallel")):
		return false // the mark is replaced, and the command is another
	case strings.HasSuffix(cmd, "\\") && strings.Contains(wrapper, "%s\n"):
		return false // the backslash takes the line break away
	case strings.Contains(cmd, "\n") && (strings.Contains(wrapper, "%q") || strings.Contains(wrapper, "EOX")):
		return !strings.Contains(cmd, "E2")
	}
	return true
}

func wrap(pattern, cmd string) string {
	switch {
	case pattern == "bash -c \"bash -c \"%q":
		return "bash -c " + quoteFor("bash -c "+quoteFor(cmd))
	case strings.HasPrefix(pattern, "git -c alias"):
		return "git -c " + quoteFor("alias.x=!"+cmd) + " x"
	case strings.Contains(pattern, "%q"):
		return strings.Replace(pattern, "%q", quoteFor(cmd), 1)
	}
	return strings.Replace(pattern, "%s", cmd, 1)
}

// TestWrappersNeverWeaken puts what is refused behind launchers and constructs: the verdict may not get weaker.
func TestWrappersNeverWeaken(t *testing.T) {
	for _, cmd := range append(rows(t, "denied.txt"), rows(t, "second_denied.txt")...) {
		for name, pattern := range wrappers {
			if !fits(pattern, cmd) {
				continue
			}
			wrapped := wrap(pattern, cmd)
			if r := Analyze(wrapped, testContext()); decision(r.Class()) < 2 {
				t.Errorf("%s: %q is only %v", name, wrapped, r.Class())
			}
		}
	}
}

// TestTailsNeverTighten appends what changes nothing to ordinary work: the verdict may not get stricter.
func TestTailsNeverTighten(t *testing.T) {
	for _, cmd := range append(rows(t, "allowed.txt"), rows(t, "second_allowed.txt")...) {
		if strings.Contains(cmd, "<<") || strings.HasSuffix(cmd, "&") {
			continue // a here-document must end its line
		}
		for _, tail := range []string{" | cat", "; true", " 2>&1"} {
			if r := Analyze(cmd+tail, testContext()); decision(r.Class()) > 0 {
				t.Errorf("%q is %v: %+v", cmd+tail, r.Class(), r.Findings)
			}
		}
	}
}

// TestSplitVariables cuts refused commands in two and puts them together again by variables.
func TestSplitVariables(t *testing.T) {
	for _, cmd := range append(rows(t, "denied.txt"), rows(t, "second_denied.txt")...) {
		if strings.ContainsAny(cmd, "'\"\\`$\n;&|<>(){}*?[!#~") {
			continue
		}
		for i := 1; i < len(cmd); i += 1 + len(cmd)/8 {
			split := fmt.Sprintf("a=%s; b=%s; eval \"$a$b\"", quoteFor(cmd[:i]), quoteFor(cmd[i:]))
			if r := Analyze(split, testContext()); decision(r.Class()) < 2 {
				t.Errorf("%q is only %v", split, r.Class())
			}
		}
	}
}
