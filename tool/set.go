package tool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Set is an ordered list of tools with distinct names; it does not change. The zero value has no tools. Tools are
// sorted by name, so that the list a model sees is the same bytes each time. With adds tools that come and go.
type Set struct {
	tools  []*Tool
	byName map[string]*Tool
	source Source // nil: none come

	search string          // the tool with which a model finds those of later
	later  map[string]bool // own tools that a model does not see from the start
}

// fits reports whether providers take a name: 1 to 64 letters, digits, '_' or '-'.
func fits(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(c rune) bool {
		return c != '_' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
	})
}

// NewSet makes a set. It refuses a name twice, a name that providers do not take, and a tool without Input or Run.
func NewSet(tools ...*Tool) (Set, error) {
	if slices.Contains(tools, nil) {
		return Set{}, errors.New("a tool is nil")
	}
	s := Set{tools: slices.Clone(tools), byName: make(map[string]*Tool, len(tools))}
	slices.SortFunc(s.tools, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	for _, t := range s.tools {
		switch {
		case !fits(t.Name):
			return Set{}, fmt.Errorf("tool name %q: expected 1 to 64 letters, digits, '_' or '-'", t.Name)
		case s.byName[t.Name] != nil:
			return Set{}, fmt.Errorf("two tools are named %q", t.Name)
		case t.Effect > Reads|Writes|Runs|Reaches:
			return Set{}, fmt.Errorf("tool %q has an effect that does not exist: %#x", t.Name, uint8(t.Effect))
		case !usable(t):
			return Set{}, fmt.Errorf("tool %q has no Input or no Run (an Input comes from schema.Parse or schema.For)", t.Name)
		}
		s.byName[t.Name] = t
	}
	return s, nil
}

// Add returns the set with more tools of its own. See NewSet for what it refuses.
func (s Set) Add(tools ...*Tool) (Set, error) {
	more, err := NewSet(slices.Concat(s.tools, tools)...)
	more.source, more.search, more.later = s.source, s.search, s.later
	return more, err
}

// Get returns the tool of that exact name, or nil.
func (s Set) Get(name string) *Tool {
	if t := s.byName[name]; t != nil || s.source == nil {
		return t
	}
	if t := s.source.Get(name); t != nil && t.Name == name && usable(t) {
		return t
	}
	return nil
}

// All returns the set's own tools, sorted by name, without those of a Source. The slice must not be changed.
func (s Set) All() []*Tool { return s.tools }

// Names returns the names of the set's own tools, sorted.
func (s Set) Names() []string {
	names := make([]string, len(s.tools))
	for i, t := range s.tools {
		names[i] = t.Name
	}
	return names
}

// Only returns the subset of the tools for which keep returns true, now and later.
func (s Set) Only(keep func(*Tool) bool) Set {
	sub := Set{byName: make(map[string]*Tool), search: s.search, later: s.later}
	if s.source != nil {
		sub.source = only{s.source, keep}
	}
	for _, t := range s.tools {
		if keep(t) {
			sub.tools = append(sub.tools, t)
			sub.byName[t.Name] = t
		}
	}
	return sub
}
