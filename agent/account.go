package agent

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// Amount is something spent, or a limit of it. In a limit zero means that there is none.
type Amount struct {
	Tokens    int64         `json:"tokens,omitempty"` // in and out
	USD       float64       `json:"usd,omitempty"`
	Time      time.Duration `json:"time_ns,omitempty"` // while a session is at work
	Calls     int64         `json:"calls,omitempty"`
	Requests  int64         `json:"requests,omitempty"` // to models
	SubAgents int64         `json:"sub_agents,omitempty"`
}

// kinds are the fields of an Amount, in order.
type kinds [6]float64

var names = [len(kinds{})]string{"tokens", "US dollars", "seconds", "calls", "requests", "sub-agents"}

func (a Amount) kinds() kinds {
	return kinds{float64(a.Tokens), a.USD, a.Time.Seconds(), float64(a.Calls), float64(a.Requests), float64(a.SubAgents)}
}

func (k kinds) amount() Amount {
	return Amount{int64(k[0]), k[1], time.Duration(k[2] * float64(time.Second)), int64(k[3]), int64(k[4]), int64(k[5])}
}

// Account counts what is spent under one limit. Its methods may be called from many goroutines at once. A nil Account has no
// limits.
type Account struct {
	name   string // "this message"
	limit  kinds  // 0: none
	up     *Account
	shared bool // a part of up is held for it; it never passes its limit
	tree   *tree

	spent kinds
	held  kinds // by requests that are under way, and by parts of sub-agents
	part  kinds // what up still holds for it
	warns bool  // the warning was given

	ledger   Ledger // of the topmost account, where other processes spend from it too
	reserved []reservation
}

// tree is what the accounts of one session tree share.
type tree struct {
	mu      sync.Mutex
	changed chan struct{} // closed when something is released
}

// NewAccount makes an account. What is spent in it is spent in up too, which may be nil.
func NewAccount(name string, limit Amount, up *Account) *Account {
	a := &Account{name: name, limit: limit.kinds(), up: up, tree: &tree{changed: make(chan struct{})}}
	if up != nil {
		a.tree = up.tree
	}
	return a
}

// Share makes an account for a sub-agent: it gets an equal part of what is left where so many sub-agents and the account
// itself share it, and never more than limit. Close gives back the rest.
func (a *Account) Share(name string, limit Amount, subAgents int) *Account {
	child := NewAccount(name, limit, a)
	child.shared = true
	for d, n := range child.limit {
		if n < 0 { // see Assignment
			child.limit[d] = tiny
		}
	}
	if a == nil {
		return child
	}
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	for d := range child.limit {
		left, bounded := a.left(d)
		if !bounded || d == 2 { // time passes for all at once
			continue
		}
		part := left / float64(max(subAgents, 1)+1)
		if d != dollars {
			part = math.Floor(part) // sums of whole numbers are exact
		}
		if own := child.limit[d]; own > 0 {
			part = min(part, own)
		}
		child.limit[d], child.part[d] = max(part, tiny), part
		for up := a; up != nil; up = up.up {
			up.held[d] += part
		}
	}
	return child
}

const (
	dollars = 1    // the index of US dollars in kinds
	nothing = 1e-6 // what sums of fractions may leave: nobody holds so little
)

// tiny is a limit under which nothing can be spent; 0 would be none.
const tiny = 1e-9

// left returns what is left of a kind, in the account and above it; bounded is false where no limit holds.
func (a *Account) left(d int) (left float64, bounded bool) {
	for ; a != nil; a = a.up {
		if a.limit[d] > 0 {
			if n := max(a.limit[d]-a.used(d)-a.held[d], 0); !bounded || n < left {
				left, bounded = n, true
			}
		}
		if a.shared {
			break // what is above is held for it
		}
	}
	return left, bounded
}

func (a *Account) used(d int) float64 {
	if a.ledger != nil {
		return a.ledger.Spent().kinds()[d]
	}
	return a.spent[d]
}

// BudgetExceeded is the error of a limit that is reached.
type BudgetExceeded struct {
	Account     string // "this message", "this session", "today"
	Kind        string // "tokens", "US dollars", …
	Spent, Most float64
}

// Error says which limit is reached, and how much was spent.
func (e *BudgetExceeded) Error() string {
	return fmt.Sprintf("the budget for %s is used up: %s of %s %s", e.Account, number(e.Spent), number(e.Most), e.Kind)
}

