package catalogue

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rein/app/harness"
	"rein/app/settings"
	"rein/guard"
	"rein/kit/guards"
)

// Rule is a rule of the settings.
type Rule struct {
	Decision string // allow, ask, deny
	Rule     string // as it is written
	Layer    string // managed, user, project, local
	Source   string // file:line
	High     bool   // it also approves calls of high severity
	Why      string

	Match, NotMatch []string // its tests

	Here bool // it is the user's for this directory
	Mine bool // it is in a file of the user
}

// RulesIn returns rules as they hold in a directory.
func RulesIn(d settings.Dirs, root string, list []guards.Rule) (all []Rule) {
	here, mine := settings.ProjectFile(d, root), filepath.Join(d.Config, "settings.json")
	for _, r := range list {
		file := r.Source[:max(0, strings.LastIndexByte(r.Source, ':'))]
		all = append(all, Rule{r.Decision.String(), r.String(), r.Layer.String(), r.Source, r.Risk, r.Why, r.Match, r.NotMatch, file == here, file == here || file == mine})
	}
	return all
}

// about says where the rule holds from.
func (r Rule) about() string {
	if r.Here {
		return r.Layer + ", this project"
	}
	return r.Layer
}

// RuleList lists rules.
func RuleList(all []Rule) (list List) {
	for _, r := range all {
		text := fmt.Sprintf("calls that match %s: %s\nfrom the %s settings, %s\n", r.Rule, r.Decision, r.Layer, r.Source)
		if r.Why != "" {
			text += "because: " + r.Why + "\n"
		}
		for _, m := range r.Match {
			text += "covers:       " + m + "\n"
		}
		for _, m := range r.NotMatch {
			text += "does not cover: " + m + "\n"
		}
		list.Entries = append(list.Entries, Entry{ID: r.Rule, Name: fmt.Sprintf("%-5s  %s", r.Decision, r.Rule), About: r.about(), Text: text, Value: r,
			Fields: Fields("rule", r.Rule, "decision", r.Decision, "layer", r.Layer, "source", r.Source, "why", r.Why)})
	}
	return list
}

func (l Local) listRules() (List, error) {
	d, root, err := l.place()
	if err != nil {
		return List{}, err
	}
	all, warnings, err := harness.LoadRules(d, root)
	list := RuleList(RulesIn(d, root, all))
	for _, w := range warnings {
		list.Warnings = append(list.Warnings, w.String())
	}
	return list, err
}

func (l Local) doRule(ctx context.Context, r Request) (string, error) {
	d, root, err := l.place()
	if err != nil {
		return "", err
	}
	switch r.Verb {
	case "check":
		return checkRules(d, root)
	case "explain":
		place := JudgingPlace{Mode: r.Mode, Isolation: "full", Root: root}
		return Explain(ctx, d, place, "bash", r.Name, r.Allowed...)
	}
	files := []string{settings.ProjectFile(d, root), filepath.Join(d.Config, "settings.json")}
	if r.Everywhere {
		files = files[1:]
	}
	return removeRule(files, r.Name)
}

// checkRules checks the rules of all settings files that hold in a directory.
func checkRules(d settings.Dirs, root string) (string, error) {
	list, warnings, err := harness.LoadRules(d, root)
	if err != nil {
		return "", settings.Error{Err: err}
	}
	_, misspelled, err := settings.Load(d, root)
	if err != nil {
		return "", settings.Error{Err: err}
	}
	return Checked(list, warnings, misspelled), nil
}

// Checked reports what is wrong with rules: what was noticed when they were read, names of settings that there are not, and what the
// rules say in vain.
func Checked(list []guards.Rule, warnings []guards.RuleWarning, misspelled []string) string {
	for _, text := range misspelled {
		warnings = append(warnings, guards.RuleWarning{Text: text})
	}
	warnings = append(warnings, guards.LintRules(list, settings.ToolNames())...)
	out := ""
	for _, w := range warnings {
		out += w.String() + "\n"
	}
	return out + fmt.Sprintf("rules: %d, warnings: %d\n", len(list), len(warnings))
}

