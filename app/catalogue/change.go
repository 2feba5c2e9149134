package catalogue

import (
	"errors"
	"path/filepath"

	"rein/app/settings"
	"rein/kit/guards"
)

// RuleError is the error for a rule that cannot be kept.
type RuleError struct{ Err error }

// Error returns the text of the fault.
func (e RuleError) Error() string { return e.Err.Error() }

// Unwrap gives the fault.
func (e RuleError) Unwrap() error { return e.Err }

// ChangeRule adds a rule to the user's settings, or takes it away: for one workspace, or for all. It makes the checks of "rein rules
// check" before it writes, and returns the warnings about the file's rules that the change brings. check only looks. A rule that would
// stop the next start, or that says nothing, fails with a RuleError; was reports whether a removed rule was there.
func ChangeRule(d settings.Dirs, root string, c RuleChange) (warnings []guards.RuleWarning, was bool, err error) {
	file := filepath.Join(d.Config, "settings.json")
	if c.Here {
		file = settings.ProjectFile(d, root)
	}
	list := "/permissions/" + c.Decision
	if c.Decision != "allow" && c.Decision != "ask" && c.Decision != "deny" {
		return nil, false, RuleError{errors.New("a decision is allow, ask or deny")}
	}
	e, err := settings.OpenEdit(file)
	if err != nil {
		return nil, false, settings.Error{Err: err}
	}
	if c.Remove {
		if was, err = e.Remove(list, c.is); err != nil || !was {
			return nil, false, err
		}
	} else if err := e.Add(list, c.WrittenRule); err != nil {
		return nil, false, err
	}
	all, warnings, err := guards.ParseRules(guards.User, file, root, e.Text())
	if err != nil {
		return nil, was, RuleError{err}
	}
	warnings = append(warnings, guards.LintRules(all, settings.ToolNames())...)
	if c.Check {
		return warnings, was, nil
	}
	return warnings, was, e.Write()
}

// RuleChange is a rule to add to the user's settings, or to take away.
type RuleChange struct {
	Decision string // allow, ask, deny
	guards.WrittenRule
	Here   bool // for this workspace only
	Remove bool
	Check  bool // write nothing
}

// is reports whether a rule of a file is the one, however it is spelled.
func (c RuleChange) is(text string) bool {
	r, err := guards.ParseRule(text)
	return text == c.Rule || err == nil && r.String() == c.Rule
}
