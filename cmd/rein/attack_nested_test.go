package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/guard"
)

// TestAHarnessWithinTheHarness is approval-19: a model starts the harness itself, with looser flags.
func TestAHarnessWithinTheHarness(t *testing.T) {
	var b *attacked
	var weight guard.Severity
	b = newAttacked(t, options{mode: "full"}, nil)
	b.runner.Approver = guard.ApproverFunc(func(_ context.Context, _ guard.Case, v guard.Verdict) (guard.Answer, error) {
		b.asked.Add(1)
		weight = v.Severity
		return guard.Answer{Choice: guard.Approved, By: guard.ByUser}, nil
	})

	t.Run("approval-19 it asks as grave, and the inner one is counted", func(t *testing.T) {
		r := b.run(`bash {"command":"REIN_HOME=$PWD/h rein call bash '{\"command\":\"echo depth $REIN_DEPTH\"}'"}`)[0]
		if b.asked.Load() != 1 || weight < guard.High || !strings.Contains(r.Text, "depth 2") {
			t.Errorf("asked %d times, as %v: %+v", b.asked.Load(), weight, r)
		}
	})
	t.Run("approval-19 what asks inside is refused there: nobody is in it", func(t *testing.T) {
		b.run(`bash {"command":"touch kept; REIN_HOME=$PWD/h rein call bash '{\"command\":\"rm kept\"}'"}`)
		if !b.exists("kept") {
			t.Error("it ran")
		}
	})
	t.Run("approval-19 flags that loosen are denied", func(t *testing.T) {
		asked := b.asked.Load()
		for _, cmd := range []string{"rein call --mode full bash x", "rein call --yolo bash x", "rein run --sandbox off x", "rein --dangerously-skip-permissions run x", "rein run --allow 'bash(rm:*)' x"} {
			if r := b.run(`bash {"command":` + string(quoted(cmd)) + `}`)[0]; !r.Failed || !strings.Contains(r.Text, "Denied") {
				t.Errorf("%s: %+v", cmd, r)
			}
		}
		if b.asked.Load() != asked {
			t.Error("a person was asked")
		}
	})
	t.Run("approval-19 too deep is refused", func(t *testing.T) {
		t.Setenv("REIN_DEPTH", "5")
		if _, err := wire(options{dir: t.TempDir()}, guard.Nobody{}, func(string) {}); err == nil || !strings.Contains(err.Error(), "within 5 others") {
			t.Errorf("got %v", err)
		}
	})
}

// TestTheInnerOneIsWithinTheOuterWalls: whatever the inner harness is told, the walls of the outer one stand around it.
// Where this machine has none, a program asks before it runs, and that is what is looked at.
func TestTheInnerOneIsWithinTheOuterWalls(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	outside, err := os.MkdirTemp(".", "outside-") // not in the scratch space, which programs may write
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(outside) })
	outside, err = filepath.Abs(outside)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	person := guard.ApproverFunc(func(_ context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
		asked++
		return guard.Answer{Choice: map[bool]guard.Choice{true: guard.Approved}[c.Isolation > guard.NoIsolation], By: guard.ByUser}, nil
	})
	w, err := wire(options{dir: t.TempDir(), mode: "full"}, person, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	b := &attacked{wired: w, t: t}
	t.Cleanup(func() { b.close(context.Background()) })
	b.run(`bash {"command":"REIN_HOME=$PWD/h rein call bash '{\"command\":\"touch ` + outside + `/x\"}'; env -u REIN_DEPTH -u REIN REIN_HOME=$PWD/h rein call write_file '{\"path\":\"` + outside + `/y\",\"content\":\"y\"}' --add-dir ` + outside + `"}`)
	if left, _ := os.ReadDir(outside); len(left) != 0 || asked == 0 {
		t.Errorf("asked %d times, and it wrote %v (walls: %T)", asked, left, w.isolation.box)
	}
}
