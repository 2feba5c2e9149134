package schema

import "strconv"

// at follows a location down the schema, as far as the everyday subset knows it.
func (n *node) at(location []string) *node {
	for _, step := range location {
		if n == nil {
			return nil
		}
		if n.effective&isArray != 0 && n.itemNode() != nil {
			if _, err := strconv.Atoi(step); err == nil {
				n = n.itemNode()
				continue
			}
		}
		n = n.childNode(step)
	}
	return n
}

func (v *value) at(location []string) *value {
	for _, step := range location {
		if v == nil {
			return nil
		}
		if v.kind == '[' {
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v.items) {
				return nil
			}
			v = v.items[i]
			continue
		}
		v = v.member(step)
	}
	return v
}

// strangeNames lists the members of v that n does not declare.
func (v *value) strangeNames(n *node) []string {
	var names []string
	if v != nil {
		for _, m := range v.members {
			if len(names) < maxProblems && (n == nil || n.childNode(m.name) == nil) {
				names = append(names, m.name)
			}
		}
	}
	return names
}

func pathOf(location []string) string {
	var path string
	for _, step := range location {
		if _, err := strconv.Atoi(step); err == nil && path != "" {
			path += "[" + step + "]"
			continue
		}
		path = join(path, shorten(step, 64))
	}
	return path
}
