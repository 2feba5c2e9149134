package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rein/agent/budget"
	"rein/event"
	"rein/model"
	"rein/tool"
)

// Limits bound what the sessions of an agent spend, sub-agents included. A zero amount has no limits.
type Limits struct {
	Message budget.Amount // for one message of the user
	Session budget.Amount // for all messages of a session

	Depth  int // how deep sub-agents may start sub-agents; 0 is MaxDepth
	AtOnce int // sub-agents of one session that are at work at once, the others wait; 0 is DefaultAtOnce
	Wakes  int // reports of background sub-agents that wake the model for one message; 0 is DefaultWakes
}

// message are the limits of one message of the user.
func (a *Agent) message() budget.Amount {
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

// newAccount begins the account of a message of the user. That of a sub-agent is a part of its parent's.
func (s *Session) newAccount() {
	if s.parent != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.whole == nil {
		s.whole = budget.New("this session", s.agent.Limits.Session, s.o.Day)
	}
	s.account = budget.New("this message", s.agent.message(), s.whole)
}

// most is what the next request may cost, and how many tokens its answer may have where the budget has no more; 0: as many as
// the model wants.
func (w *work) most() (most budget.Amount, answerTokens int) {
	answer := usualAnswer
	if n := w.model().Info().MaxOutput; n > 0 {
		answer = min(answer, n)
	}
	input := int64(w.history.Tokens() * estimateOff / 10)
	most = budget.Amount{Tokens: input + int64(answer), USD: 2 * w.dearest, Requests: 1}
	if info := w.model().Info(); w.dearest == 0 { // the first request: no cost is known yet
		most.USD = (float64(input)*info.InputPrice + float64(answer)*info.OutputPrice) / 1e6
	}
	if left, bounded := w.account.Left(); bounded.Tokens > 0 && left.Tokens > input && left.Tokens < most.Tokens {
		most.Tokens = left.Tokens
		answerTokens = max(int(left.Tokens-input), leastAnswer)
	}
	return most, answerTokens
}

// take holds what something may cost. A limit that is reached ends the turn.
func (w *work) hold(most budget.Amount) error {
	err := w.account.Take(w.ctx, most)
	if full, ok := errors.AsType[*budget.Exceeded](err); ok {
		w.live(event.Notice, full.Error())
		return ended{event.Budget}
	}
	return err
}

// takeCalls counts calls that a tool makes.
func (w *work) takeCalls(ctx context.Context, n int) error {
	calls := budget.Amount{Calls: int64(n)}
	if err := w.account.Take(ctx, calls); err != nil {
		return &tool.Error{Kind: tool.Unsupported, Text: "The calls did not run: " + err.Error() + "."}
	}
	w.account.Spend(calls, calls)
	return nil
}

// paid counts what a request cost.
func (w *work) paid(held budget.Amount, u event.Usage) {
	w.dearest = max(w.dearest, u.Cost)
	w.count(held, budget.Amount{Tokens: u.Input + u.Output, USD: u.Cost, Requests: 1})
}

func (w *work) count(held, spent budget.Amount) {
	if warning := w.account.Spend(held, spent); warning != "" {
		w.live(event.Notice, warning)
	}
}

// reportDue reports whether the next request has to be the last one of the message: that it fits, but not another one. In the
// user's own session it is due too where it may pass the limit, because it is sent anyway.
func (w *work) reportDue() bool {
	left, bounded := w.account.Left()
	last := func(limited bool, left, least, most float64) bool { // a request takes between least and most
		return limited && left > 0 && (left >= most && left < 2*most || left < 2*least && w.parent == nil)
	}
	tokens := float64(w.history.Tokens())
	return w.asks > 0 && (last(bounded.Tokens > 0, float64(left.Tokens), tokens, tokens+reportRoom) ||
		last(bounded.Requests > 0, float64(left.Requests), 1, 1) ||
		last(bounded.USD > 0, left.USD, w.dearest, w.dearest) ||
		last(w.timeLeft > 0, float64(w.timeLeft-time.Since(w.began)), float64(w.slowest), float64(w.slowest)) ||
		bounded.Calls > 0 && left.Calls == 0)
}

// warnOfTime warns once when 80 % of the time are used. What else is spent is counted as it is spent: see count.
func (w *work) warnOfTime() {
	if used := time.Since(w.began); w.timeLeft > 0 && !w.warned && used >= w.timeLeft*8/10 {
		w.warned = true
		w.live(event.Notice, fmt.Sprintf("80 %% of the time for this message are used: %v of %v", used.Round(time.Second), w.timeLeft))
	}
}

// report asks the model what is done, with the rest of the budget, and ends the turn.
func (w *work) report() error {
	w.choice = "none"
	if err := w.keep(event.Event{Kind: event.Hinted, Text: reportText}, model.UserText(reportText)); err != nil {
		return err
	}
	if _, err := w.ask(); err != nil {
		return err
	}
	return ended{event.Budget}
}

// timed bounds the time of the turn. The function that it returns counts what the turn took.
func (w *work) timed() (done func()) {
	w.began = time.Now()
	cancel := context.CancelFunc(func() {})
	if left, bounded := w.account.Left(); w.parent == nil && bounded.Time > 0 {
		w.timeLeft = left.Time
		w.ctx, cancel = context.WithTimeoutCause(w.ctx, left.Time, &budget.Exceeded{Account: "this message", Kind: "seconds", Spent: left.Time.Seconds(), Most: left.Time.Seconds()})
	}
	return func() {
		cancel()
		if w.parent == nil {
			w.account.Spend(budget.Amount{}, budget.Amount{Time: time.Since(w.began)})
		}
	}
}

// Paid counts a request to a model that serves the session outside of its conversation, such as one of a hook. It counts in the
// budget of the user's message and of the session. Who makes the request records its Usage, in an event Reviewed or Audit, which
// Load counts. It may be called at any time.
func (s *Session) Paid(u event.Usage) {
	s.spend(u)
	s.accountNow().Count(budget.Amount{Tokens: u.Input + u.Output, USD: u.Cost, Requests: 1})
}

// counted counts what the journal says was spent.
func (p *past) counted(u event.Usage, requests int64) {
	p.spend(u)
	root := p.Session
	for root.parent != nil {
		root = root.parent
	}
	root.account.Count(budget.Amount{Tokens: u.Input + u.Output, USD: u.Cost, Requests: requests})
}

func (s *Session) accountNow() *budget.Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.account
}

func (s *Session) setAccount(a *budget.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.account = a
}
