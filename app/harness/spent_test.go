package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"rein/agent"
)

// Several processes, here several values of spentDays, spend from one limit; the next day begins with nothing.
func TestADayIsSharedAndEnds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "spent")
	now := time.Date(2026, 11, 22, 23, 0, 0, 0, time.Local)
	open := func() *spentDays { return &spentDays{Dir: dir, Now: func() time.Time { return now }} }
	limit := spentLimit{Tokens: 100, USD: 1}
	first, second := open().Account(limit), open().Account(limit)
	first.Spend(agent.Amount{}, agent.Amount{Tokens: 60, USD: 0.25})
	second.Spend(agent.Amount{}, agent.Amount{Tokens: 39})
	if err := first.Take(t.Context(), agent.Amount{Tokens: 1}); err != nil {
		t.Error("a rest is left:", err)
	}
	second.Spend(agent.Amount{}, agent.Amount{Tokens: 1})
	var full *agent.BudgetExceeded
	if err := first.Take(t.Context(), agent.Amount{Tokens: 1}); !errors.As(err, &full) || full.Account != "today" || full.Spent != 100 {
		t.Errorf("%v", err)
	}
	if got := open().Spent(); got != (agent.Amount{Tokens: 100, USD: 0.25}) {
		t.Errorf("a new process counts %+v", got)
	}
	now = now.Add(2 * time.Hour)
	if err := first.Take(t.Context(), agent.Amount{Tokens: 1}); err != nil {
		t.Error("the next day:", err)
	}
}

func TestNoLimitNoAccount(t *testing.T) {
	if (&spentDays{Dir: t.TempDir()}).Account(spentLimit{}) != nil {
		t.Error("an account without limits writes files")
	}
}

// Lines that are damaged or not yet whole change nothing; what cannot be written still counts in this process.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	d := &spentDays{Dir: dir}
	d.Done("", agent.Amount{Calls: 1})
	file := filepath.Join(dir, time.Now().Format(time.DateOnly)+".jsonl")
	write := func(s string) {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	write("{broken\n{\"calls\":2")
	if got := d.Spent().Calls; got != 1 {
		t.Errorf("%d", got)
	}
	write("}\n")
	if got := d.Spent().Calls; got != 3 {
		t.Errorf("%d", got)
	}
	blocked := &spentDays{Dir: filepath.Join(file, "below a file")}
	blocked.Done("", agent.Amount{Calls: 5})
	if got := blocked.Spent().Calls; got != 5 {
		t.Errorf("what could not be written counts %d", got)
	}
}

func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		d := &spentDays{Dir: dir}
		all.Go(func() {
			for range 100 {
				d.Done("", agent.Amount{Tokens: 7, Calls: 1})
				d.Spent()
			}
		})
	}
	all.Wait()
	if got := (&spentDays{Dir: dir}).Spent(); got != (agent.Amount{Tokens: 5600, Calls: 800}) {
		t.Errorf("%+v", got)
	}
}

func TestOldDaysGo(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"2020-01-01.jsonl", "notes.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	(&spentDays{Dir: dir}).Done("", agent.Amount{Calls: 1})
	if _, err := os.Stat(filepath.Join(dir, "2020-01-01.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Error("an old day stays")
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.jsonl")); err != nil {
		t.Error("another file is gone")
	}
}

// TestHeldByAll has two processes that spend from one limit: the second waits for what the first holds.
func TestHeldByAll(t *testing.T) {
	dir := t.TempDir()
	limit := spentLimit{Tokens: 100}
	first, second := (&spentDays{Dir: dir}).Account(limit), (&spentDays{Dir: dir}).Account(limit)
	most := agent.Amount{Tokens: 70}
	if err := first.Take(t.Context(), most); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := second.Take(ctx, most); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("both hold 70 of 100: %v", err)
	}
	if err := second.Take(t.Context(), agent.Amount{Tokens: 30}); err != nil {
		t.Fatalf("it fits: %v", err)
	}
	second.Spend(agent.Amount{Tokens: 30}, agent.Amount{Tokens: 10})
	taken := make(chan error)
	go func() { taken <- second.Take(t.Context(), most) }()
	first.Spend(most, agent.Amount{Tokens: 20})
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
	second.Spend(most, agent.Amount{Tokens: 70})
	var full *agent.BudgetExceeded
	if err := first.Take(t.Context(), most); !errors.As(err, &full) || full.Spent != 100 {
		t.Errorf("%v", err)
	}
}

// TestManySessionsOfADay: 12 sessions, each with accounts and sub-agents of their own, spend until nothing is left. Together they
// pass the limit by one request at most.
func TestManySessionsOfADay(t *testing.T) {
	const most, limit = 50, 1000
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(i)))
			message := agent.NewAccount("this message", agent.Amount{}, (&spentDays{Dir: dir}).Account(spentLimit{Tokens: limit}))
			for {
				a := message
				if random.IntN(3) == 0 {
					a = message.Share("a sub-agent", agent.Amount{}, 1)
				}
				held := agent.Amount{Tokens: most, Requests: 1}
				err := a.Take(t.Context(), held)
				if err == nil {
					a.Spend(held, agent.Amount{Tokens: 1 + random.Int64N(most), Requests: 1})
				}
				a.Close() // of a sub-agent; the other one has nothing to hand back
				if err != nil && a == message {
					return
				}
			}
		})
	}
	all.Wait()
	if got := (&spentDays{Dir: dir}).Spent().Tokens; got < limit || got > limit+most {
		t.Errorf("%d tokens are spent, the limit is %d and a request takes at most %d", got, limit, most)
	}
}

// TestHeldByTheDead: what a process held that was killed counts as spent.
func TestHeldByTheDead(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("{\"tokens\":90,\"hold\":\"x\",\"pid\":%d}\n", cmd.Process.Pid)
	if err := os.WriteFile(filepath.Join(dir, time.Now().Format(time.DateOnly)+".jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &spentDays{Dir: dir}
	if spent, held := d.Before(""); spent.Tokens != 90 || held.Tokens != 0 {
		t.Errorf("spent %d, held %d", spent.Tokens, held.Tokens)
	}
}
