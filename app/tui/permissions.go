package tui

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/app/catalogue"
	"rein/app/extend"
	"rein/app/settings"
	"rein/app/tui/block"
	"rein/app/tui/full"
	"rein/app/tui/text"
)

// permissions shows the rules of all settings, adds and removes rules of the user, and explains and simulates calls.
func permissions(u *ui, args string) tea.Cmd {
	word, rest, _ := strings.Cut(args, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "", "list":
		return showRules(u)
	case "add":
		return addRule(u, "allow", "")
	case "allow", "ask", "deny":
		return addRule(u, word, rest)
	case "remove":
		return removeRule(u, rest)
	case "explain":
		if rest == "" {
			u.hint = "/permissions explain CALL shows what a call would do and who decides."
			return nil
		}
		return explainCall(u, "/permissions "+args, rest)
	}
	return u.showRun("/permissions "+args, append([]string{"rules"}, extend.SplitArguments(args)...)...)
}

// explainCall shows what a call would do in this session, and who decides.
func explainCall(u *ui, title, call string) tea.Cmd {
	return withAllowed(u, func(u *ui, allowed []string) tea.Cmd {
		return u.do(title, catalogue.Request{Kind: catalogue.Rules, Verb: "explain", Name: call, Mode: u.how().Mode, Allowed: allowed})
	})
}

// withAllowed goes on with the rules that a person allowed for this session.
func withAllowed(u *ui, next func(u *ui, allowed []string) tea.Cmd) tea.Cmd {
	s, ctx := u.session, u.ctx
	return later(func() func(*ui) tea.Cmd {
		allowed, err := s.Allowed(ctx)
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.wrong(err)
			}
			return next(u, allowed)
		}
	})
}

// showRules lets the user look through the rules.
func showRules(u *ui) tea.Cmd {
	return withAllowed(u, func(u *ui, allowed []string) tea.Cmd {
		return u.pickEntry(catalogue.Rules, func(u *ui, list catalogue.List) { u.open(rulePicker(list, allowed, u.words, u.how().Mode)) })
	})
}

// ruleRow is a row of the rules.
type ruleRow struct {
	Rule string // with what it decides; "": no rule, but the mode
	Text []string
}

func rulePicker(list catalogue.List, allowed []string, words text.Words, mode string) *picker {
	rows := []full.Entry{{Name: words.Of("what no rule covers"), About: words.Of(block.Mode(mode)), Value: ruleRow{Text: []string{words.Of("The mode decides: /mode. What is dangerous asks in every mode, and some calls are always denied."), words.Of("/permissions explain CALL shows what a call would do and who decides.")}}}}
	for _, rule := range allowed {
		rows = append(rows, full.Entry{Name: "allow " + text.OneLine(rule), About: words.Of("this session"), Value: ruleRow{rule, []string{words.Of("You allowed it for this session. It ends with the session.")}}})
	}
	for _, e := range list.Entries {
		row := ruleRow{e.Field("decision") + " " + e.ID, strings.Split(strings.TrimSuffix(withTilde(e.Text), "\n"), "\n")}
		rows = append(rows, full.Entry{Name: text.OneLine(e.Name), About: e.About, Value: row})
	}
	p := newPicker("permissions", rows, func(u *ui, e full.Entry) tea.Cmd { u.line.Set("/permissions explain "); return nil })
	p.Preview = func(e full.Entry, width int) (lines []text.Line) {
		for _, l := range e.Value.(ruleRow).Text {
			lines = append(lines, text.Of(text.Plain, text.OneLine(l)).Wrap(width, text.Of(text.Plain, "  "))...)
		}
		return lines
	}
	p.Help = "Ctrl+E adds   Del removes   "
	p.other = map[string]func(*ui, full.Entry) tea.Cmd{
		"ctrl+e": func(u *ui, _ full.Entry) tea.Cmd { u.line.Set("/permissions allow "); return nil },
		"delete": func(u *ui, e full.Entry) tea.Cmd {
			rule := e.Value.(ruleRow).Rule
			if rule == "" {
				u.hint = "that is no rule: /mode changes what holds where there is none"
				return nil
			}
			confirm(u, u.words.Of("remove the rule %s", text.OneLine(rule)), func(u *ui) tea.Cmd { return removeRule(u, rule) })
			return nil
		},
	}
	return p
}

