package agent

import (
	"context"
	"slices"
	"time"
)

// Ledger counts what several processes spend under one limit. Its methods may be called from many goroutines at once.
type Ledger interface {
	// Spent returns what all have spent, this process included. What a process held when it was killed counts as spent.
	Spent() Amount
	// Hold notes what something may cost. It returns the id of the note; "" when it could not be written.
	Hold(most Amount) (id string)
	// Before returns what all have spent, and what those hold whose notes came before this one.
	Before(id string) (spent, held Amount)
	// Done notes what was spent, and takes the note of a hold back; "" is none.
	Done(id string, spent Amount)
}

// NewSharedAccount makes an account that other processes spend from too.
func NewSharedAccount(name string, limit Amount, l Ledger) *Account {
	a := NewAccount(name, limit, nil)
	a.ledger = l
	return a
}

// reservation is a note in the ledger.
type reservation struct {
	held Amount
	id   string
}

// retry is how often an account looks whether other processes have given back what they held.
const retry = 100 * time.Millisecond

// reserve holds in the ledger what Take holds in the accounts. Where the earlier notes of others hold so much that it may not fit,
// it waits for them. So all processes together pass a limit by one request at most.
func (a *Account) reserve(ctx context.Context, most Amount) error {
	top := a
	for top.up != nil {
		top = top.up
	}
	want := most.kinds()
	if top.ledger == nil || !top.bounds(want) {
		return nil
	}
	id := top.ledger.Hold(most)
	for {
		spent, held := top.ledger.Before(id)
		wait, err := top.fitsAfter(want, spent.kinds(), held.kinds())
		if err == nil && wait {
			select {
			case <-time.After(retry):
				continue
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
		}
		a.tree.mu.Lock()
		defer a.tree.mu.Unlock()
		if err == nil {
			top.reserved = append(top.reserved, reservation{most, id})
			return nil
		}
		top.ledger.Done(id, Amount{})
		a.hold(want, -1)
		a.tree.wake()
		return err
	}
}

// bounds reports whether the account has a limit for something that is wanted.
func (a *Account) bounds(want kinds) bool {
	for d, limit := range a.limit {
		if limit > 0 && want[d] > 0 {
			return true
		}
	}
	return false
}

// fitsAfter reports whether something may be taken after what others have spent and hold.
func (a *Account) fitsAfter(want, spent, held kinds) (wait bool, err error) {
	for d, limit := range a.limit {
		if limit <= 0 || want[d] <= 0 {
			continue
		}
		if spent[d] >= limit {
			return false, &BudgetExceeded{a.name, names[d], spent[d], limit}
		}
		wait = wait || held[d] > nothing && spent[d]+held[d]+want[d] > limit
	}
	return wait, nil
}

// reservation returns the id of the note for what was held. The caller holds the mutex of the tree.
func (a *Account) reservation(held Amount) string {
	i := slices.IndexFunc(a.reserved, func(r reservation) bool { return r.held == held })
	if i < 0 {
		return ""
	}
	id := a.reserved[i].id
	a.reserved = slices.Delete(a.reserved, i, i+1)
	return id
}
