package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// Limits bound what the sessions of an agent spend, sub-agents included. A zero amount has no limits.
type Limits struct {
	Message Amount // for one message of the user
	Session Amount // for all messages of a session

	Depth  int // how deep sub-agents may start sub-agents; 0 is MaxDepth
	AtOnce int // sub-agents of one session that are at work at once, the others wait; 0 is DefaultAtOnce
	Wakes  int // reports of background sub-agents that wake the model for one message; 0 is DefaultWakes
}

// message are the limits of one message of the user.
func (a *Agent) message() Amount {
	limit := a.Limits.Message
	if a.Budget > 0 && (limit.Tokens == 0 || a.Budget < limit.Tokens) {
		limit.Tokens = a.Budget
	}
	return limit
}

// What a request may take beyond what is known of it.
const (
	usualAnswer = 8_000 // tokens, where the model has no smaller limit
	estimateOff = 14    // tenths: an estimate may be 40 % too small
	leastAnswer = 256   // tokens
	reportRoom  = 1_500 // tokens of a report when the budget ends
)

const reportText = "The budget for this task is nearly used up: this is your last answer. Call nothing. Report briefly what is done, what is not, and what the next step is."

// spending is what a session has used, and the accounts in which that counts. Its methods may be called at any time.
type spending struct {
	mu      sync.Mutex
	usage   event.Usage
	message *Account // of the last message of the user, or the part of a sub-agent
	session *Account // nil in a sub-agent's session
}

func (s *spending) total() event.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage
}

func (s *spending) add(u event.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usage = s.usage.Plus(u)
}

func (s *spending) account() *Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.message
}

func (s *spending) setAccount(a *Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.message = a
}

// meter measures a run, to know whether another request fits into what is left.
type meter struct {
	began     time.Time
	timeLeft  time.Duration // that the budget left the run when it began; 0 is no limit
	warned    bool          // of the time
	slowest   time.Duration // the longest that a request took
	costliest float64       // the most that a request cost, in US dollars
}

// openAccount begins the account of a message of the user. That of a sub-agent is a part of its parent's.
func (s *Session) openAccount() {
	if s.options.isSubAgent() && (s.parent == nil || s.options.Elsewhere != nil) { // its steps are done here
		s.spent.setAccount((*Account)(nil).Share("the sub-agent "+s.options.Agent, s.agent.message(), 0))
		return
	}
	if s.parent != nil {
		return
	}
	if s.spent.session == nil {
		s.spent.session = NewAccount("this session", s.agent.Limits.Session, s.options.Day)
	}
	s.spent.setAccount(NewAccount("this message", s.agent.message(), s.spent.session))
}

// estimate is what the next request may cost, and how many tokens its answer may have where the budget has no more; 0: as many as
// the model wants.
func (r *run) estimate() (most Amount, answerTokens int) {
	answer := usualAnswer
	if n := r.model().Info().MaxOutput; n > 0 {
		answer = min(answer, n)
	}
	input := int64(r.history.Tokens() * estimateOff / 10)
	most = Amount{Tokens: input + int64(answer), USD: 2 * r.meter.costliest, Requests: 1}
	if info := r.model().Info(); r.meter.costliest == 0 { // the first request: no cost is known yet
		most.USD = (float64(input)*info.InputPrice + float64(answer)*info.OutputPrice) / 1e6
	}
	if left, bounded := r.spent.account().Left(); bounded.Tokens > 0 && left.Tokens > input && left.Tokens < most.Tokens {
		most.Tokens = left.Tokens
		answerTokens = max(int(left.Tokens-input), leastAnswer)
	}
	return most, answerTokens
}

// reserve holds what something may cost. A limit that is reached ends the run.
func (r *run) reserve(most Amount) error {
	err := r.spent.account().Take(r.ctx, most)
	if full, ok := errors.AsType[*BudgetExceeded](err); ok {
		r.notice(full.Error())
		return ended{event.Budget}
	}
	return err
}

// takeCalls counts calls that a tool makes.
func (r *run) takeCalls(ctx context.Context, n int) error {
	calls := Amount{Calls: int64(n)}
	if err := r.spent.account().Take(ctx, calls); err != nil {
		return &tool.Error{Kind: tool.Unsupported, Text: "The calls did not run: " + err.Error() + "."}
	}
	r.spent.account().Spend(calls, calls)
	return nil
}

