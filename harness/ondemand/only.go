package ondemand

import (
	"context"
	"slices"

	"rein/tool"
)

// Only is a Provider without the tools that are not on offer.
type Only struct {
	Provider
	Offers func(name string) bool
}

// Tools returns the tools on offer.
func (o Only) Tools(ctx context.Context) []*tool.Tool {
	return slices.DeleteFunc(slices.Clone(o.Provider.Tools(ctx)), func(t *tool.Tool) bool { return !o.Offers(t.Name) })
}

// Get returns a tool on offer by its name.
func (o Only) Get(name string) *tool.Tool {
	if !o.Offers(name) {
		return nil
	}
	return o.Provider.Get(name)
}

// About returns the description, unless there are tools and none is on offer.
func (o Only) About() string {
	if all := o.Provider.Tools(context.Background()); len(all) > 0 && !slices.ContainsFunc(all, func(t *tool.Tool) bool { return o.Offers(t.Name) }) {
		return ""
	}
	return o.Provider.About()
}
