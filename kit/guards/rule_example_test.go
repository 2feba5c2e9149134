package guards_test

import (
	"context"
	"fmt"

	"rein/guard"
	"rein/kit/guards"
	"rein/tool"
)

// Rules of a settings file approve one command and deny another. What they do not name keeps its verdict.
func Example_rules() {
	list, warnings, err := guards.ParseRules(guards.User, "settings.json", "/work", []byte(`{"permissions":{
		"allow": ["bash(npm install:*)"],
		"deny":  ["bash(npm publish:*)"]
	}}`))
	if err != nil || len(warnings) > 0 {
		fmt.Println(err, warnings)
		return
	}
	here := guards.Here{Home: "/home/dev"}
	set := guards.New(guards.Options{Here: here, Rules: &guards.Rules{List: list, Programs: guards.Programs{Here: here}}})
	for _, command := range []string{"npm install left-pad", "npm publish", "npm login"} {
		v, answer := set.Decide(context.Background(), guard.Case{
			Call: tool.Call{Name: "bash"}, Effect: tool.Runs, Intent: tool.Intent{Command: command},
			Mode: guard.Supervised, Isolation: guard.FullIsolation, Root: "/work",
		})
		fmt.Printf("%s: %v, %v\n", command, v.Decision, answer)
	}
	// Output:
	// npm install left-pad: allow, approved by rule bash(npm install:*) (settings.json:2)
	// npm publish: deny, abstain
	// npm login: ask, abstain
}
