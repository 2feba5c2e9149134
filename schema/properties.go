package schema

// properties writes the members of an object, their names as the provider takes them, and which are required.
func (w *writer) properties(d *draft, v *value) {
	out, required := &value{kind: '{'}, &value{kind: '['}
	needed := map[string]bool{}
	if r := d.source.member("required"); r != nil {
		for _, item := range r.items {
			needed[item.text] = true
		}
	}
	taken := map[string]bool{}
	for _, m := range v.members {
		taken[m.name] = true
	}
	for _, m := range v.members {
		if !w.spend(len(m.name) + 8) {
			w.lose(d.path, "properties", "")
			break
		}
		name := w.argument(m.name, taken, d.plan)
		child := w.node(m.value, d.path+".properties."+m.name, d.plan.member(m.name))
		if needed[m.name] || w.p.strict {
			required.items = append(required.items, text(name))
		}
		if !needed[m.name] && w.p.strict {
			if !w.saysNull(child) {
				d.plan.fill(m.name)
				child = w.nullable(child, d.path)
			} else {
				d.plan.order = append(d.plan.order, m.name)
			}
		}
		delete(needed, m.name)
		out.members = append(out.members, member{name, child})
	}
	if len(needed) > 0 {
		for _, item := range d.source.member("required").items {
			switch {
			case !needed[item.text]:
			case w.p.full():
				required.items = append(required.items, text(w.sentName(d, item.text)))
			default:
				w.drop(d, "required", "requires "+shorten(item.text, 60))
			}
		}
	}
	d.set("properties", out)
	if len(required.items) > 0 {
		d.set("required", required)
	}
}

// argument gives a member a name that the provider takes.
func (w *writer) argument(name string, taken map[string]bool, p *plan) string {
	if w.p.argument.most == 0 || w.p.argument.fits(name) {
		return name
	}
	rule := nameRule{first: letters + "_", rest: letters + digits + "_", most: 64}
	sent := rule.plain(name)
	for round := 0; taken[sent]; round++ {
		sent = rule.hashed(name, round)
	}
	taken[sent] = true
	p.rename(name, sent)
	return sent
}

// requiredAlone handles required without properties, as in a branch of a choice.
func (w *writer) requiredAlone(d *draft, v *value) {
	switch {
	case w.p.full():
		out := &value{kind: '['}
		for _, item := range v.items {
			out.items = append(out.items, text(w.sentName(d, item.text)))
		}
		d.set("required", out)
	case len(v.items) > 0:
		w.drop(d, "required", "requires "+listed(v.items))
	}
}

// sentName is the name under which a member that is not declared here is sent.
func (w *writer) sentName(d *draft, name string) string {
	if sent, ok := d.plan.sent[name]; ok {
		return sent
	}
	return name
}
