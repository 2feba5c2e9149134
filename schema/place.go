package schema

import (
	"strconv"
)

// at follows a location down the schema, as far as the everyday subset knows it.
func (n *node) at(location []string) *node {
	for _, step := range location {
		if n == nil {
			return nil
		}
		if i, err := strconv.Atoi(step); err == nil && n.effective&isArray != 0 {
			if item := n.listNode().item(i); item != nil {
				n = item
				continue
			}
		}
		n = n.childNode(step)
	}
	return n
}

// strangeNames lists the members of v that n does not declare.
func strangeNames(v *Value, n *node) []string {
	var names []string
	if v != nil {
		for _, m := range v.Members {
			if len(names) < maxProblems && (n == nil || n.childNode(m.Name) == nil) {
				names = append(names, m.Name)
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
