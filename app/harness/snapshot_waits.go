package harness

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"rein/kit/undo"
	"rein/tool"
)

// keptCall is a call around which the files are kept. While it waits for a person, it is as if it had ended: what changes then is not its work.
type keptCall struct {
	about undo.Call
	paths []string

	mu      sync.Mutex
	running *undo.Running // nil while it waits
	over    bool
	notes   []string
}

// end notes that the call is over, and returns what runs of it, and what its result is to say of its waiting.
func (c *keptCall) end() (running *undo.Running, notes []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	return c.running, c.notes
}

// runs notes whether a call runs, so that it can be made to wait.
func (k *fileKeeper) runs(c *keptCall, runs bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !runs {
		delete(k.running, c)
		return
	}
	if k.running == nil {
		k.running = map[*keptCall]bool{}
	}
	k.running[c] = true
}

// Waits records what the calls of tool servers changed so far: one of them waits for a person. They go on with goOn.
func (k *fileKeeper) Waits(ctx context.Context) (goOn func()) {
	var waiting []*keptCall
	k.mu.Lock()
	for c := range k.running {
		if strings.HasPrefix(c.about.Tool, "mcp__") {
			waiting = append(waiting, c)
		}
	}
	k.mu.Unlock()
	for _, c := range waiting {
		c.pause(ctx, k)
	}
	return func() {
		for _, c := range waiting {
			c.goOn(k)
		}
	}
}

func (c *keptCall) pause(ctx context.Context, k *fileKeeper) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil || c.over {
		return
	}
	report, err := c.running.End(context.WithoutCancel(ctx))
	if c.running = nil; err != nil {
		c.notes = append(c.notes, fmt.Sprintf("what this call changed before it asked could not be recorded, so it cannot be undone: %v", err))
	}
	k.report(tool.Call{ID: c.about.ID, Name: c.about.Tool}, c.about.SubAgent, report, func(text string) { c.notes = append(c.notes, text) })
}

func (c *keptCall) goOn(k *fileKeeper) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil || c.over {
		return
	}
	var err error
	if c.running, err = k.Store.Begin(context.Background(), c.about, c.paths); err != nil {
		c.running = nil
		c.notes = append(c.notes, fmt.Sprintf("what this call changed after it asked could not be recorded, so it cannot be undone: %v", err))
	}
}
