package schema

// properties writes the members of an object, their names as the provider takes them, and which are required.
func (w *profileWriter) properties(d *draft, v *Value) {
	out, required := &Value{Kind: '{'}, &Value{Kind: '['}
	needed := map[string]bool{}
	if r := d.source.Member("required"); r != nil {
		for _, item := range r.Items {
			needed[item.Text] = true
		}
	}
	taken := map[string]bool{}
	for _, m := range v.Members {
		taken[m.Name] = true
	}
	for _, m := range v.Members {
		if !w.spend(len(m.Name) + 8) {
			w.lose(d.path, "properties", "")
			break
		}
		name := w.argument(m.Name, taken, d.plan)
		child := w.node(m.Value, d.path+".properties."+m.Name, d.plan.member(m.Name))
		if needed[m.Name] || w.p.strict {
			required.Items = append(required.Items, stringValue(name))
		}
		if !needed[m.Name] && w.p.strict {
			if !w.saysNull(child) {
				d.plan.fill(m.Name)
				child = w.nullable(child, d.path)
			} else {
				d.plan.order = append(d.plan.order, m.Name)
			}
		}
		delete(needed, m.Name)
		out.Members = append(out.Members, member{Name: name, Value: child})
	}
	if len(needed) > 0 {
		for _, item := range d.source.Member("required").Items {
			switch {
			case !needed[item.Text]:
			case w.p.full():
				required.Items = append(required.Items, stringValue(w.sentName(d, item.Text)))
			default:
				w.drop(d, "required", "requires "+shorten(item.Text, 60))
			}
		}
	}
	d.set("properties", out)
	if len(required.Items) > 0 {
		d.set("required", required)
	}
}

// argument gives a member a name that the provider takes.
func (w *profileWriter) argument(name string, taken map[string]bool, p *plan) string {
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
func (w *profileWriter) requiredAlone(d *draft, v *Value) {
	switch {
	case w.p.full():
		out := &Value{Kind: '['}
		for _, item := range v.Items {
			out.Items = append(out.Items, stringValue(w.sentName(d, item.Text)))
		}
		d.set("required", out)
	case len(v.Items) > 0:
		w.drop(d, "required", "requires "+listed(v.Items))
	}
}

// sentName is the name under which a member that is not declared here is sent.
func (w *profileWriter) sentName(d *draft, name string) string {
	if sent, ok := d.plan.sent[name]; ok {
		return sent
	}
	return name
}
