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
	root := w.tools.shape(c.Name)
	for _, m := range ordered(c.Args) {
		var sh *shape
		if root != nil {
			sh = root.members[m.key]
		}
		writeElement(&b, t.Prefix, m.key, m.value, sh)
	}
	b.WriteString(f.Close[0])
	return b.String()
}

// writeElement writes one element and what is in it.
func writeElement(b *strings.Builder, prefix, key string, value []byte, sh *shape) {
	r := &elementReader{}
	b.WriteString(prefix + "<" + key + ">")
	switch {
	case value[0] == '{' && len(ordered(value)) > 0:
		for _, m := range ordered(value) {
			writeElement(b, prefix, m.key, m.value, r.child(sh, m.key))
		}
	case value[0] == '[' && string(value) != "[]":
		var items []json.RawMessage
		_ = json.Unmarshal(value, &items)
		for _, item := range items {
			writeElement(b, prefix, "item", item, r.child(sh, "item"))
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
		for _, m := range sorted(ordered(value)) {
			parts = append(parts, m.key+":"+w.braces(f, m.value))
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
		text, _ := plain(value)
		return f.Quote + text + f.Quote
	}
	return string(value)
}

// python writes [f(a="x"), g()].
func (w *writer) python(f *Form, calls []Call) string {
	var parts []string
	for _, c := range calls {
		var args []string
		for _, m := range ordered(c.Args) {
			args = append(args, m.key+"="+pythonValue(m.value))
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
		for _, m := range ordered(value) {
			parts = append(parts, string(quote(m.key))+": "+pythonValue(m.value))
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

// ordered returns the members of a JSON object in the order in which they were written.
func ordered(object json.RawMessage) []member {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var members []member
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			break
		}
		members = append(members, member{key.(string), value})
	}
	return members
}

// plain returns a JSON string's text, or any other JSON as it is.
func plain(value json.RawMessage) (string, bool) {
	var s string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &s) == nil {
		return s, true
	}
	return string(value), false
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