// addRule adds a rule to the user's settings for this project, or for all with --everywhere.
func addRule(u *ui, decision, rule string) tea.Cmd {
	rule, all := forAll(rule)
	file := u.o.Place.RuleFiles()[0]
	if all {
		file = u.o.Place.RuleFiles()[1]
	}
	if rule == "" {
		u.hint = u.words.Of("/permissions %s RULE, such as bash(go test:*); with --everywhere for all projects", decision)
		return nil
	}
	where, ctx := u.o.Place, u.ctx
	return later(func() func(*ui) tea.Cmd {
		err := where.KeepRules(ctx, decision, []string{rule}, all)
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.wrong(err)
				return nil
			}
			u.note(text.Dim, u.words.Of("%s %s   in %s", decision, rule, shortDir(file)))
			return u.do("/permissions check", catalogue.Request{Kind: catalogue.Rules, Verb: "check"})
		}
	})
}

// forAll takes --everywhere off the words about a rule, before it or after it.
func forAll(words string) (rule string, all bool) {
	rule, before := strings.CutPrefix(words, "--everywhere ")
	rule, after := strings.CutSuffix(rule, " --everywhere")
	return strings.TrimSpace(rule), before || after
}

// removeRule takes a rule out of what was allowed for this session, else out of the user's own settings: out of those for this project before
// those for all, or with --everywhere out of those only.
func removeRule(u *ui, words string) tea.Cmd {
	rule, everywhere := forAll(words)
	all, s, ctx := u.o.Catalogue, u.session, u.ctx
	return later(func() func(*ui) tea.Cmd {
		if decisions, _ := catalogue.NamedRule(rule); !everywhere && len(decisions) > 1 {
			if was, err := s.Disallow(ctx, rule); was || err != nil {
				return func(u *ui) tea.Cmd {
					if err != nil {
						u.wrong(err)
						return nil
					}
					u.note(text.Dim, u.words.Of("removed: %s   of this session", text.OneLine(rule)))
					return nil
				}
			}
		}
		removed, err := all.Do(ctx, catalogue.Request{Kind: catalogue.Rules, Verb: "remove", Name: rule, Everywhere: everywhere})
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.hint = text.OneLine(u.words.Command(err.Error()))
				return nil
			}
			u.note(text.Dim, withTilde(u.words.Command(strings.TrimSpace(removed))))
			return nil
		}
	})
}

// pickSettings lets the user open a file of settings in the editor.
func pickSettings(u *ui, _ string) tea.Cmd {
	if u.o.Place.Elsewhere() {
		return u.do("/config, as the files on the server's machine have it", catalogue.Request{Kind: catalogue.Settings, Verb: "list"})
	}
	d, root := u.o.Dirs, u.root()
	var rows []full.Entry
	for _, f := range [][2]string{
		{filepath.Join(d.Config, "settings.json"), "yours, for all projects"}, {settings.ProjectFile(d, root), "yours, for this project"},
		{filepath.Join(root, ".rein", "settings.json"), "of the project; it can only tighten"}, {filepath.Join(root, ".rein", "settings.local.json"), "of the project, not shared"},
	} {
		rows = append(rows, full.Entry{Name: shortDir(f[0]), About: u.words.Of(f[1]), Value: f[0]})
	}
	p := newPicker("settings", rows, func(u *ui, e full.Entry) tea.Cmd { return editFile(u, e.Value.(string)) })
	p.Help = "(in your editor)   "
	p.Preview = func(e full.Entry, width int) (lines []text.Line) {
		for _, l := range fileLines(u.words, e.Value.(string)) {
			lines = append(lines, text.Of(text.Code, l).Cut(width))
		}
		return lines
	}
	u.open(p)
	return nil
}
