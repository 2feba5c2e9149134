package dialect

import (
	"bytes"
	"encoding/json"
	"html"
	"strings"
)

// elements writes nested elements.
func (w *writer) elements(f *Form, c Call) string {
	t := &f.Tags
	var b strings.Builder
	b.WriteString(f.Open[0] + " " + t.NameAttr + `="` + c.Name + `">`)
	root := w.tools[c.Name]
	for _, m := range objectMembers(c.Args) {
		var sh *valueShape
		if root != nil {
			sh = root.Members[m.Key]
		}
		writeElement(&b, t.Prefix, m.Key, m.Value, sh)
	}
	b.WriteString(f.Close[0])
	return b.String()
}

// writeElement writes one element and what is in it.
func writeElement(b *strings.Builder, prefix, key string, value []byte, sh *valueShape) {
	b.WriteString(prefix + "<" + key + ">")
	switch {
	case value[0] == '{' && len(objectMembers(value)) > 0:
		for _, m := range objectMembers(value) {
			writeElement(b, prefix, m.Key, m.Value, sh.Child(m.Key))
		}
	case value[0] == '[' && string(value) != "[]":
		var items []json.RawMessage
		_ = json.Unmarshal(value, &items)
		for _, item := range items {
			writeElement(b, prefix, "item", item, sh.Child("item"))
		}
	default:
		b.WriteString(unmistaken(value, sh))
	}
	b.WriteString(prefix + "</" + key + ">")
}

// braces writes {key:value,…}.
func (w *writer) braces(f *Form, value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	switch value[0] {
	case '{':
		var parts []string
		for _, m := range sortMembers(objectMembers(value)) {
			parts = append(parts, m.Key+":"+w.braces(f, m.Value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		var items []json.RawMessage
		_ = json.Unmarshal(value, &items)
		var parts []string
		for _, item := range items {
			parts = append(parts, w.braces(f, item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case '"':
		text, _ := plainText(value)
		return f.Quote + text + f.Quote
	}
	return string(value)
}

// python writes [f(a="x"), g()].
func (w *writer) python(f *Form, calls []Call) string {
	var parts []string
	for _, c := range calls {
		var args []string
		for _, m := range objectMembers(c.Args) {
			args = append(args, m.Key+"="+pythonValue(m.Value))
		}
		parts = append(parts, c.Name+"("+strings.Join(args, ", ")+")")
	}
	switch {
	case f.OneLine:
		return f.Open[0] + strings.Join(parts, "\n") + f.Close[0]
	case len(f.Open) > 0:
		return f.Open[0] + "[" + strings.Join(parts, ", ") + "]" + f.Close[0]
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// pythonValue writes JSON as a Python literal.
func pythonValue(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	switch value[0] {
	case '{':
		var parts []string
		for _, m := range objectMembers(value) {
			parts = append(parts, string(quoteJSON(m.Key))+": "+pythonValue(m.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		var items []json.RawMessage
		_ = json.Unmarshal(value, &items)
		var parts []string
		for _, item := range items {
			parts = append(parts, pythonValue(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	switch string(value) {
	case "true":
		return "True"
	case "false":
		return "False"
	case "null":
		return "None"
	}
	return string(value)
}

func typeName(value json.RawMessage) string {
	switch value[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func escaped(t *Tags, s string) string {
	if t.Escaped {
		return html.EscapeString(s)
	}
	return s
}
