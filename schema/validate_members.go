package schema

// object compares the members of an object.
func (c *check) object(n *node, v *subject) (found []fault) {
	has := v.Has()
	if missing := lacking(n.mustHave, has); missing != nil {
		found = c.faults(func() []Problem { return c.missing(missing, c.path, v.Value) })
	}
	if n.rare != nil {
		found = append(found, c.rareOfObject(n.rare, v, has)...)
	}
	var unknown []string
	for _, m := range v.Members {
		if c.enough(found) {
			return found
		}
		known := false
		if i := n.lookup(m.Name); i >= 0 {
			known = true
			found = append(found, c.below(n.properties[i].node, m.Value, m.Name)...)
		}
		if n.rare != nil {
			for _, p := range n.rare.byPattern {
				if c.matched(p.pattern, m.Name) {
					known = true
					found = append(found, c.below(p.node, m.Value, m.Name)...)
				}
			}
		}
		switch {
		case known:
		case n.closed:
			unknown = append(unknown, m.Name)
		case n.extra != nil:
			known = true
			found = append(found, c.below(n.extra, m.Value, m.Name)...)
		}
		if known || n.takesAll {
			c.sawMember(v, m.Name)
		}
	}
	if unknown != nil {
		found = append(found, c.faults(func() []Problem { return c.unknown(unknown, c.path) })...)
	}
	return found
}

// rareOfObject compares what an object must have beyond the usual keywords.
func (c *check) rareOfObject(r *rare, v *subject, has func(string) bool) (found []fault) {
	if count := len(v.Members); count < r.size.low {
		found = c.wrong("must have at least %d members, got %d", r.size.low, count)
	} else if r.size.high >= 0 && count > r.size.high {
		found = c.wrong("must have at most %d members, got %d", r.size.high, count)
	}
	for _, d := range r.dependent {
		if !has(d.name) || c.enough(found) {
			continue
		}
		if missing := lacking(d.required, has); missing != nil {
			found = append(found, c.wrong("needs also %s, because %q is given", quoteAll(missing, ", "), shorten(d.name, 64))...)
		}
		if d.node != nil {
			found = append(found, c.value(d.node, v)...)
		}
	}
	if r.names != nil {
		for _, m := range v.Members {
			if c.enough(found) {
				break
			}
			for _, f := range c.below(r.names, stringValue(m.Name), m.Name) {
				f.Message = "the name: " + f.Message
				found = append(found, f)
			}
		}
	}
	return found
}

// lacking returns the names that are not given.
func lacking(names []string, has func(string) bool) (missing []string) {
	for _, name := range names {
		if !has(name) {
			missing = append(missing, name)
		}
	}
	return missing
}
