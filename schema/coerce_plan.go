package schema

import (
	"encoding/json"
)

// plan remembers what a provider's version of a schema changed in the shape of arguments.
type plan struct {
	original map[string]string // names of members as sent → as declared
	sent     map[string]string // and back
	filled   map[string]bool   // declared names of optional members that strict mode requires: null means not given
	order    []string          // the filled names in their order
	members  map[string]*plan  // by declared name
	extra    *plan             // of members that are not declared
	items    *plan
}

// same reports whether the plan changes nothing below it either; seen ends cycles.
func (p *plan) same(seen map[*plan]bool) bool {
	if p == nil || seen[p] {
		return true
	}
	seen[p] = true
	if len(p.original) > 0 || len(p.filled) > 0 || !p.items.same(seen) || !p.extra.same(seen) {
		return false
	}
	for _, m := range p.members {
		if !m.same(seen) {
			return false
		}
	}
	return true
}

func (p *plan) member(name string) *plan {
	if p.members == nil {
		p.members = map[string]*plan{}
	}
	child := p.members[name]
	if child == nil {
		child = &plan{}
		p.members[name] = child
	}
	return child
}

// at is the plan of a member that is already known, or of the undeclared ones.
func (p *plan) at(name string) *plan {
	if child, ok := p.members[name]; ok {
		return child
	}
	return p.extra
}

func (p *plan) rename(declared, sent string) {
	if p.original == nil {
		p.original, p.sent = map[string]string{}, map[string]string{}
	}
	p.original[sent], p.sent[declared] = declared, sent
}

func (p *plan) fill(name string) {
	if p.filled == nil {
		p.filled = map[string]bool{}
	}
	p.filled[name] = true
	p.order = append(p.order, name)
}

// Undo turns arguments that a model wrote for the provider's version back into arguments of the original schema: names
// of members, and the nulls that strict mode asks for. What is no JSON object comes back as it is.
func (n *Normalised) Undo(args json.RawMessage) json.RawMessage { return n.convert(args, (*plan).undo) }

// Redo is the way there: arguments of an earlier call, as the model would have written them for this provider.
func (n *Normalised) Redo(args json.RawMessage) json.RawMessage { return n.convert(args, (*plan).redo) }

// SameArgs reports whether arguments are the same in both versions, so that Undo and Redo change nothing.
func (n *Normalised) SameArgs() bool { return n.plan.same(map[*plan]bool{}) }

func (n *Normalised) convert(args json.RawMessage, change func(*plan, *Value)) json.RawMessage {
	if n.SameArgs() {
		return args
	}
	v, err := parse(args)
	if err != nil || v.Kind != '{' {
		return args
	}
	change(n.plan, v)
	return v.Append(nil)
}

func (p *plan) undo(v *Value) {
	if p == nil {
		return
	}
	for _, item := range v.Items {
		p.items.undo(item)
	}
	kept := v.Members[:0]
	for _, m := range v.Members {
		if name, ok := p.original[m.Name]; ok {
			m.Name = name
		}
		if m.Value.Kind == 'n' && p.filled[m.Name] {
			continue
		}
		p.at(m.Name).undo(m.Value)
		kept = append(kept, m)
	}
	v.Members = kept
}

func (p *plan) redo(v *Value) {
	if p == nil {
		return
	}
	for _, item := range v.Items {
		p.items.redo(item)
	}
	if v.Kind != '{' {
		return
	}
	for _, name := range p.order {
		if v.Member(name) == nil {
			v.Members = append(v.Members, member{Name: name, Value: &Value{Kind: 'n'}})
		}
	}
	for i, m := range v.Members {
		p.at(m.Name).redo(m.Value)
		if sent, ok := p.sent[m.Name]; ok {
			v.Members[i].Name = sent
		}
	}
}