func number(n float64) string {
	if n == float64(int64(n)) {
		return fmt.Sprintf("%d", int64(n))
	}
	return fmt.Sprintf("%.4g", n)
}

// Take holds what a request or a call may cost, until Spend. Where others hold so much that it may not fit, Take waits for
// them. The account of the user's message may pass a limit with its last request; that of a sub-agent may not. The error is
// *Exceeded, or that of the context.
func (a *Account) Take(ctx context.Context, most Amount) error {
	if a == nil {
		return nil
	}
	want := most.kinds()
	for {
		a.tree.mu.Lock()
		wait, err := a.fits(want)
		if err == nil && !wait {
			a.hold(want, 1)
		}
		changed := a.tree.changed
		a.tree.mu.Unlock()
		if err != nil {
			return err
		}
		if !wait {
			return a.reserve(ctx, most)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// fits reports whether something may be taken, or has to wait.
func (a *Account) fits(want kinds) (wait bool, err error) {
	for ; a != nil; a = a.up {
		for d, limit := range a.limit {
			if limit <= 0 || want[d] <= 0 {
				continue
			}
			used := a.used(d)
			switch over := used+a.held[d]+want[d] > limit; {
			case used >= limit, over && (a.shared || d >= 3):
				if over && a.held[d] > nothing && used+want[d] <= limit {
					wait = true
					continue
				}
				return false, &BudgetExceeded{a.name, names[d], used, limit}
			case over && a.held[d] > nothing:
				wait = true
			}
		}
		if a.shared {
			break
		}
	}
	return wait, nil
}

// hold adds to what is held, in the account and above it.
func (a *Account) hold(want kinds, sign float64) {
	for ; a != nil; a = a.up {
		for d := range want {
			a.held[d] = max(a.held[d]+sign*want[d], 0)
		}
		if a.shared {
			break
		}
	}
}

// Spend counts what was spent, and releases what Take held for it. warning is not empty when 80 % of a limit are reached for
// the first time.
func (a *Account) Spend(held, spent Amount) (warning string) {
	if a == nil {
		return ""
	}
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	a.hold(held.kinds(), -1)
	k := spent.kinds()
	for at := a; at != nil; at = at.up {
		for d := range k {
			at.spent[d] += k[d]
			if at.shared && at.up != nil {
				used := min(k[d], at.part[d])
				at.part[d] -= used
				for up := at.up; up != nil; up = up.up {
					up.held[d] = max(up.held[d]-used, 0)
				}
			}
		}
		if at.ledger != nil {
			at.ledger.Done(at.reservation(held), spent)
		}
		if warning == "" {
			warning = at.warning()
		}
	}
	a.tree.wake()
	return warning
}

// wake lets those try again that wait. The caller holds mu.
func (t *tree) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// Count counts what was spent earlier: it warns nobody, and is not recorded again.
func (a *Account) Count(spent Amount) {
	if a == nil {
		return
	}
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	for at := a; at != nil && at.ledger == nil; at = at.up {
		for d, n := range spent.kinds() {
			at.spent[d] += n
		}
	}
}

// warnAt is the part of a limit at which the user is warned.
const warnAt = 0.8

func (a *Account) warning() string {
	if a.warns || a.shared {
		return ""
	}
	for d, limit := range a.limit {
		if used := a.used(d); limit > 0 && used >= warnAt*limit {
			a.warns = true
			return fmt.Sprintf("%.0f %% of the budget for %s are used: %s of %s %s", 100*used/limit, a.name, number(used), number(limit), names[d])
		}
	}
	return ""
}

// Close gives back what a sub-agent has not spent.
func (a *Account) Close() {
	if a == nil || !a.shared {
		return
	}
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	for d, n := range a.part {
		for up := a.up; up != nil; up = up.up {
			up.held[d] = max(up.held[d]-n, 0)
		}
	}
	a.part = kinds{}
	a.tree.wake()
}

// Left returns what is left, and which kinds have a limit at all: the others are zero in bounded.
func (a *Account) Left() (left, bounded Amount) {
	if a == nil {
		return left, bounded
	}
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	var l, b kinds
	for d := range l {
		n, ok := a.left(d)
		if ok {
			l[d], b[d] = n, 1
		}
	}
	return l.amount(), b.amount()
}

// Spent returns what was spent so far.
func (a *Account) Spent() Amount {
	if a == nil {
		return Amount{}
	}
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	return a.spent.amount()
}
