package tool

import "context"

// Source has tools that come and go while a session runs, such as those of other people's servers. Its methods may be called
// at once from several goroutines.
type Source interface {
	// Get gives the tool of that name, also one that the model has not seen yet; nil when there is none. A tool that is no
	// longer there may be given with a Run that fails and says so.
	Get(name string) *Tool
	// Shown gives the tools that the model is to see with its next request. offered are the names that it sees already: a
	// Source gives these too as long as it has them. It may wait a moment for servers that start, and not longer than ctx.
	Shown(ctx context.Context, offered []string) []*Tool
}

// With gives the set with the tools of a source beside its own. A tool of the set hides one of the source with the same
// name. Nil takes an earlier source away.
func (s Set) With(source Source) Set {
	s.source = source
	return s
}

// Source gives what has the tools that come and go; nil when the set has only its own.
func (s Set) Source() Source { return s.source }

// Later gives the tools that come and go: those that the model is to see with its next request. See Source.Shown.
func (s Set) Later(ctx context.Context, offered []string) []*Tool {
	if s.source == nil {
		return nil
	}
	var later []*Tool
	seen := map[string]bool{}
	for _, t := range s.source.Shown(ctx, offered) {
		if s.byName[t.Name] == nil && !seen[t.Name] && usable(t) {
			seen[t.Name] = true
			later = append(later, t)
		}
	}
	return later
}

// usable reports whether a tool could be in a set.
func usable(t *Tool) bool {
	return fits(t.Name) && t.Input != nil && t.Input.Raw() != nil && t.Run != nil
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
