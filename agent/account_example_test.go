package agent_test

import (
	"context"
	"fmt"

	"rein/agent"
)

// What a sub-agent spends counts in its own budget and in that of the session that started it.
func Example() {
	session := agent.NewAccount("session", agent.Amount{Tokens: 1000}, nil)
	sub := agent.NewAccount("sub-agent", agent.Amount{Tokens: 800}, session)
	sub.Count(agent.Amount{Tokens: 700})
	session.Count(agent.Amount{Tokens: 300})
	fmt.Println(session.Spent().Tokens)
	fmt.Println(sub.Take(context.Background(), agent.Amount{Tokens: 50}))
	// Output:
	// 1000
	// the budget for session is used up: 1000 of 1000 tokens
}
