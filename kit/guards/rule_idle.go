package guards

import (
	"context"
	"strings"

	"rein/guard"
)

// idle explains why a rule can never decide anything by itself; "" where it can.
func (r Rule) idle() string {
	if r.Spec == "" {
		return ""
	}
	sample, exact := r.sample()
	switch kindOf(r.Tool) {
	case aboutCommand:
		if report := (Programs{}).Read(r.example(sample)); report.Simple == nil {
			return "it is not a simple command, and rules match those: one program and its words, without operators, redirections, variables and assignments"
		}
	case aboutHosts:
		if name, _ := hostPort(strings.TrimPrefix(sample, "domain:")); name == "" || strings.ContainsAny(strings.TrimPrefix(name, "*."), "/* ") {
			return "it names no host: write domain:example.com or domain:*.example.com"
		}
	case aboutTool:
		if !strings.HasPrefix(r.Spec, "{") && !strings.Contains(r.Spec, ":") {
			return "the parentheses of " + r.Tool + " contain one argument (name:value) or all its arguments as JSON; write " + r.Tool + " to cover every call"
		}
	}
	if r.Decision != guard.Allow || !exact {
		return ""
	}
	return r.outweighed(sample)
}

// sample is a call that the rule is about, in short. It is not exact where the rule is about paths or words that are not
// known.
func (r Rule) sample() (text string, exact bool) {
	if kindOf(r.Tool) != aboutCommand {
		return r.Spec, !strings.Contains(r.Spec, "*")
	}
	words := strings.TrimSuffix(strings.TrimSuffix(r.Spec, ":*"), " *")
	return strings.ReplaceAll(words, "*", "x"), !strings.Contains(words, "*")
}

// outweighed explains why an allow rule never decides: what it allows is denied in every mode, or its severity is too high.
func (r Rule) outweighed(sample string) string {
	if k := kindOf(r.Tool); k == aboutReads || k == aboutWrites {
		at := Here{Home: "/home/user"}.Places(r.example(""))
		sample = strings.Replace(r.pattern(subject{c: r.example(""), at: at}), "/**/", "/", 1)
	}
	c := r.example(sample)
	p := Programs{Here: Here{Home: "/home/user"}}
	switch v := (guard.All{Guards: []guard.Guard{Paths{Here: p.Here}, p}}).Judge(context.Background(), c); {
	case v.Decision == guard.Deny:
		return "no rule allows this (" + v.Reason + ")"
	case v.Severity > guard.Low && !r.Risk:
		return "it takes \"risk\": \"high\" to allow this (" + v.Reason + ")"
	}
	return ""
}
