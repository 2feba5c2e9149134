package dialect

import (
	"strings"
)

// toolXML writes a tool as nested elements.
func toolXML(t Tool) string {
	var b strings.Builder
	b.WriteString("<function>\n<name>" + t.Name + "</name>\n")
	if t.Description != "" {
		b.WriteString("<description>" + t.Description + "</description>\n")
	}
	b.WriteString("<parameters>\n")
	var required []string
	for _, p := range properties(t) {
		b.WriteString("<parameter>\n<name>" + p.name + "</name>\n")
		if p.kind != "" {
			b.WriteString("<type>" + p.kind + "</type>\n")
		}
		if p.description != "" {
			b.WriteString("<description>" + p.description + "</description>\n")
		}
		if len(p.enum) > 0 {
			b.WriteString("<enum>" + joinJSON(p) + "</enum>\n")
		}
		for _, m := range p.rest {
			b.WriteString("<" + m.key + ">" + string(m.value) + "</" + m.key + ">\n")
		}
		b.WriteString("</parameter>\n")
		if p.required {
			required = append(required, string(quote(p.name)))
		}
	}
	if len(required) > 0 {
		b.WriteString("<required>[" + strings.Join(required, ", ") + "]</required>\n")
	}
	b.WriteString("</parameters>\n</function>")
	return b.String()
}

func joinJSON(p property) string {
	var values []string
	for _, v := range p.enum {
		values = append(values, string(v))
	}
	return "[" + strings.Join(values, ", ") + "]"
}

// toolTypeScript writes a tool as a type of a TypeScript function.
func toolTypeScript(t Tool) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(t.Description), "\n") {
		b.WriteString("// " + line + "\n")
	}
	props := properties(t)
	if len(props) == 0 {
		return b.String() + "type " + t.Name + " = () => any;"
	}
	b.WriteString("type " + t.Name + " = (_: {\n")
	for _, p := range props {
		if p.description != "" {
			b.WriteString("// " + strings.ReplaceAll(p.description, "\n", "\n// ") + "\n")
		}
		mark := "?"
		if p.required {
			mark = ""
		}
		b.WriteString(p.name + mark + ": " + typeScript(p) + ",\n")
	}
	b.WriteString("}) => any;")
	return b.String()
}

// typeScript names a parameter's type.
func typeScript(p property) string {
	if len(p.enum) > 0 {
		var values []string
		for _, v := range p.enum {
			values = append(values, string(v))
		}
		return strings.Join(values, " | ")
	}
	switch p.kind {
	case "integer", "number":
		return "number"
	case "string", "boolean":
		return p.kind
	case "array":
		for _, m := range p.rest {
			if m.key == "items" {
				for _, k := range ordered(m.value) {
					if kind, ok := plain(k.value); ok && k.key == "type" {
						return typeScript(property{kind: kind}) + "[]"
					}
				}
			}
		}
		return "any[]"
	case "object":
		return "object"
	}
	return "any"
}

// toolStub writes a tool as a Python function with a docstring.
func toolStub(t Tool) string {
	kinds := map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict"}
	var params, docs []string
	for _, p := range properties(t) {
		kind := kinds[p.kind]
		if kind == "" {
			kind = "Any"
		}
		param := p.name + ": " + kind
		need := "Required"
		if !p.required {
			param, need = param+" = None", "Optional"
		}
		params = append(params, param)
		docs = append(docs, "    - "+p.name+" ("+kind+") ["+need+"]: "+p.description)
	}
	text := "def " + t.Name + "(" + strings.Join(params, ", ") + "):\n    \"\"\"\n    " + t.Description + "\n"
	if len(docs) > 0 {
		text += "\n    Args:\n" + strings.Join(docs, "\n") + "\n"
	}
	return text + "    \"\"\""
}

// toolDeclaration writes a tool in the braces of Gemma 4.
func toolDeclaration(t Tool) string {
	q := func(s string) string { return `<|"|>` + s + `<|"|>` }
	var props, required []string
	for _, p := range properties(t) {
		var inside []string
		if p.description != "" {
			inside = append(inside, "description:"+q(p.description))
		}
		inside = append(inside, "type:"+q(strings.ToUpper(p.kind)))
		props = append(props, p.name+":{"+strings.Join(inside, ",")+"}")
		if p.required {
			required = append(required, q(p.name))
		}
	}
	text := "<|tool>declaration:" + t.Name + "{description:" + q(t.Description) + ",parameters:{"
	if len(props) > 0 {
		text += "properties:{" + strings.Join(props, ",") + "},"
	}
	if len(required) > 0 {
		text += "required:[" + strings.Join(required, ",") + "],"
	}
	return text + "type:" + q("OBJECT") + "}}<tool|>"
}
