package dialect

// The files write_… write calls, results and tool prompts in a dialect.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// WriteCalls returns calls as the family writes them, for the history that a model is shown. Arguments must be JSON
// objects. first is how many calls the conversation had before: some families count them in the id.
func WriteCalls(d *Dialect, calls []Call, tools []Tool, first int) string {
	if len(calls) == 0 {
		return ""
	}
	w := &writer{d: d, tools: argumentShapes(tools), first: first}
	if d.Frames != nil {
		return w.frames(calls)
	}
	for i := range d.Calls {
		if f := &d.Calls[i]; !f.Unwritten {
			return w.form(f, calls)
		}
	}
	return ""
}

// writer writes calls in one dialect.
type writer struct {
	d     *Dialect
	tools map[string]*valueShape
	first int
}

// form writes all calls of a turn.
func (w *writer) form(f *Form, calls []Call) string {
	switch f.Syntax {
	case Python:
		return w.python(f, calls)
	case JSON, Lenient:
		return w.json(f, calls)
	}
	parts := make([]string, len(calls))
	for i, c := range calls {
		parts[i] = w.one(f, c, w.first+i, i)
		if f.Each {
			parts[i] = f.Section.Open[0] + "\n" + parts[i] + "\n" + f.Section.Close[0]
		}
	}
	text := strings.Join(parts, f.Join)
	if len(f.Section.Open) == 0 || f.Each {
		return text
	}
	pad := "\n"
	if f.Syntax == Named || f.Tags.Tight {
		pad = ""
	}
	return f.Section.Open[0] + pad + text + pad + f.Section.Close[0]
}

// one writes one call: the nth of the conversation, at a place in its turn.
func (w *writer) one(f *Form, c Call, n, place int) string {
	switch f.Syntax {
	case Markup:
		return w.markup(f, c, place)
	case Elements:
		return w.elements(f, c)
	case Braces:
		return f.Open[0] + "call:" + c.Name + w.braces(f, c.Args) + f.Close[0]
	}
	return w.named(f, c, n)
}

// named writes NAME, the separator and the arguments.
func (w *writer) named(f *Form, c Call, n int) string {
	id := callID(w.d, c.ID, n)
	name := c.Name
	switch {
	case f.Numbered:
		name = "functions." + name + ":" + strconv.Itoa(n)
	case f.IDFirst:
		name = id + f.IDMark + name
	case f.IDMark != "" && w.d.IDDigits > 0:
		name += f.IDMark + id
	}
	closer := ""
	if len(f.Close) > 0 {
		closer = f.Close[0]
	}
	return f.Open[0] + f.Lead + name + f.Sep[0] + f.Pad + string(spacedJSON(c.Args)) + f.Tail + closer
}

// json writes JSON objects: each in tags of its own, or all in one array.
func (w *writer) json(f *Form, calls []Call) string {
	var objects []string
	for i, c := range calls {
		objects = append(objects, w.object(f, c, w.first+i))
	}
	open, closer := "", ""
	if len(f.Open) > 0 {
		open = f.Open[0]
	}
	if len(f.Close) > 0 {
		closer = f.Close[0]
	}
	switch {
	case f.OnlyArray || f.List || f.NameAsKey:
		return open + f.Pad + array(f, objects) + f.Tail + closer
	case f.OneLine:
		return open + "\n" + strings.Join(objects, "\n") + "\n" + closer
	case open == "":
		return strings.Join(objects, "; ")
	}
	for i := range objects {
		objects[i] = open + f.Lead + f.Pad + objects[i] + f.Pad + closer
	}
	return strings.Join(objects, f.Join)
}

// array writes objects as an array in the form's layout.
func array(f *Form, objects []string) string {
	switch f.Layout {
	case Column:
		return "[\n    " + strings.Join(objects, ",\n    ") + "\n]"
	case Spread:
		return string(indentedJSON([]byte("[" + strings.Join(objects, ",") + "]")))
	}
	return "[" + strings.Join(objects, ", ") + "]"
}

// object writes {"name":…,"arguments":…} with the row's own keys.
func (w *writer) object(f *Form, c Call, n int) string {
	args := string(spacedJSON(c.Args))
	if f.NameAsKey {
		return "{" + string(quoteJSON(c.Name)) + ": " + args + "}"
	}
	first, last := "", ""
	if f.IDMark != "" {
		first = fmt.Sprintf(`"%s": "%d", `, f.IDMark, n)
	}
	if f.IDKey != "" {
		last = fmt.Sprintf(`, "%s": %s`, f.IDKey, quoteJSON(callID(w.d, c.ID, n)))
	}
	if f.Layout == Packed {
		return fmt.Sprintf(`{"%s":%s,"%s":%s}`, keyOf(f.NameKeys, "name"), quoteJSON(c.Name), keyOf(f.ArgKeys, "arguments"), sortedJSON(c.Args))
	}
	return fmt.Sprintf(`{%s"%s": %s, "%s": %s%s}`, first, keyOf(f.NameKeys, "name"), quoteJSON(c.Name), keyOf(f.ArgKeys, "arguments"), args, last)
}

