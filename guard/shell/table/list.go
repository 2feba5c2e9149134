package table

import (
	"maps"
	"slices"
)

// Names lists the programs of the table in the order of the alphabet.
func (t *Table) Names() []string { return slices.Sorted(maps.Keys(t.blocks)) }

// Examples lists the examples of all programs.
func (t *Table) Examples() []Example {
	var all []Example
	for _, b := range t.distinct() {
		all = append(all, b.examples...)
	}
	return all
}

// Handlers lists the handlers that the table names, each with a place that names it.
func (t *Table) Handlers() map[string]string {
	all := map[string]string{}
	for _, b := range t.distinct() {
		b.read().addHandlers(all, b.where)
	}
	return all
}

func (p *Program) addHandlers(all map[string]string, where string) {
	if p.How != "" {
		all[p.How] = where
	}
	for _, s := range p.Subs {
		s.addHandlers(all, where)
	}
}

func (t *Table) distinct() []*block {
	seen := map[*block]bool{}
	var all []*block
	for _, name := range t.Names() {
		if b := t.blocks[name]; !seen[b] {
			seen[b] = true
			all = append(all, b)
		}
	}
	return all
}
