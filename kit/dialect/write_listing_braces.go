package dialect

import (
	"encoding/json"
	"strings"
)

// declaration writes tools in the braces of a Gemma.
type declaration struct {
	open, closer, quote string
	full                bool // with what values may be, members and items; else only descriptions and types
}

func gemma4Declaration() declaration {
	return declaration{open: "<|tool>declaration:", closer: "<tool|>", quote: `<|"|>`, full: true}
}

func functionGemmaDeclaration() declaration {
	return declaration{open: "<start_function_declaration>declaration:", closer: "<end_function_declaration>", quote: "<escape>"}
}

// tool writes one tool.
func (d declaration) tool(t Tool) string {
	text := d.open + t.Name + "{description:" + d.quoted(t.Description) + ",parameters:{"
	if props := propertiesOf(t.Parameters); len(props) > 0 {
		text += "properties:{" + d.properties(props, 0) + "},"
	}
	if required := d.required(t.Parameters); required != "" {
		text += required + ","
	}
	return text + "type:" + d.quoted("OBJECT") + "}}" + d.closer
}

func (d declaration) quoted(s string) string { return d.quote + s + d.quote }

// properties writes the members of an object, in order of their names.
func (d declaration) properties(props []property, depth int) string {
	parts := make([]string, len(props))
	order := make([]jsonMember, len(props))
	for i, p := range props {
		order[i] = jsonMember{Key: p.name, Value: []byte(p.name + ":{" + d.property(p, depth) + "}")}
	}
	for i, m := range sortMembers(order) {
		parts[i] = string(m.Value)
	}
	return strings.Join(parts, ",")
}

// property writes the keywords of one value.
func (d declaration) property(p property, depth int) string {
	var parts []string
	if p.description != "" || !d.full {
		parts = append(parts, "description:"+d.quoted(p.description))
	}
	if d.full && depth < deepest {
		parts = append(parts, d.more(p, depth)...)
	}
	if p.kind != "" {
		parts = append(parts, "type:"+d.quoted(strings.ToUpper(p.kind)))
	}
	return strings.Join(parts, ",")
}

// more writes what a value may be: a list of texts, items, or members.
func (d declaration) more(p property, depth int) []string {
	var parts []string
	switch p.kind {
	case "string":
		if len(p.enum) > 0 {
			parts = append(parts, "enum:"+d.list(p.enum))
		}
	case "array":
		if items := p.keyword("items"); items != nil {
			parts = append(parts, "items:{"+d.property(readProperty(items), depth+1)+"}")
		}
	case "object":
		parts = append(parts, "properties:{"+d.properties(propertiesOf(p.schema), depth+1)+"}")
		if required := d.required(p.schema); required != "" {
			parts = append(parts, required)
		}
	}
	return parts
}

// required writes the names that an object needs.
func (d declaration) required(object json.RawMessage) string {
	var schema struct {
		Required []json.RawMessage `json:"required"`
	}
	_ = json.Unmarshal(object, &schema)
	if len(schema.Required) == 0 {
		return ""
	}
	return "required:" + d.list(schema.Required)
}

// list writes texts.
func (d declaration) list(values []json.RawMessage) string {
	parts := make([]string, len(values))
	for i, v := range values {
		text, _ := plainText(v)
		parts[i] = d.quoted(text)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// deepest is how deep a schema is written, so that one that refers to itself ends.
const deepest = 24
