package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Lesson is how a family is taught its form: in the words that it was trained on where these are known.
type Lesson struct {
	// Style says how the tools are listed.
	Style Style
	// Text is the system text; {tools} stands for the list and {call} for a call written in the form.
	Text string
	// Result is how one result goes back: {content}, {json} (the content as a JSON string), {name}, {id} and {n}.
	Result string
	// Around stands before the first and after the last result of a turn.
	Around [2]string
	// Between stands between two results.
	Between string
}

// Style says how tools are listed for a model.
type Style int

// The styles of listing tools.
const (
	Lines        Style = iota // one OpenAI function object a line
	Bare                      // one {name, description, parameters} a line
	Array                     // a JSON array of OpenAI function objects
	BareArray                 // a JSON array of {name, description, parameters}
	Wrapped                   // <tool>{…}</tool> for each
	XML                       // <function><name>…
	TypeScript                // type name = (_: {…}) => any;
	Stubs                     // Python functions with a docstring
	Declarations              // declaration:name{…} in Braces
)

// Result is what a call gave, as a family is told.
type Result struct {
	ID   string // the provider's or ours
	Name string
	Text string
	N    int // how many calls the conversation had before this one
}

// Teach returns the system text that teaches the tools, and how to call them, to a model of this family. Without tools
// it is empty.
func (d *Dialect) Teach(tools []Tool) string {
	if len(tools) == 0 || silentRow(d) {
		return ""
	}
	lesson := d.lesson()
	example := d.WriteCalls([]Call{{Name: "example_function", Args: json.RawMessage(`{"example_parameter": "value"}`)}}, nil, 0)
	return strings.NewReplacer("{tools}", listTools(lesson.Style, tools), "{call}", strings.TrimSpace(example)).Replace(lesson.Text)
}

// WriteResults returns the results of a turn as the family is told them. A result that holds the closing mark of its own
// place is broken up there, so that no result can end its place and go on as somebody else.
func (d *Dialect) WriteResults(results []Result) string {
	lesson := d.lesson()
	var parts []string
	for _, r := range results {
		text := r.Text
		if _, after, ok := strings.Cut(lesson.Result, "{content}"); ok {
			text = defuse(text, strings.TrimSpace(after))
		}
		text = defuse(text, strings.TrimSpace(lesson.Around[1]))
		for i := range d.Calls {
			text = defuse(text, d.Calls[i].Quote)
		}
		id := r.ID
		if id == "" {
			id = fmt.Sprint(r.N)
		}
		parts = append(parts, strings.NewReplacer("{content}", text, "{json}", string(quote(r.Text)), "{name}", r.Name, "{id}", id, "{n}", fmt.Sprint(r.N)).Replace(lesson.Result))
	}
	return lesson.Around[0] + strings.Join(parts, lesson.Between) + lesson.Around[1]
}

// defuse breaks a closing mark inside a text.
func defuse(text, mark string) string {
	if len(mark) < 2 {
		return text
	}
	return strings.ReplaceAll(text, mark, mark[:1]+`\`+mark[1:])
}

func silentRow(d *Dialect) bool { return len(d.Calls) == 0 && d.Frames == nil }

// listTools lists tools in a style.
func listTools(style Style, tools []Tool) string {
	var items []string
	for _, t := range tools {
		items = append(items, listTool(style, t))
	}
	switch style {
	case Array, BareArray:
		return "[" + strings.Join(items, ", ") + "]"
	case Declarations:
		return strings.Join(items, "")
	case TypeScript, Stubs:
		return strings.Join(items, "\n\n")
	}
	return strings.Join(items, "\n")
}

func listTool(style Style, t Tool) string {
	switch style {
	case Bare, BareArray:
		return toolJSON(t)
	case Wrapped:
		return "<tool>" + toolJSON(t) + "</tool>"
	case XML:
		return toolXML(t)
	case TypeScript:
		return toolTypeScript(t)
	case Stubs:
		return toolStub(t)
	case Declarations:
		return toolDeclaration(t)
	}
	return `{"type": "function", "function": ` + toolJSON(t) + "}"
}

// toolJSON writes {"name":…,"description":…,"parameters":…} on one line.
func toolJSON(t Tool) string {
	return fmt.Sprintf(`{"name": %s, "description": %s, "parameters": %s}`, quote(t.Name), quote(t.Description), schemaOf(t))
}

// schemaOf returns the schema of a tool's arguments on one line.
func schemaOf(t Tool) string {
	var b bytes.Buffer
	if len(t.Parameters) == 0 || json.Compact(&b, t.Parameters) != nil {
		return `{"type":"object","properties":{}}`
	}
	return b.String()
}

// property is one parameter as the listings need it.
type property struct {
	name, kind, description string
	required                bool
	enum                    []json.RawMessage
	rest                    []member
}

// properties returns a tool's parameters in the order in which the schema has them.
func properties(t Tool) []property {
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	_ = json.Unmarshal(t.Parameters, &schema)
	var props []property
	for _, m := range ordered(schema.Properties) {
		p := property{name: m.key, required: contains(schema.Required, m.key)}
		for _, k := range ordered(m.value) {
			switch k.key {
			case "type":
				p.kind, _ = plain(k.value)
			case "description":
				p.description, _ = plain(k.value)
			case "enum":
				_ = json.Unmarshal(k.value, &p.enum)
			default:
				p.rest = append(p.rest, k)
			}
		}
		props = append(props, p)
	}
	return props
}
