// Package guardtest is the suite that every guard.Guard must pass.
package guardtest

import (
	"encoding/json"
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
		if took > 4*Limit {
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
