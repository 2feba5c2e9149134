package tool

import (
	"context"
	"slices"
)

// Source has tools that come and go while a session runs, such as those of other people's servers. Its methods may be called
// at once from several goroutines.
type Source interface {
	// Get returns the tool of that name, also one that the model has not seen yet; nil when there is none. A tool that is no
	// longer there may be given with a Run that fails and says so.
	Get(name string) *Tool
	// Shown returns the tools that the model is to see with its next request. offered are the names that it sees already: a
	// Source gives these too as long as it has them. It may wait a moment for servers that start, and not longer than ctx.
	Shown(ctx context.Context, offered []string) []*Tool
}

// With returns the set with the tools of a source beside its own. A tool of the set hides one of the source with the same
// name. Nil takes an earlier source away.
func (s Set) With(source Source) Set {
	s.source = source
	return s
}

// Source returns what has the tools that come and go; nil when the set has only its own.
func (s Set) Source() Source { return s.source }

// Later returns the tools that come and go, and those of Defer that were found: what the model is to see with its next request
// beside First. See Source.Shown.
func (s Set) Later(ctx context.Context, offered []string) []*Tool {
	if s.source == nil {
		return nil
	}
	var later []*Tool
	seen := map[string]bool{}
	for _, t := range s.source.Shown(ctx, offered) {
		if own := s.byName[t.Name]; own != nil && s.waits(own) {
			t = own
		} else if own != nil {
			continue
		}
		if !seen[t.Name] && usable(t) {
			seen[t.Name] = true
			later = append(later, t)
		}
	}
	return later
}

// Defer returns the set with own tools that a model does not see from the start: it finds them with the tool search, and then the
// source shows them. All else finds them as before, and a call of them runs. Where the set has no tool search, nothing is deferred.
func (s Set) Defer(search string, rare func(*Tool) bool) Set {
	s.search, s.later = search, map[string]bool{}
	for _, t := range s.tools {
		if t.Name != search && rare(t) {
			s.later[t.Name] = true
		}
	}
	return s
}

// First returns the set's own tools that a model sees from the start, sorted by name. The slice must not be changed.
func (s Set) First() []*Tool {
	if len(s.later) == 0 {
		return s.tools
	}
	return slices.DeleteFunc(slices.Clone(s.tools), s.waits)
}

// Whole returns the set's own tools for who sees all of them: without the tool search, where tools are deferred. The slice must not
// be changed.
func (s Set) Whole() []*Tool {
	if len(s.later) == 0 {
		return s.tools
	}
	return slices.DeleteFunc(slices.Clone(s.tools), func(t *Tool) bool { return t.Name == s.search })
}

// Deferred reports whether a model sees the own tool of that name only after a search.
func (s Set) Deferred(name string) bool {
	t := s.byName[name]
	return t != nil && s.waits(t)
}

// waits reports whether a model sees an own tool only after a search.
func (s Set) waits(t *Tool) bool { return s.later[t.Name] && s.byName[s.search] != nil }

// usable reports whether a tool could be in a set.
func usable(t *Tool) bool {
	return fits(t.Name) && t.Effect <= Reads|Writes|Runs|Reaches && t.Input != nil && t.Input.Raw() != nil && t.Run != nil
}

// only is a source without the tools that keep does not take.
type only struct {
	Source
	keep func(*Tool) bool
}

func (o only) Get(name string) *Tool {
	if t := o.Source.Get(name); t != nil && o.keep(t) {
		return t
	}
	return nil
}

func (o only) Shown(ctx context.Context, offered []string) []*Tool {
	var kept []*Tool
	for _, t := range o.Source.Shown(ctx, offered) {
		if o.keep(t) {
			kept = append(kept, t)
		}
	}
	return kept
}
