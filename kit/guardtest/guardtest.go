// Package guardtest is the suite that every guard.Guard must pass.
package guardtest

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"rein/guard"
	"rein/tool"
)

// Limit is how long a guard may take to judge one case.
const Limit = 250 * time.Millisecond

// Run runs the suite. open makes a guard for each test.
func Run(t *testing.T, open func(t *testing.T) guard.Guard) {
	t.Run("hostile cases: no panic, in time, unchanged, with a reason", func(t *testing.T) { hostile(t, open(t)) })
	t.Run("what happens to a case afterwards changes nothing", func(t *testing.T) { reused(t, open) })
	t.Run("many goroutines call it at once", func(t *testing.T) { concurrent(t, open(t)) })
}

// Cases are odd and hostile calls, in each mode.
func Cases() []guard.Case {
	var all []guard.Case
	for _, mode := range []guard.Mode{guard.ReadOnly, guard.Plan, guard.Asking, guard.Supervised, guard.Auto, guard.Full} {
		for _, text := range texts {
			args, _ := json.Marshal(map[string]string{"command": text, "path": text})
			base := guard.Case{Session: "s", Mode: mode, Root: "/work", Call: tool.Call{ID: "1", Name: "bash", Args: args}}
			command, path, host := base, base, base
			command.Effect, command.Intent = tool.Runs, tool.Intent{Command: text}
			path.Effect, path.Intent = tool.Writes, tool.Intent{Writes: []string{text}, Reads: []string{text}}
			host.Effect, host.Intent = tool.Reaches, tool.Intent{Hosts: []string{text}}
			all = append(all, base, command, path, host)
		}
	}
	return all
}

var texts = []string{
	"", " ", "\x00", "\xff\xfe", "ls", "/", "..", "~", "a\nb", "'", "\"", "$(", "((((((((", "`", "<<E", "{a,b}{c,d}{e,f}",
	strings.Repeat("(", 10_000), strings.Repeat("a;", 50_000), strings.Repeat("$(", 5_000), strings.Repeat("../", 10_000), strings.Repeat("{a,b}", 60),
	"rm -rf /", "echo \u202e", "localhost", "[::1]:80", "http://", "éxample.com",
}

func hostile(t *testing.T, g guard.Guard) {
	most := 4 * Limit
	if testing.Short() { // as with the race detector, beside many other tests
		most = 20 * Limit
	}
	for _, c := range Cases() {
		before, _ := json.Marshal(c.Intent)
		args := string(c.Call.Args)
		var v guard.Verdict
		took := time.Hour
		for range 5 { // a busy machine and the race detector are no fault of the guard: the best of a few counts
			began := time.Now()
			v = g.Judge(t.Context(), c)
			if took = min(took, time.Since(began)); took <= Limit {
				break
			}
		}
		if took > most {
			t.Errorf("%.40q took %v", args, took)
		}
		if after, _ := json.Marshal(c.Intent); string(after) != string(before) || string(c.Call.Args) != args {
			t.Errorf("the guard changed the case: %.200s to %.200s", before, after)
		}
		if v.Decision != guard.Allow && v.Reason == "" {
			t.Errorf("%v without a reason: %.60q in mode %v", v.Decision, args, c.Mode)
		}
	}
}

// reused has the caller of two guards use its cases again: for the second guard the bytes stay as they were.
func reused(t *testing.T, open func(t *testing.T) guard.Guard) {
	one, other := open(t), open(t)
	for _, c := range Cases() {
		if len(c.Call.Args) > 1000 {
			continue
		}
		given := c.Clone()
		got, want := one.Judge(t.Context(), given), other.Judge(t.Context(), c.Clone())
		Overwrite(given)
		if again, same := one.Judge(t.Context(), c.Clone()), other.Judge(t.Context(), c.Clone()); got.Decision != want.Decision || again.Decision != same.Decision {
			t.Errorf("%.60q in mode %v: %v and then %v, want %v and %v", c.Call.Args, c.Mode, got.Decision, again.Decision, want.Decision, same.Decision)
		}
	}
}

// Overwrite writes over all that a case points at, for tests of those who give cases to guards, approvers and observers.
func Overwrite(c guard.Case) {
	for i := range c.Call.Args {
		c.Call.Args[i] = 'x'
	}
	for _, list := range [][]string{c.Intent.Reads, c.Intent.Writes, c.Intent.Hosts} {
		for i := range list {
			list[i] = "overwritten"
		}
	}
	if q := c.Intent.Questions; q != nil {
		*q = tool.Questions{}
	}
	if c.Report != nil {
		reflect.ValueOf(c.Report).Elem().SetZero()
	}
}

func concurrent(t *testing.T, g guard.Guard) {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for _, text := range texts[:12] {
				g.Judge(t.Context(), guard.Case{Mode: guard.Supervised, Effect: tool.Runs, Intent: tool.Intent{Command: text}, Call: tool.Call{Name: "bash"}})
			}
		})
	}
	all.Wait()
}