// cost is what requests of that usage count in a budget.
func cost(u event.Usage, requests int64) Amount {
	return Amount{Tokens: u.Input + u.Output, USD: u.Cost, Requests: requests}
}

// countRequest counts what a request cost.
func (r *run) countRequest(held Amount, u event.Usage) {
	r.meter.costliest = max(r.meter.costliest, u.Cost)
	r.countSpent(held, cost(u, 1))
}

func (r *run) countSpent(held, spent Amount) {
	if warning := r.spent.account().Spend(held, spent); warning != "" {
		r.notice(warning)
	}
}

// finalReportDue reports whether the next request has to be the last one of the message: that it fits, but not another one. In the
// user's own session it is due too where it may pass the limit, because it is sent anyway.
func (r *run) finalReportDue() bool {
	left, bounded := r.spent.account().Left()
	last := func(limited bool, left, least, most float64) bool { // a request takes between least and most
		return limited && left > 0 && (left >= most && left < 2*most || left < 2*least && !r.options.isSubAgent())
	}
	tokens := float64(r.history.Tokens())
	return r.requests > 0 && (last(bounded.Tokens > 0, float64(left.Tokens), tokens, tokens+reportRoom) ||
		last(bounded.Requests > 0, float64(left.Requests), 1, 1) ||
		last(bounded.USD > 0, left.USD, r.meter.costliest, r.meter.costliest) ||
		last(r.meter.timeLeft > 0, float64(r.meter.timeLeft-time.Since(r.meter.began)), float64(r.meter.slowest), float64(r.meter.slowest)) ||
		bounded.Calls > 0 && left.Calls == 0)
}

// warnOfTime warns once when 80 % of the time are used. What else is spent is counted as it is spent: see countSpent.
func (r *run) warnOfTime() {
	if used := time.Since(r.meter.began); r.meter.timeLeft > 0 && !r.meter.warned && used >= r.meter.timeLeft*8/10 {
		r.meter.warned = true
		r.notice(fmt.Sprintf("80 %% of the time for this message are used: %v of %v", used.Round(time.Second), r.meter.timeLeft))
	}
}

// finalReport asks the model what is done, with the rest of the budget, and ends the run.
func (r *run) finalReport() error {
	r.choice = "none"
	if err := r.tell(reportText); err != nil {
		return err
	}
	if _, err := r.request(); err != nil {
		return err
	}
	return ended{event.Budget}
}

// timed bounds the time of the run. The function that it returns counts what the run took.
func (r *run) timed() (done func()) {
	r.meter.began = time.Now()
	cancel := context.CancelFunc(func() {})
	if left, bounded := r.spent.account().Left(); !r.options.isSubAgent() && bounded.Time > 0 {
		r.meter.timeLeft = left.Time
		r.ctx, cancel = context.WithTimeoutCause(r.ctx, left.Time, &BudgetExceeded{Account: "this message", Kind: "seconds", Spent: left.Time.Seconds(), Most: left.Time.Seconds()})
	}
	return func() {
		cancel()
		if !r.options.isSubAgent() {
			r.spent.account().Spend(Amount{}, Amount{Time: time.Since(r.meter.began)})
		}
	}
}

// Paid counts a request to a model that serves the session outside of its conversation, such as one of a hook. It counts in the
// budget of the user's message and of the session. Who makes the request records its Usage, in an event Reviewed or Audit, which
// Load counts. It may be called at any time.
func (s *Session) Paid(u event.Usage) {
	s.spend(u)
	s.spent.account().Count(cost(u, 1))
}

// counted counts what the journal says was spent.
func (p *past) counted(u event.Usage, requests int64) {
	p.spend(u)
	root(p.Session).spent.account().Count(cost(u, requests))
}

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
	most := Amount{Tokens: int64(input/2 + r.MaxTokens), Requests: 1} // a token has two bytes and more
	if left, bounded := account.Left(); bounded.Tokens > 0 && left.Tokens < most.Tokens {
		return answer, used, errors.New("the budget has no room for it")
	}
	if err := account.Take(ctx, most); err != nil {
		return answer, used, err
	}
	answer, err = model.Ask(ctx, m, r)
	used = answer.Usage
	account.Spend(most, cost(used, 1))
	s.spend(used)
	return answer, used, err
}
