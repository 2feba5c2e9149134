package guards_test

import (
	"context"
	"fmt"

	"rein/guard"
	"rein/kit/guards"
	"rein/tool"
)

// The full set of guards judges three commands in supervised mode. An allow rule approves one that asks.
func Example() {
	list, _, err := guards.ParseRules(guards.User, "settings.json", "/home/dev/project", []byte(`{"permissions":{"allow":["bash(npm install:*)"]}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	here := guards.Here{Home: "/home/dev", User: "dev"}
	set := guards.New(guards.Options{Here: here, Rules: &guards.Rules{List: list, Programs: guards.Programs{Here: here}}})
	for _, command := range []string{"git log | head", "npm install left-pad", "rm -rf ~"} {
		v, answer := set.Decide(context.Background(), guard.Case{
			Call:   tool.Call{ID: "1", Name: "bash"},
			Effect: tool.Reads | tool.Writes | tool.Runs,
			Intent: tool.Intent{Command: command},
			Mode:   guard.Supervised, Isolation: guard.FullIsolation, Root: "/home/dev/project",
		})
		fmt.Printf("%s: %v\n", command, v.Decision)
		if v.Reason != "" {
			fmt.Println("  because", v.Reason)
		}
		if answer.Choice == guard.Approved {
			fmt.Println(" ", answer)
		}
	}
	// Output:
	// git log | head: allow
	// npm install left-pad: allow
	//   because npm: downloads and runs other people's packages
	//   approved by rule bash(npm install:*) (settings.json:1)
	// rm -rf ~: deny
	//   because rm: removes /home/dev with all that is in it
}

// An approval request is data; a user interface shows it as it likes.
func ExampleDescribeRequest() {
	set := guards.New(guards.Options{Here: guards.Here{Home: "/home/dev"}})
	c := guard.Case{
		Call: tool.Call{ID: "1", Name: "bash"}, Intent: tool.Intent{Command: "git status && curl -O https://example.com/a.tgz"},
		Mode: guard.Supervised, Isolation: guard.FullIsolation, Root: "/home/dev/project",
	}
	r := guards.DescribeRequest(c, set.Judge(context.Background(), c), set.Programs, guards.Change{})
	for _, contact := range r.Contacts {
		fmt.Println("would open", contact.Host, contact.Port, contact.Path)
	}
	for _, line := range r.Lines() {
		fmt.Println(line)
	}
	// Output:
	// would open example.com 443 /a.tgz
	// bash
	//   git status && curl -O https://example.com/a.tgz
	//                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
	//   writes   /home/dev/project/a.tgz
	//   runs     git, curl
	//   contacts example.com:443/a.tgz
	//   because  curl: contacts example.com
}
