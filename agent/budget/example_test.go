package budget_test

import (
	"context"
	"fmt"

	"rein/agent/budget"
)

// What a sub-agent spends counts in its own budget and in that of the session that started it.
func Example() {
	session := budget.New("session", budget.Amount{Tokens: 1000}, nil)
	sub := budget.New("sub-agent", budget.Amount{Tokens: 800}, session)
	sub.Count(budget.Amount{Tokens: 700})
	session.Count(budget.Amount{Tokens: 300})
	fmt.Println(session.Spent().Tokens)
	fmt.Println(sub.Take(context.Background(), budget.Amount{Tokens: 50}))
	// Output:
	// 1000
	// the budget for session is used up: 1000 of 1000 tokens
}