// markup writes a call with tagged values.
func (w *writer) markup(f *Form, c Call, place int) string {
	t := &f.Tags
	var b strings.Builder
	b.WriteString(f.Lead)
	switch {
	case t.NameAttr != "":
		b.WriteString(f.Open[0] + " " + t.NameAttr + `="` + escaped(t, c.Name) + `"`)
		if t.TypeAttr == "type" {
			b.WriteString(` index="` + strconv.Itoa(place+1) + `"`)
		}
	case strings.HasSuffix(f.Open[0], "name="):
		b.WriteString(f.Open[0] + `"` + c.Name + `"`)
	default:
		b.WriteString(f.Open[0] + c.Name)
	}
	gap := "\n"
	if t.Tight {
		gap = ""
	}
	head := t.HeadEnd[0]
	if t.Tight && head == "\n" {
		head = ""
	}
	b.WriteString(head)
	if head != "\n" {
		b.WriteString(gap)
	}
	for _, m := range objectMembers(c.Args) {
		b.WriteString(w.param(f, c, m) + gap)
	}
	b.WriteString(f.Close[0] + f.Tail)
	return b.String()
}

// param writes one argument.
func (w *writer) param(f *Form, c Call, m jsonMember) string {
	t := &f.Tags
	value, isText := plainText(spacedJSON(m.Value))
	if s := w.tools[c.Name]; s != nil && t.TypeAttr == "" {
		value = unmistaken(spacedJSON(m.Value), s.Members[m.Key])
	}
	var b strings.Builder
	b.WriteString(t.Param)
	if t.KeyAttr == "" {
		b.WriteString(m.Key)
	} else {
		b.WriteString(" " + t.KeyAttr + `="` + escaped(t, m.Key) + `"`)
	}
	switch t.TypeAttr {
	case "string":
		b.WriteString(` string="` + strconv.FormatBool(isText) + `"`)
	case "type":
		b.WriteString(` type="` + typeName(m.Value) + `"`)
	}
	b.WriteString(t.KeyEnd)
	if t.Value != "" {
		if !t.Tight {
			b.WriteString("\n")
		}
		b.WriteString(t.Value)
	}
	if t.CDATA && strings.ContainsAny(value, "<&\n") && !strings.Contains(value, "]]>") {
		value = "<![CDATA[" + value + "]]>"
	}
	if t.Newlines && !(t.Snug && value == strings.Trim(value, "\n")) {
		value = "\n" + value + "\n"
	}
	b.WriteString(value + t.ParamClose[0])
	return b.String()
}

// unmistaken returns a value as raw text; a string that would read as another value keeps its quotation marks.
func unmistaken(value json.RawMessage, sh *valueShape) string {
	text, isText := plainText(value)
	if isText && sh != nil && sh.Types == 0 && !bytes.Equal(Typed(text, nil, false), quoteJSON(text)) {
		return string(value)
	}
	return text
}

// frames writes calls as framed messages.
func (w *writer) frames(calls []Call) string {
	f := w.d.Frames
	var parts []string
	for _, c := range calls {
		switch {
		case f.Body != nil:
			parts = append(parts, " to="+c.Name+f.Head+w.form(f.Body, []Call{c})+f.End[0])
		case f.Bare:
			parts = append(parts, f.Start[0]+c.Name+f.Head+string(spacedJSON(c.Args)))
		default:
			parts = append(parts, "<|channel|>commentary to="+f.Prefix+c.Name+" <|constrain|>json"+f.Head+string(spacedJSON(c.Args))+"<|call|>")
		}
	}
	if f.Bare {
		return strings.Join(parts, "")
	}
	return strings.Join(parts, f.Start[0]+"assistant")
}

// argumentShapes returns the shapes of the arguments of the tools.
func argumentShapes(tools []Tool) map[string]*valueShape {
	all := make(map[string]*valueShape, len(tools))
	for _, t := range tools {
		all[t.Name] = newValueShape(t.Parameters)
	}
	return all
}

// keyOf returns the first of some keys, or the usual one.
func keyOf(keys []string, usual string) string {
	if len(keys) > 0 {
		return keys[0]
	}
	return usual
}
