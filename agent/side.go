package agent

import (
	"context"
	"errors"

	"rein/agent/budget"
	"rein/event"
	"rein/model"
)

// Side asks the model of the session for something that is no part of the conversation, such as a request of a tool server. It
// counts in the usage and in the budget of the message and the session. It may be called while the session is at work, and not
// before its first message. The caller records the usage, as an event of the kind Audit.
func (s *Session) Side(ctx context.Context, r *model.Request) (answer model.Chunk, used event.Usage, err error) {
	account, m := s.spent.account(), s.Agent().Model
	if account == nil {
		return answer, used, errors.New("the session has not begun")
	}
	input := len(r.System)
	for _, msg := range r.Messages {
		input += len(msg.Text())
	}
	most := budget.Amount{Tokens: int64(input/2 + r.MaxTokens), Requests: 1} // a token has two bytes and more
	if left, bounded := account.Left(); bounded.Tokens > 0 && left.Tokens < most.Tokens {
		return answer, used, errors.New("the budget has no room for it")
	}
	if err := account.Take(ctx, most); err != nil {
		return answer, used, err
	}
	answer, err = model.Ask(ctx, m, r)
	used = answer.Usage
	account.Spend(most, budget.Amount{Tokens: used.Input + used.Output, USD: used.Cost, Requests: 1})
	s.spend(used)
	return answer, used, err
}
