package shell

import (
	"maps"
	"slices"
)

// Names lists the programs of the table in the order of the alphabet.
func (t *programIndex) Names() []string { return slices.Sorted(maps.Keys(t.blocks)) }

// find1 returns a program by exactly its name.
func (t *programIndex) find1(name string) *programRow {
	if b, ok := t.blocks[name]; ok {
		return b.read()
	}
	return nil
}

// Examples lists the examples of all programs.
func (t *programIndex) Examples() []tableExample {
	var all []tableExample
	for _, b := range t.distinct() {
		all = append(all, b.examples...)
	}
	return all
}

// Handlers lists the handlers that the table names, each with a place that names it.
func (t *programIndex) Handlers() map[string]string {
	all := map[string]string{}
	for _, b := range t.distinct() {
		b.read().addHandlers(all, b.where)
	}
	return all
}

func (p *programRow) addHandlers(all map[string]string, where string) {
	if p.How != "" {
		all[p.How] = where
	}
	for _, s := range p.Subs {
		s.addHandlers(all, where)
	}
}

func (t *programIndex) distinct() []*block {
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

// Options lists the options of a program and its sub-commands' names: what the table says, and the program's own account.
func (t *programIndex) Options(name string) (options, subs []string) {
	p := t.find1(name)
	if p == nil {
		return nil, nil
	}
	all := map[string]bool{}
	maps.Copy(all, helpOf(name))
	p.addOptions(all)
	for sub, s := range p.Subs {
		subs = append(subs, sub)
		s.addOptions(all)
	}
	slices.Sort(subs)
	return slices.Sorted(maps.Keys(all)), subs
}

func (p *programRow) addOptions(all map[string]bool) {
	for o := range p.options {
		all[o] = true
	}
	for o := range p.flags {
		all[o] = false
	}
}
