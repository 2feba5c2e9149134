package schema

import (
	"slices"
	"strconv"
	"strings"

	"rein/schema/internal/tree"
)

// draft2020 is what the keyword $schema says of the draft that everything is checked by unless it says something else.
const draft2020 = "https://json-schema.org/draft/2020-12/schema"

// inNewerWords copies a schema that names no older draft, and writes what only draft-07 has in the words of draft 2020-12.
// Many servers send such schemas. One without such keywords is returned as it is.
func inNewerWords(document *tree.Value) *tree.Value {
	if named := document.Member("$schema"); named != nil && named.Text != draft2020 || !hasOlder(document) {
		return document
	}
	return rewritten(document, newer)
}

// hasOlder reports whether a schema in v has a keyword that newer rewrites.
func hasOlder(v *tree.Value) bool {
	for _, m := range v.Members {
		if m.Name == "items" && m.Value.Kind == '[' || m.Name == "dependencies" || slices.ContainsFunc(subschemas(m), hasOlder) {
			return true
		}
	}
	return false
}

// intoList rewrites a reference into a list of items: "#/items/0" points to "#/prefixItems/0".
func intoList(ref string) string {
	parts := strings.Split(ref, "/")
	for i := 1; i+1 < len(parts); i++ {
		named := slices.Contains([]string{"properties", "definitions", "$defs"}, parts[i-1])
		if _, err := strconv.Atoi(parts[i+1]); err == nil && parts[i] == "items" && !named {
			parts[i] = "prefixItems"
		}
	}
	return strings.Join(parts, "/")
}

// newer gives the members of one schema: a list of items becomes prefixItems, and additionalItems the items behind them;
// dependencies become dependentRequired and dependentSchemas.
func newer(members []tree.Member) []tree.Member {
	listed := slices.ContainsFunc(members, func(m tree.Member) bool { return m.Name == "items" && m.Value.Kind == '[' })
	var out []tree.Member
	for _, m := range members {
		switch {
		case m.Name == "items" && listed:
			if len(m.Value.Items) > 0 { // prefixItems must not be empty
				out = append(out, tree.Member{Name: "prefixItems", Value: m.Value})
			}
		case m.Name == "$ref" && m.Value.Kind == '"':
			out = append(out, tree.Member{Name: m.Name, Value: &tree.Value{Kind: '"', Text: intoList(m.Value.Text)}})
		case m.Name == "additionalItems" && listed:
			out = append(out, tree.Member{Name: "items", Value: m.Value})
		case m.Name == "additionalItems": // it means nothing without a list
		case m.Name == "dependencies" && m.Value.Kind == '{':
			required, schemas := &tree.Value{Kind: '{'}, &tree.Value{Kind: '{'}
			for _, d := range m.Value.Members {
				into := schemas
				if d.Value.Kind == '[' {
					into = required
				}
				into.Members = append(into.Members, d)
			}
			out = append(out, tree.Member{Name: "dependentRequired", Value: required}, tree.Member{Name: "dependentSchemas", Value: schemas})
		default:
			out = append(out, m)
		}
	}
	return out
}
