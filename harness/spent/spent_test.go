package spent

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"rein/agent/budget"
)

// Several processes, here several Days, spend from one limit; the next day begins with nothing.
func TestADayIsSharedAndEnds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "spent")
	now := time.Date(2026, 11, 22, 23, 0, 0, 0, time.Local)
	open := func() *Days { return &Days{Dir: dir, Now: func() time.Time { return now }} }
	limit := Limit{Tokens: 100, USD: 1}
	first, second := open().Account(limit), open().Account(limit)
	first.Spend(budget.Amount{}, budget.Amount{Tokens: 60, USD: 0.25})
	second.Spend(budget.Amount{}, budget.Amount{Tokens: 39})
	if err := first.Take(t.Context(), budget.Amount{Tokens: 1}); err != nil {
		t.Error("a rest is left:", err)
	}
	second.Spend(budget.Amount{}, budget.Amount{Tokens: 1})
	var full *budget.Exceeded
	if err := first.Take(t.Context(), budget.Amount{Tokens: 1}); !errors.As(err, &full) || full.Account != "today" || full.Spent != 100 {
		t.Errorf("%v", err)
	}
	if got := open().Today(); got != (budget.Amount{Tokens: 100, USD: 0.25}) {
		t.Errorf("a new process counts %+v", got)
	}
	now = now.Add(2 * time.Hour)
	if err := first.Take(t.Context(), budget.Amount{Tokens: 1}); err != nil {
		t.Error("the next day:", err)
	}
}

func TestNoLimitNoAccount(t *testing.T) {
	if (&Days{Dir: t.TempDir()}).Account(Limit{}) != nil {
		t.Error("an account without limits writes files")
	}
}

// Lines that are damaged or not yet whole change nothing; what cannot be written still counts in this process.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	d := &Days{Dir: dir}
	d.Add(budget.Amount{Calls: 1})
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
	if got := d.Today().Calls; got != 1 {
		t.Errorf("%d", got)
	}
	write("}\n")
	if got := d.Today().Calls; got != 3 {
		t.Errorf("%d", got)
	}
	blocked := &Days{Dir: filepath.Join(file, "below a file")}
	blocked.Add(budget.Amount{Calls: 5})
	if got := blocked.Today().Calls; got != 5 {
		t.Errorf("what could not be written counts %d", got)
	}
}

func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		d := &Days{Dir: dir}
		all.Go(func() {
			for range 100 {
				d.Add(budget.Amount{Tokens: 7, Calls: 1})
				d.Today()
			}
		})
	}
	all.Wait()
	if got := (&Days{Dir: dir}).Today(); got != (budget.Amount{Tokens: 5600, Calls: 800}) {
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
	(&Days{Dir: dir}).Add(budget.Amount{Calls: 1})
	if _, err := os.Stat(filepath.Join(dir, "2020-01-01.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Error("an old day stays")
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.jsonl")); err != nil {
		t.Error("another file is gone")
	}
}
