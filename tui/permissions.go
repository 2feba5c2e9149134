package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/harness"
	"rein/harness/settings"
	"rein/harness/slash"
	"rein/tui/block"
	"rein/tui/full"
	"rein/tui/listing"
	"rein/tui/place"
	"rein/tui/text"
)

// permissions shows the rules of all settings, adds and removes rules of the user, and explains and simulates calls.
func (u *ui) permissions(args string) tea.Cmd {
	word, rest, _ := strings.Cut(args, " ")
	rest = strings.TrimSpace(rest)
	if u.o.Harness == nil {
		return u.list(listing.Rules(), listing.RuleArgs(word, rest, u.how().Mode)...)
	}
	switch word {
	case "":
		return u.showRules()
	case "allow", "ask", "deny":
		return u.addRule(word, rest)
	case "remove":
		return u.removeRule(rest)
	case "explain":
		return u.showRun("/permissions "+args, "rules", "explain", "--mode", u.how().Mode, "--", rest)
	}
	return u.showRun("/permissions "+args, append([]string{"rules"}, slash.Words(args)...)...)
}

// showRules lets the user look through the rules.
func (u *ui) showRules() tea.Cmd {
	rules, warnings, err := harness.LoadRules(u.o.Dirs, u.root())
	if err != nil {
		u.wrong(err)
		return nil
	}
	for _, w := range warnings {
		u.note(text.Warn, "! "+w.String())
	}
	rows := []full.Entry{{Name: "what no rule covers", About: block.Mode(u.how().Mode), Value: []string{"The mode decides: /mode. What is dangerous asks in every mode, and some calls are always denied.", "/permissions explain CALL shows what a call would do and who decides."}}}
	for _, r := range rules {
		lines := []string{fmt.Sprintf("calls that match %s: %s", r, r.Decision), "from the " + r.Layer.String() + " settings, " + place.Tilde(r.Source)}
		if r.Why != "" {
			lines = append(lines, "because: "+r.Why)
		}
		for _, m := range r.Match {
			lines = append(lines, "covers:       "+m)
		}
		for _, m := range r.NotMatch {
			lines = append(lines, "does not cover: "+m)
		}
		rows = append(rows, full.Entry{Name: fmt.Sprintf("%-5s  %s", r.Decision, r), About: r.Layer.String(), Value: lines})
	}
	p := newPicker("permissions", rows, func(u *ui, e full.Entry) tea.Cmd { u.editor.Set("/permissions explain "); return nil })
	p.Preview = func(e full.Entry, width int) (lines []text.Line) {
		for _, l := range e.Value.([]string) {
			lines = append(lines, text.Of(text.Plain, text.OneLine(l)).Wrap(width, text.Of(text.Plain, "  "))...)
		}
		return lines
	}
	p.Help = "Ctrl+E adds   Del removes   "
	p.other = map[string]func(*ui, full.Entry) tea.Cmd{
		"ctrl+e": func(u *ui, _ full.Entry) tea.Cmd { u.editor.Set("/permissions allow "); return nil },
		"delete": func(u *ui, e full.Entry) tea.Cmd {
			_, name, _ := strings.Cut(e.Name, "  ")
			u.confirm("remove the rule "+name, func(u *ui) tea.Cmd { return u.removeRule(name) })
			return nil
		},
	}
	u.open(p)
	return nil
}

// addRule adds a rule to the user's settings for this project, or for all with --everywhere.
func (u *ui) addRule(decision, rule string) tea.Cmd {
	file := u.o.Place.RuleFiles()[0]
	if rest, ok := strings.CutPrefix(rule, "--everywhere "); ok {
		rule, file = strings.TrimSpace(rest), u.o.Place.RuleFiles()[1]
	}
	if rule == "" {
		u.hint = "/permissions " + decision + " RULE, such as bash(go test:*); with --everywhere for all projects"
		return nil
	}
	if err := u.o.Place.KeepRules(u.ctx, decision, []string{rule}, file != u.o.Place.RuleFiles()[0]); err != nil {
		u.wrong(err)
		return nil
	}
	u.note(text.Dim, fmt.Sprintf("%s %s   in %s", decision, rule, place.Short(file)))
	if decision != "allow" {
		u.note(text.Dim, "it applies from the next session: /clear begins one")
	}
	return u.showRun("/permissions check", "rules", "check")
}

// removeRule takes a rule out of the user's own settings.
func (u *ui) removeRule(rule string) tea.Cmd {
	for _, file := range u.o.Place.RuleFiles() {
		for _, decision := range []string{"allow", "ask", "deny"} {
			was, err := settings.RemoveFrom(file, "/permissions/"+decision, rule)
			if err != nil {
				u.wrong(err)
				return nil
			}
			if was {
				u.note(text.Dim, fmt.Sprintf("removed: %s %s   from %s; it applies from the next session", decision, rule, place.Short(file)))
				return nil
			}
		}
	}
	u.hint = "your own settings have no rule " + text.OneLine(rule) + "; rules of a project are in its .rein/settings.json"
	return nil
}

// config lets the user open a file of settings in the editor.
func (u *ui) config(string) tea.Cmd {
	if u.o.Harness == nil {
		return u.showRun("/config, as the files on the server's machine have it", "settings", "list")
	}
	d, root := u.o.Dirs, u.root()
	var rows []full.Entry
	for _, f := range [][2]string{
		{filepath.Join(d.Config, "settings.json"), "yours, for all projects"}, {settings.ProjectFile(d, root), "yours, for this project"},
		{filepath.Join(root, ".rein", "settings.json"), "of the project; it can only tighten"}, {filepath.Join(root, ".rein", "settings.local.json"), "of the project, not shared"},
	} {
		rows = append(rows, full.Entry{Name: place.Short(f[0]), About: f[1], Value: f[0]})
	}
	p := newPicker("settings", rows, func(u *ui, e full.Entry) tea.Cmd { return u.editFile(e.Value.(string)) })
	p.Help = "(in your editor)   "
	p.Preview = func(e full.Entry, width int) (lines []text.Line) {
		for _, l := range place.FileLines(e.Value.(string)) {
			lines = append(lines, text.Of(text.Code, l).Cut(width))
		}
		return lines
	}
	u.open(p)
	return nil
}
