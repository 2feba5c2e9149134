package harness

// The files ondemand*.go keep tools from filling the window of a model: when there are many, the model sees a tool that searches
// them, and only what it found.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"rein/tool"
)

// toolProvider has tools for a Catalog. Its methods may be called at once.
type toolProvider interface {
	// Tools returns the tools that there are now, in an order that does not change. It may wait a moment.
	Tools(ctx context.Context) []*tool.Tool
	// Get returns a tool by its name, also one that Tools no longer gives; nil when there is none.
	Get(name string) *tool.Tool
	// Wait waits until the tools that are still to come are there, and not longer than ctx. It reports whether any were.
	Wait(ctx context.Context) bool
	// About describes in one line what its tools are for; "" when it has none and none are to come. The text must stay the
	// same while a session runs.
	About() string
}

// deferLimits say from when on tools are deferred. A zero number means its default.
type deferLimits struct {
	Off   bool // never
	Share int  // percent of the window that the definitions may take; defaultShare
	Count int  // tools; defaultCount
}

// The defaults.
const (
	defaultShare  = 10
	defaultCount  = 60
	defaultWindow = 128_000 // tokens, where the window is not known
)

// toolCatalog is a tool.Source over providers.
type toolCatalog struct {
	Providers []toolProvider
	Limits    deferLimits
	Window    func() int // tokens of the model's window; 0 or nil: not known

	own rareTools // tools of the set itself that a model sees only when it searched for them

	mu     sync.Mutex
	found  map[string]bool
	sizes  map[*tool.Tool]int
	search *tool.Tool
}

// Set returns the set of a session's own tools, with those of the catalog beside them. Where the search is on offer and not off, it
// is one of them, and rare ones are deferred. It is called once, before all else.
func (c *toolCatalog) Set(own []*tool.Tool, search bool) (tool.Set, error) {
	if search && !c.Limits.Off {
		c.own = rareOf(own)
	}
	if len(c.own) > 0 {
		own = append(slices.Clone(own), c.Search())
	}
	set, err := tool.NewSet(own...)
	return set.With(c).Defer(searchName, func(t *tool.Tool) bool { return slices.Contains(c.own, t) }), err
}

// Get returns a tool by its name.
func (c *toolCatalog) Get(name string) *tool.Tool {
	if name == searchName && c.Search() != nil {
		return c.Search()
	}
	for _, p := range c.Providers {
		if t := p.Get(name); t != nil {
			return t
		}
	}
	return nil
}

// Shown returns all tools while they are few; else those that the model sees already or found, and the search.
func (c *toolCatalog) Shown(ctx context.Context, offered []string) []*tool.Tool {
	all, coming := c.all(ctx)
	seen := map[string]bool{}
	for _, name := range offered {
		seen[name] = true
	}
	c.mu.Lock()
	deferred := c.deferred(all) || seen[searchName]
	var shown []*tool.Tool
	for i, t := range slices.Concat(all, c.own) {
		if i < len(all) && !deferred || seen[t.Name] || c.found[t.Name] {
			shown = append(shown, t)
		}
	}
	c.mu.Unlock()
	if deferred || coming {
		if search := c.Search(); search != nil {
			shown = slices.Insert(shown, 0, search)
		}
	}
	return shown
}

// all are the tools of all providers. coming reports whether a provider has none yet.
func (c *toolCatalog) all(ctx context.Context) (all []*tool.Tool, coming bool) {
	for _, p := range c.Providers {
		tools := p.Tools(ctx)
		all = append(all, tools...)
		coming = coming || len(tools) == 0 && p.About() != ""
	}
	return all, coming
}

// deferred reports whether the tools are too many to show them all. The caller holds mu.
func (c *toolCatalog) deferred(all []*tool.Tool) bool {
	share, count := c.Limits.Share, c.Limits.Count
	if share == 0 {
		share = defaultShare
	}
	if count == 0 {
		count = defaultCount
	}
	if c.Limits.Off || len(all) > count {
		return !c.Limits.Off
	}
	window := 0
	if c.Window != nil {
		window = c.Window()
	}
	if window <= 0 {
		window = defaultWindow
	}
	n := 0
	for _, t := range all {
		n += c.size(t)
	}
	return n > window*share/100
}

// size is what a tool takes in each request. The caller holds mu.
func (c *toolCatalog) size(t *tool.Tool) int {
	n, ok := c.sizes[t]
	if !ok {
		n = t.Tokens()
		if c.sizes == nil || len(c.sizes) > 10_000 {
			c.sizes = map[*tool.Tool]int{}
		}
		c.sizes[t] = n
	}
	return n
}

// about lists the providers for the description of the search.
func (c *toolCatalog) about() string {
	var lines []string
	for _, p := range c.Providers {
		lines = append(lines, p.About())
	}
	lines = slices.DeleteFunc(append(lines, c.own.About()), func(text string) bool { return text == "" })
	return strings.Join(lines, "\n")
}

// keep marks tools as found: the model sees them with its next request.
func (c *toolCatalog) keep(found []*tool.Tool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found == nil {
		c.found = map[string]bool{}
	}
	for _, t := range found {
		c.found[t.Name] = true
	}
}

// toolLine is a tool in the answer of the search.
func toolLine(t *tool.Tool) string {
	text, _, _ := strings.Cut(t.Description, "\n")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "…"
	}
	return fmt.Sprintf("- %s: %s", t.Name, text)
}
