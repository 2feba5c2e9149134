package guards

import (
	"fmt"
	"slices"
	"strings"

	"rein/guard"
	"rein/internal/plaintext"

	"rein/kit/shell"
)

// check runs the rule's own tests, and refuses what no rule may say.
func (r Rule) check() error {
	if r.Decision == guard.Allow && !r.Risk && r.Tool == "bash" && r.Spec != "" && openEnded(r.Spec) {
		if name := runnerLike(r.Spec); name != "" {
			return fmt.Errorf("%s would allow any program: %s fits, which runs what its arguments say (write the program's name out, or add \"risk\": \"high\")", r, name)
		}
		if words := splitWords(strings.TrimSuffix(strings.TrimSuffix(r.Spec, ":*"), " *")); shell.Runs(words) {
			return fmt.Errorf("%s would allow any program: %s runs what its arguments say (write out the whole command, or add \"risk\": \"high\")", r, strings.Join(words, " "))
		}
	}
	for _, example := range r.Match {
		if !r.about(example) {
			return fmt.Errorf("%s does not match its own example %q", r, example)
		}
	}
	for _, example := range r.NotMatch {
		if r.about(example) {
			return fmt.Errorf("%s matches %q, an example of its not_match", r, example)
		}
	}
	return nil
}

// runnerLike returns a program that runs others and that the name in a spec fits, where that name has a star in it.
func runnerLike(spec string) string {
	program, _, _ := strings.Cut(strings.TrimSuffix(spec, ":*"), " ")
	if !strings.Contains(program, "*") {
		return ""
	}
	for _, name := range []string{"bash", "sh", "zsh", "python", "python3", "node", "perl", "ruby", "php", "env", "sudo", "su", "xargs", "find",
		"awk", "make", "npx", "npm", "ssh", "docker", "git", "timeout", "nohup", "nice", "time", "eval", "exec"} {
		if matchStar(program, name) && shell.Runs([]string{name}) {
			return name
		}
	}
	return ""
}

func openEnded(spec string) bool { return strings.Contains(spec, "*") }

// about reports whether the rule covers an example: a command, a path, a host, or a tool's name.
func (r Rule) about(example string) bool {
	s := newSubject(r.example(example), Programs{Here: Here{Home: "/home/user"}})
	if r.Decision == guard.Allow {
		return r.permits(s)
	}
	return r.forbids(s)
}

// example is the case of a call that an example names, by what the rule is about.
func (r Rule) example(example string) guard.Case {
	c := guard.Case{Root: "/workspace", Mode: guard.Supervised, Isolation: guard.FullIsolation}
	c.Call.Name = r.Tool
	switch kindOf(r.Tool) {
	case aboutCommand:
		c.Intent.Command = example
	case aboutReads:
		c.Intent.Reads = []string{example}
	case aboutWrites:
		c.Intent.Writes = []string{example}
	case aboutHosts:
		c.Intent.Hosts = []string{hostOf(example)}
	default:
		c.Call.Name = example
	}
	return c
}

// hostOf takes the host out of a URL; a host stays as it is.
func hostOf(s string) string {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = s[i+1:]
	}
	return s
}

// Lint looks over all rules together: tools that do not exist, rules that can never decide, rules that say too much.
// tools are the names of the tools there are; nil means that they are not known.
func LintRules(rules []Rule, tools []string) []RuleWarning {
	var out []RuleWarning
	for i, r := range rules {
		if text := r.unknownTool(tools); text != "" {
			out = append(out, RuleWarning{r.Source, text})
			continue
		}
		if r.Decision == guard.Allow && r.Spec == "" && kindOf(r.Tool) != aboutReads && (r.Tool == "*" || kindOf(r.Tool) != aboutTool) {
			out = append(out, RuleWarning{r.Source, fmt.Sprintf("%s allows every call of the tool; say which, as in %s(%s)", r, r.Tool, sample(r.Tool))})
		}
		if why := r.idle(); why != "" {
			out = append(out, RuleWarning{r.Source, fmt.Sprintf("%s %s never decides: %s", r.Decision, r, why)})
		} else if other := shadowing(rules, i); other != nil {
			out = append(out, RuleWarning{r.Source, fmt.Sprintf("%s %s never decides: %s %s comes first", r.Decision, r, other.Decision, other.at())})
		}
	}
	return out
}

func (r Rule) unknownTool(tools []string) string {
	if tools == nil || r.Tool == "*" || strings.HasPrefix(r.Tool, "mcp__") {
		return ""
	}
	if slices.Contains(tools, r.Tool) {
		return ""
	}
	text := fmt.Sprintf("%s: there is no tool %q", r, r.Tool)
	if n := plaintext.NearestNames(r.Tool, tools); len(n) > 0 {
		text += fmt.Sprintf(" (did you mean %q?)", n[0])
	}
	return text
}

func sample(toolName string) string {
	switch kindOf(toolName) {
	case aboutCommand:
		return "git log:*"
	case aboutHosts:
		return "domain:example.com"
	}
	return "src/**"
}

// shadowing finds a rule that decides wherever the i-th could: a stricter one, or an equal one before it, that covers
// at least as much.
func shadowing(rules []Rule, i int) *Rule {
	r := rules[i]
	for j := range rules {
		o := &rules[j]
		if j == i || !o.names(r.Tool) || !o.covers(r) {
			continue
		}
		if o.Decision > r.Decision || o.Decision == r.Decision && j < i && o.Risk == r.Risk {
			return o
		}
	}
	return nil
}

// covers reports whether everything that the other rule is about falls under this one, by their spelling.
func (r Rule) covers(other Rule) bool {
	if r.Spec == "" || r.Spec == other.Spec {
		return true
	}
	if other.Spec == "" {
		return false
	}
	switch kindOf(r.Tool) {
	case aboutHosts:
		return r.host(strings.TrimPrefix(other.Spec, "domain:"))
	case aboutReads, aboutWrites:
		dir := strings.TrimSuffix(strings.TrimPrefix(r.Spec, "./"), "**")
		return strings.HasSuffix(dir, "/") && !strings.Contains(dir, "*") && strings.HasPrefix(strings.TrimPrefix(other.Spec, "./"), dir)
	case aboutTool:
		return false
	}
	mine, ok := strings.CutSuffix(r.Spec, ":*")
	if !ok {
		return false
	}
	theirs := strings.TrimSuffix(other.Spec, ":*")
	return theirs == mine || strings.HasPrefix(theirs, mine+" ")
}
