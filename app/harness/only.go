package harness

import (
	"context"
	"slices"

	"rein/tool"
)

// ondemandOnly is a Provider without the tools that are not on offer.
type ondemandOnly struct {
	ToolProvider
	Offers func(name string) bool
}

// Tools returns the tools on offer.
func (o ondemandOnly) Tools(ctx context.Context) []*tool.Tool {
	return slices.DeleteFunc(slices.Clone(o.ToolProvider.Tools(ctx)), func(t *tool.Tool) bool { return !o.Offers(t.Name) })
}

// Get returns a tool on offer by its name.
func (o ondemandOnly) Get(name string) *tool.Tool {
	if !o.Offers(name) {
		return nil
	}
	return o.ToolProvider.Get(name)
}

// About returns the description, unless there are tools and none is on offer.
func (o ondemandOnly) About() string {
	if all := o.ToolProvider.Tools(context.Background()); len(all) > 0 && !slices.ContainsFunc(all, func(t *tool.Tool) bool { return o.Offers(t.Name) }) {
		return ""
	}
	return o.ToolProvider.About()
}
