package sandbox

import (
	"os"
	"path/filepath"
	"sync/atomic"
)

// cgroupCounter is a group whose refusals of processes are counted. A nil one is none.
type cgroupCounter struct {
	group  *programCgroups
	events []*os.File   // where the kernel says how many processes it refused
	last   atomic.Int64 // how many those were when a program last ended
}

// newCgroupCounter counts the refusals of a group, which it closes.
func newCgroupCounter(g *programCgroups) *cgroupCounter {
	c := &cgroupCounter{group: g}
	for _, part := range g.parts {
		if f, err := os.Open(filepath.Join(part.group, "pids.events")); part.pids && err == nil {
			c.events = append(c.events, f)
		}
	}
	return c
}

// Last is how many processes the kernel had refused when Refused was last called.
func (c *cgroupCounter) Last() int64 { return c.last.Load() }

// Refused is how many processes the kernel has refused.
func (c *cgroupCounter) Refused() int64 {
	n := int64(0)
	var text [256]byte
	for _, f := range c.events {
		size, _ := f.ReadAt(text[:], 0)
		n += max(0, numberIn(text[:size], "max"))
	}
	c.last.Store(n)
	return n
}

// Close removes the group.
func (c *cgroupCounter) Close() {
	if c == nil {
		return
	}
	for _, f := range c.events {
		f.Close()
	}
	c.group.Leave()
}
