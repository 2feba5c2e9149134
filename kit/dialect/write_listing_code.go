package dialect

import (
	"strings"
)

// toolXML writes a tool as nested elements.
func toolXML(t Tool) string {
	var b strings.Builder
	b.WriteString("<function>\n<name>" + t.Name + "</name>\n")
	if t.Description != "" {
		b.WriteString("<description>" + strings.TrimSpace(t.Description) + "</description>\n")
	}
	b.WriteString("<parameters>\n")
	var required []string
	for _, p := range properties(t) {
		b.WriteString("<parameter>\n<name>" + p.name + "</name>\n")
		if p.kind != "" {
			b.WriteString("<type>" + p.kind + "</type>\n")
		}
		if p.description != "" {
			b.WriteString("<description>" + strings.TrimSpace(p.description) + "</description>\n")
		}
		if len(p.enum) > 0 {
			b.WriteString("<enum>" + joinJSON(p) + "</enum>\n")
		}
		for _, m := range p.rest {
			b.WriteString("<" + m.Key + ">" + string(spacedJSON(m.Value)) + "</" + m.Key + ">\n")
		}
		b.WriteString("</parameter>\n")
		if p.required {
			required = append(required, string(quoteJSON(p.name)))
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
func toolTypeScript(style Style, t Tool) string {
	indent, comma := "", ","
	if style == TypeScriptWide {
		indent = "  "
	}
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(t.Description), "\n") {
		b.WriteString("// " + line + "\n")
	}
	props := properties(t)
	if len(props) == 0 {
		return b.String() + "type " + t.Name + " = () => any;"
	}
	b.WriteString("type " + t.Name + " = (_: {\n")
	for i, p := range props {
		if p.description != "" {
			b.WriteString(indent + "// " + strings.ReplaceAll(p.description, "\n", "\n"+indent+"// ") + "\n")
		}
		mark := "?"
		if p.required {
			mark = ""
		}
		if style == TypeScriptTight && i == len(props)-1 {
			comma = ""
		}
		b.WriteString(indent + p.name + mark + ": " + typeScript(style, p) + comma)
		if v := p.keyword("default"); v != nil && style == TypeScript {
			b.WriteString(" // default: " + string(v))
		}
		b.WriteString("\n")
	}
	b.WriteString("}) => any;")
	return b.String()
}

// typeScript names a parameter's type.
func typeScript(style Style, p property) string {
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
		if items := readProperty(p.keyword("items")); items.kind != "" {
			return typeScript(style, items) + "[]"
		}
		return "any[]"
	case "object":
		switch style {
		case TypeScriptBraces:
			return "{\n}"
		case TypeScriptWide:
			return "{\n  }"
		}
		return "object"
	}
	return "any"
}

// pythonTypes names JSON's types as Python has them.
func pythonType(kind string) string {
	switch kind {
	case "string":
		return "str"
	case "integer":
		return "int"
	case "number":
		return "float"
	case "boolean":
		return "bool"
	case "array":
		return "list"
	}
	return "Any"
}

// seedStub writes a tool as a Python function with a docstring, in the words of Seed-OSS.
func seedStub(t Tool) string {
	var params, docs []string
	for _, p := range properties(t) {
		kind, need := pythonType(p.kind), "选填"
		if p.required {
			need = "必填"
		}
		params = append(params, p.name+": "+kind)
		docs = append(docs, "    - "+p.name+" ("+kind+") ["+need+"]: "+p.description+"\n")
	}
	text := "Function:\ndef " + t.Name + "(" + strings.Join(params, ",") + "):\n    \"\"\"\n    " + strings.TrimSpace(t.Description) + "\n"
	if len(docs) > 0 {
		text += "\n    Args:\n" + strings.Join(docs, "")
	}
	return text + "\n    \"\"\""
}

// commandStub writes a tool as a Python function with a docstring, in the words of Command R.
func commandStub(t Tool) string {
	var params, docs []string
	for _, p := range properties(t) {
		kind, rest := commandType(p), ""
		if !p.required {
			kind, rest = "Optional["+kind+"]", " = None"
		}
		params = append(params, p.name+": "+kind+rest)
		docs = append(docs, p.name+" ("+kind+"): "+p.description)
	}
	text := "```python\ndef " + t.Name + "(" + strings.Join(params, ", ") + ") -> List[Dict]:\n    \"\"\"" + t.Description
	if len(docs) > 0 {
		text += "\n\n    Args:\n        " + strings.Join(docs, "\n        ")
	}
	return text + "\n    \"\"\"\n    pass\n```"
}

// commandType names a parameter's type for Command R.
func commandType(p property) string {
	switch p.kind {
	case "array":
		return "List[" + commandType(readProperty(p.keyword("items"))) + "]"
	case "object":
		if more := readProperty(p.keyword("additionalProperties")); more.kind != "" {
			return "Dict[str, " + commandType(more) + "]"
		}
		return "Dict[str, Any]"
	}
	return pythonType(p.kind)
}
