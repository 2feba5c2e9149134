package guards

import (
	"path/filepath"
	"slices"
	"strings"

	"rein/guard"

	"rein/kit/shell"
)

// OfferRules returns the rules that a lasting approval of the call would make: the fewest that cover exactly its kind, never the
// tool as a whole. No rules means that only an approval of this call is on offer: its severity is too high, or no rule can
// describe it.
func OfferRules(c guard.Case, v guard.Verdict, p Programs) []Rule {
	if v.Decision != guard.Ask || v.Severity > guard.Low || v.PersonOnly {
		return nil
	}
	switch {
	case c.Intent.Command != "":
		return offerCommand(c, p)
	case len(c.Intent.Hosts) > 0 && len(c.Intent.Writes) == 0:
		return offerEach(c.Call.Name, hostSpecs(c.Intent.Hosts))
	case len(c.Intent.Writes) > 0 && kindOf(c.Call.Name) == aboutWrites:
		return offerEach(c.Call.Name, pathSpecs(c, p, c.Intent.Writes))
	case len(c.Intent.Reads) > 0 && kindOf(c.Call.Name) == aboutReads:
		return offerEach(c.Call.Name, pathSpecs(c, p, c.Intent.Reads))
	case c.Intent.Unknown && kindOf(c.Call.Name) == aboutTool:
		return []Rule{{Tool: c.Call.Name, Spec: string(c.Call.Args), Layer: SessionLayer}}
	}
	return nil
}

const maxOffer = 5 // rules of one answer; a line that needs more is approved only once

func offerEach(toolName string, specs []string) []Rule {
	if len(specs) == 0 || len(specs) > maxOffer {
		return nil
	}
	var rules []Rule
	for _, s := range specs {
		rules = append(rules, Rule{Tool: toolName, Spec: s, Layer: SessionLayer})
	}
	return rules
}

// offerCommand makes a rule of each part of a line that asks.
func offerCommand(c guard.Case, p Programs) []Rule {
	report := p.Read(c)
	var specs []string
	for _, f := range report.Findings {
		d, severity := Decide(f.Class, c.Mode, c.Isolation)
		if d == guard.Allow {
			continue
		}
		part := report.PartOf(f)
		if severity > guard.Low || part == nil || !part.Literal || shell.Runs(part.Words) {
			return nil
		}
		spec, ok := wordSpec(part.Words)
		if !ok {
			return nil
		}
		if !slices.Contains(specs, spec) {
			specs = append(specs, spec)
		}
	}
	return offerEach("bash", specs)
}

// wordSpec spells a command for a rule: the whole of it, or program and sub-command with all that may follow where that only looks.
func wordSpec(words []string) (string, bool) {
	prefix, more := shell.Lasting(words)
	spelled := make([]string, len(prefix))
	for i, w := range prefix {
		switch {
		case strings.ContainsAny(w, "*()\n") || strings.Contains(w, "'") && strings.Contains(w, `"`):
			return "", false
		case strings.Contains(w, "'"):
			spelled[i] = `"` + w + `"`
		case w == "" || strings.ContainsAny(w, " \t\""):
			spelled[i] = "'" + w + "'"
		default:
			spelled[i] = w
		}
	}
	spec := strings.Join(spelled, " ")
	if more {
		spec += ":*"
	}
	return spec, true
}

func hostSpecs(hosts []string) []string {
	var specs []string
	for _, h := range hosts {
		specs = append(specs, "domain:"+strings.ToLower(h))
	}
	return specs
}

// pathSpecs spells paths for rules: relative to the workspace where they are in it.
func pathSpecs(c guard.Case, p Programs, names []string) []string {
	at := p.Here.Places(c)
	var specs []string
	for _, n := range names {
		if strings.ContainsAny(n, "*?[]\\") {
			return nil
		}
		abs := at.Abs(n)
		if rel, err := filepath.Rel(c.Root, abs); err == nil && !strings.HasPrefix(rel, "..") {
			specs = append(specs, "./"+rel)
		} else {
			specs = append(specs, "//"+strings.TrimPrefix(abs, "/"))
		}
	}
	return specs
}
