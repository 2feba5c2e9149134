package harness

import (
	"context"
	"slices"

	"rein/tool"
)

// offeredTools is a Provider without the tools that are not on offer.
type offeredTools struct {
	toolProvider
	Offers func(name string) bool
}

// Tools returns the tools on offer.
func (o offeredTools) Tools(ctx context.Context) []*tool.Tool {
	return slices.DeleteFunc(slices.Clone(o.toolProvider.Tools(ctx)), func(t *tool.Tool) bool { return !o.Offers(t.Name) })
}

// Get returns a tool on offer by its name.
func (o offeredTools) Get(name string) *tool.Tool {
	if !o.Offers(name) {
		return nil
	}
	return o.toolProvider.Get(name)
}

// About returns the description, unless there are tools and none is on offer.
func (o offeredTools) About() string {
	if all := o.toolProvider.Tools(context.Background()); len(all) > 0 && !slices.ContainsFunc(all, func(t *tool.Tool) bool { return o.Offers(t.Name) }) {
		return ""
	}
	return o.toolProvider.About()
}