// Explain says what a call of a tool would do, which rules match it, and what is decided. Allowed are rules that a person allowed for a session.
func Explain(ctx context.Context, d settings.Dirs, at JudgingPlace, tool, call string, allowed ...string) (string, error) {
	c, err := at.Named(tool, call, settings.ToolNames())
	if none, ok := errors.AsType[noToolError](err); ok {
		return "", harness.Error{Kind: harness.Usage, Err: fmt.Errorf("%w%s", err, settings.DidYouMean(none.Tool, settings.ToolNames()))}
	}
	if err != nil {
		return "", err
	}
	g, _, err := harness.Guards(d, at.Root)
	if err != nil {
		return "", err
	}
	if err := JudgingGuards(g).Allow(allowed); err != nil {
		return "", err
	}
	x := JudgingGuards(g).Explain(ctx, c)
	var out strings.Builder
	for _, p := range x.Parts {
		fmt.Fprintf(&out, "part     %-14s %s\n", p.Class, p.Words)
	}
	for _, e := range x.Effects {
		fmt.Fprintf(&out, "effect   %s\n", e)
	}
	fmt.Fprintf(&out, "guards   %s\n", describeVerdict(x.Guards))
	if x.By != "" {
		fmt.Fprintf(&out, "verdict  allow, by the %s\n", x.By)
	} else {
		fmt.Fprintf(&out, "verdict  %s\n", x.Verdict.Decision)
	}
	if x.By == "" && onlyDeletes(x.Verdict, x.Effects, at.Root) && c.Mode >= guard.Supervised {
		fmt.Fprintln(&out, "note     a session runs it without a question where undo keeps all that it deletes")
	}
	if x.Held != nil {
		fmt.Fprintf(&out, "note     %s (%s) covers it only with \"risk\": \"high\"\n", x.Held, x.Held.Source)
	}
	for _, r := range x.Always {
		fmt.Fprintf(&out, "always   would add %q\n", r.String())
	}
	return out.String(), nil
}

// onlyDeletes reports whether a call is asked only because it deletes files of the workspace.
func onlyDeletes(v guard.Verdict, effects []string, root string) bool {
	return v.Decision == guard.Ask && slices.Equal(v.Rules, []string{"shell.delete"}) && !slices.ContainsFunc(effects, func(e string) bool {
		path, removes := strings.CutPrefix(e, "removes ")
		return removes && !strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
	})
}

func describeVerdict(v guard.Verdict) string {
	s := v.Decision.String()
	if v.Reason != "" {
		s += fmt.Sprintf(" (%s; %s): %s", v.Severity, strings.Join(v.Rules, ", "), guard.Printable(v.Reason))
	}
	if v.RuleAt != "" {
		s += " [" + v.RuleAt + "]"
	}
	return s
}

// NamedRule splits what names a rule that is to be removed: the rule, and before it perhaps what it decides.
func NamedRule(name string) (decisions []string, rule string) {
	decisions = []string{"allow", "ask", "deny"}
	if decision, rest, ok := strings.Cut(name, " "); ok && slices.Contains(decisions, decision) {
		return []string{decision}, strings.TrimSpace(rest)
	}
	return decisions, name
}

// removeRule takes a rule out of the first of the user's own files that has it.
func removeRule(files []string, name string) (string, error) {
	decisions, rule := NamedRule(name)
	for _, file := range files {
		for _, decision := range decisions {
			was, err := settings.RemoveFrom(file, "/permissions/"+decision, rule)
			if err != nil {
				return "", err
			}
			if was {
				said := fmt.Sprintf("removed: %s %s   from %s", decision, rule, file)
				if decision != "allow" { // open sessions stay as strict as they are
					said += "; it applies from the next session"
				}
				return said + "\n", nil
			}
		}
	}
	return "", inputError("your own settings have no rule %s; rules of a project are in its .rein/settings.json", name)
}
