package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestTheTreeNeverPassesItsLimitByMoreThanOneRequest runs trees of sub-agents at random, many at once. Each request costs at
// most what it held.
func TestTheTreeNeverPassesItsLimitByMoreThanOneRequest(t *testing.T) {
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			most := int64(1 + r.IntN(400))
			limit := int64(r.IntN(20_000) + 1)
			session := NewAccount("this session", Amount{Tokens: limit, Requests: 400, SubAgents: 40}, nil)
			root := NewAccount("this message", Amount{Tokens: limit * 2}, session)
			var spent, requests atomic.Int64
			var run func(a *Account, depth int, seed uint64)
			run = func(a *Account, depth int, seed uint64) {
				r := rand.New(rand.NewPCG(seed, 2))
				for i := range 60 {
					hold := Amount{Tokens: most, Requests: 1}
					if err := a.Take(context.Background(), hold); err != nil {
						if _, ok := errors.AsType[*BudgetExceeded](err); !ok {
							t.Error(err)
						}
						return
					}
					cost := r.Int64N(most + 1)
					spent.Add(cost)
					requests.Add(1)
					a.Spend(hold, Amount{Tokens: cost, Requests: 1})
					if depth == 3 || r.IntN(4) > 0 {
						continue
					}
					var all sync.WaitGroup
					for k := range 1 + r.IntN(4) {
						if a.Take(context.Background(), Amount{SubAgents: 1}) != nil {
							break
						}
						a.Spend(Amount{SubAgents: 1}, Amount{SubAgents: 1})
						child := a.Share("the sub-agent", Amount{}, 1)
						all.Go(func() {
							defer child.Close()
							run(child, depth+1, seed*31+uint64(i*7+k))
						})
					}
					all.Wait()
				}
			}
			run(root, 0, seed)
			if spent.Load() > limit+most || requests.Load() > 400 {
				t.Fatalf("seed %d: %d tokens of %d, a request has at most %d; %d requests", seed, spent.Load(), limit, most, requests.Load())
			}
			for _, a := range []*Account{root, session} {
				if a.held != (kinds{}) {
					t.Fatalf("seed %d: still held: %v", seed, a.held)
				}
			}
			if got := session.Spent(); got.Tokens != spent.Load() || got.Requests != requests.Load() {
				t.Fatalf("seed %d: counted %+v, spent %d", seed, got, spent.Load())
			}
		})
	}
}

func TestLimitsOfAccounts(t *testing.T) {
	a := NewAccount("this message", Amount{Tokens: 100, USD: 1}, NewAccount("this session", Amount{Requests: 3}, nil))
	one := Amount{Tokens: 40, USD: 0.1, Requests: 1}
	for i, want := range []string{"", "80 % of the budget for this message are used: 80 of 100 tokens", "100 % of the budget for this session are used: 3 of 3 requests"} {
		if err := a.Take(t.Context(), one); err != nil {
			t.Fatal(i, err)
		}
		if got := a.Spend(one, one); got != want {
			t.Errorf("request %d: %q", i, got)
		}
	}
	err := a.Take(t.Context(), one)
	if over, ok := errors.AsType[*BudgetExceeded](err); !ok || over.Kind != "tokens" || !strings.Contains(err.Error(), "120 of 100 tokens") {
		t.Errorf("got %v", err)
	}
	next := NewAccount("this message", Amount{Tokens: 100}, a.up)
	if err := next.Take(t.Context(), one); err == nil || !strings.Contains(err.Error(), "this session") {
		t.Errorf("the next message: %v", err)
	}
	var none *Account
	if err := none.Take(t.Context(), one); err != nil || none.Spend(one, one) != "" {
		t.Error("without an account nothing is limited")
	}
}

// TestASubAgentHandsBackTheRest starts sub-agents one after the other: each gets half of what is left.
func TestASubAgentHandsBackTheRest(t *testing.T) {
	a := NewAccount("this message", Amount{Tokens: 1000}, nil)
	first := a.Share("the sub-agent", Amount{}, 1)
	second := a.Share("the sub-agent", Amount{Tokens: 100}, 1)
	left := func(a *Account) int64 { l, _ := a.Left(); return l.Tokens }
	if left(first) != 500 || left(second) != 100 || left(a) != 400 {
		t.Errorf("left %d, %d and %d", left(first), left(second), left(a))
	}
	if err := first.Take(t.Context(), Amount{Tokens: 501}); err == nil {
		t.Error("a sub-agent took more than its part")
	}
	first.Spend(Amount{}, Amount{Tokens: 200})
	first.Close()
	second.Close()
	if left(a) != 800 {
		t.Errorf("after they stopped: %d", left(a))
	}
}

// alone is a ledger in which no other process holds anything.
type alone struct{ Amount }

func (l *alone) Spent() Amount                   { return l.Amount }
func (l *alone) Hold(Amount) string              { return "" }
func (l *alone) Before(string) (spent, _ Amount) { return l.Amount, Amount{} }
func (l *alone) Done(_ string, a Amount)         { l.Tokens += a.Tokens }

func TestOthersSpendToo(t *testing.T) {
	all := &alone{Amount{Tokens: 90}}
	day := NewSharedAccount("today", Amount{Tokens: 100}, all)
	a := NewAccount("this message", Amount{}, day)
	a.Count(Amount{Tokens: 5})
	if all.Tokens != 90 {
		t.Error("what was counted before is counted again")
	}
	if err := a.Take(t.Context(), Amount{Tokens: 20}); err != nil {
		t.Fatal(err)
	}
	a.Spend(Amount{Tokens: 20}, Amount{Tokens: 20})
	if err := a.Take(t.Context(), Amount{Tokens: 1}); err == nil || all.Tokens != 110 {
		t.Errorf("%v, %d", err, all.Tokens)
	}
}

// TestPartsLeaveNothingBehind shares amounts that no fraction gives exactly, and looks that nobody waits for what is left over.
func TestPartsLeaveNothingBehind(t *testing.T) {
	a := NewAccount("this message", Amount{Tokens: 1000, USD: 1}, nil)
	for range 50 {
		one := a.Share("a sub-agent", Amount{}, 2)
		two := one.Share("its own", Amount{}, 6)
		two.Spend(Amount{}, Amount{Tokens: 1, USD: 0.0007})
		two.Close()
		one.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := a.Take(ctx, Amount{Tokens: 5000, USD: 5}); err != nil {
		t.Errorf("the last request may pass the limit, and nobody holds anything: %v", err)
	}
}
