package guards_test

import (
	"context"
	"testing"

	"rein/guard"
	"rein/kit/guards"
	"rein/kit/guardtest"
	"rein/tool"
)

// TestEveryGuardPassesTheSuite runs the conformance suite against each of our guards and against the standard set. Guards
// that remember have seen a session before.
func TestEveryGuardPassesTheSuite(t *testing.T) {
	here := guards.Here{Home: "/home/dev", User: "dev"}
	programs := guards.Programs{Here: here}
	confined := []string{"read_file", "write_file", "bash"}
	rules := func(t *testing.T) *guards.Rules {
		list, warnings, err := guards.ParseRules(guards.User, "settings.json", "/work",
			[]byte(`{"permissions":{"allow":["bash(ls:*)","read_file(/a/**)"],"ask":["web_fetch(domain:example.com)"],"deny":["bash(rm:*)","edit_file(*.lock)"]}}`))
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		return &guards.Rules{List: list, Programs: programs}
	}
	for name, open := range map[string]func(*testing.T) guard.Guard{
		"Paths":          func(*testing.T) guard.Guard { return guards.Paths{Here: here, Plan: "PLAN.md"} },
		"Reach":          func(*testing.T) guard.Guard { return guards.Reach{Here: here, Confined: confined} },
		"Programs":       func(*testing.T) guard.Guard { return programs },
		"NewPrograms":    func(*testing.T) guard.Guard { return guards.NewPrograms(here) },
		"Hosts":          func(*testing.T) guard.Guard { return guards.Hosts{} },
		"Unknown":        func(*testing.T) guard.Guard { return guards.Unknown{} },
		"AccessRequests": func(*testing.T) guard.Guard { return guards.AccessRequests{Here: here} },
		"Questions":      func(*testing.T) guard.Guard { return guards.Questions{} },
		"History":        func(*testing.T) guard.Guard { return &guards.History{Programs: programs} },
		"Unenforced":     func(*testing.T) guard.Guard { return guard.Func(guards.Unenforced) },
		"Limits": func(*testing.T) guard.Guard {
			return guards.RuleLimits{Whose: "it", Only: []string{"bash(a:*)"}, Deny: []string{"web_fetch"}, Ask: []string{"edit_file"}}
		},
		"Secrets":  func(*testing.T) guard.Guard { return guards.Secrets{Programs: programs} },
		"Unsaved":  func(*testing.T) guard.Guard { return guards.Unsaved{Programs: programs} },
		"Loops":    func(*testing.T) guard.Guard { return remembering(&guards.Loops{}) },
		"Refusals": func(*testing.T) guard.Guard { return remembering(&guards.Refusals{Programs: programs}) },
		"Taint":    func(*testing.T) guard.Guard { return remembering(&guards.Taint{Programs: programs}) },
		"Rate":     func(*testing.T) guard.Guard { return &guards.Rate{PerHour: 1, PerSession: 5} },
		"Rules":    func(t *testing.T) guard.Guard { return rules(t) },
		"All without guards": func(*testing.T) guard.Guard {
			return guard.All{}
		},
		"All": func(*testing.T) guard.Guard {
			return guard.All{Guards: []guard.Guard{guard.Func(func(context.Context, guard.Case) guard.Verdict { panic("broken") })}}
		},
		"Standard": func(t *testing.T) guard.Guard {
			return remembering(guards.New(guards.Options{Here: here, Confined: confined, Rules: rules(t), Rate: &guards.Rate{PerHour: 50}}))
		},
	} {
		t.Run(name, func(t *testing.T) { guardtest.Run(t, open) })
	}
}

type rememberingGuard interface {
	guard.Guard
	guard.Observer
}

// remembering shows a guard a session: an untrusted page and private data were read, calls were refused and repeated.
func remembering(g rememberingGuard) guard.Guard {
	for i, c := range guardtest.Cases() {
		c.Session, c.Mode = "s", guard.Supervised
		if i%20 == 0 {
			g.Refused(c, guard.Answer{By: guard.ByPerson("")})
		}
		if i > 8 {
			continue
		}
		for range 5 {
			g.Ran(c, tool.Result{Text: "same"})
		}
	}
	page := guard.Case{Session: "s", Call: tool.Call{ID: "p", Name: "web_fetch"}, Intent: tool.Intent{Hosts: []string{"example.com"}}}
	key := guard.Case{Session: "s", Call: tool.Call{ID: "k", Name: "read_file"}, Root: "/work", Intent: tool.Intent{Reads: []string{".env"}}}
	g.Ran(page, tool.Result{})
	g.Ran(key, tool.Result{})
	return g
}
