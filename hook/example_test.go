package hook_test

import (
	"context"
	"fmt"
	"strings"

	"rein/hook"
)

func Example() {
	set := hook.NewSet(hook.Hook{Name: "no pushes", Event: hook.PreToolUse, Match: func(tool string) bool { return tool == "bash" },
		Run: func(_ context.Context, in hook.Input) (hook.Output, error) {
			if strings.Contains(string(in.Args), "git push") {
				return hook.Output{Decision: hook.Deny, Reason: "open a pull request"}, nil
			}
			return hook.Output{}, nil
		}})
	o := set.Run(context.Background(), hook.Input{Event: hook.PreToolUse, Tool: "bash", Args: []byte(`{"command":"git push"}`)})
	fmt.Println(o.Decision, "by", o.By+":", o.Reason)
	// Output: deny by no pushes: open a pull request
}
