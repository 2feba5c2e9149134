package guard_test

import (
	"context"
	"fmt"

	"rein/guard"
	"rein/tool"
)

// A guard of one's own is a function. It can only make the verdict stricter.
func ExampleFunc() {
	office := guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		for _, host := range c.Intent.Hosts {
			if host == "payroll.example.com" {
				return guard.Verdict{Decision: guard.Deny, Guard: "office", Rules: []string{"office.payroll"}, Reason: "payroll is not for agents"}
			}
		}
		return guard.Verdict{}
	})
	set := guard.All{Guards: []guard.Guard{office}}
	v := set.Judge(context.Background(), guard.Case{
		Call: tool.Call{Name: "web_fetch"}, Effect: tool.Reaches, Intent: tool.Intent{Hosts: []string{"payroll.example.com"}},
		Mode: guard.Full, Root: "/work",
	})
	fmt.Println(v.Decision, v.Rules, v.Reason)
	// Output: deny [office.payroll] payroll is not for agents
}
