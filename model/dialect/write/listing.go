package write

import (
	"encoding/json"
	"slices"
	"strings"

	"rein/internal/jsontext"
	"rein/model/dialect"
)

// listTools lists tools in a style.
func listTools(style dialect.Style, tools []dialect.Tool) string {
	items := make([]string, len(tools))
	for i, t := range tools {
		items[i] = listTool(style, t)
	}
	switch style {
	case dialect.Array, dialect.BareArray:
		return "[" + strings.Join(items, ", ") + "]"
	case dialect.BareColumn:
		return "[\n    " + strings.Join(items, ",\n    ") + "\n]"
	case dialect.IndentedArray:
		return string(jsontext.Indented([]byte("[" + strings.Join(items, ",") + "]")))
	case dialect.SortedArray, dialect.FlatArray:
		return "[" + strings.Join(items, ",") + "]"
	case dialect.LinesComma:
		return strings.Join(items, ",\n")
	case dialect.Declarations, dialect.FunctionDeclarations, dialect.Marked:
		return strings.Join(items, "")
	case dialect.Indented, dialect.Fenced, dialect.Headed, dialect.Used, dialect.TypeScript, dialect.TypeScriptBraces, dialect.TypeScriptWide, dialect.SeedStubs, dialect.CommandStubs:
		return strings.Join(items, "\n\n")
	}
	return strings.Join(items, "\n")
}

func listTool(style dialect.Style, t dialect.Tool) string {
	switch style {
	case dialect.Bare, dialect.BareArray:
		return bareTool(t)
	case dialect.BareColumn:
		return strings.TrimSuffix(bareTool(t), "}") + `, "responses": null}`
	case dialect.Indented:
		return string(jsontext.Indented([]byte(wholeTool(t))))
	case dialect.SortedArray:
		return string(jsontext.Sorted([]byte(wholeTool(t))))
	case dialect.FlatArray:
		return string(jsontext.Sorted([]byte(strings.TrimSuffix(bareTool(t), "}") + `, "type": "function"}`)))
	case dialect.Wrapped:
		return "<tool>" + bareTool(t) + "</tool>"
	case dialect.Marked:
		return "<|tool:begin|>" + bareTool(t) + "<|tool:end|>"
	case dialect.Fenced:
		return "```json\n" + wholeTool(t) + "\n```"
	case dialect.Headed:
		return "### " + t.Name + "\nDescription: " + t.Description + "\n\nParameters: " + schemaOf(t)
	case dialect.Used:
		return "Use the function '" + t.Name + "' to '" + t.Description + "'\n" + bareTool(t)
	case dialect.XML:
		return toolXML(t)
	case dialect.TypeScript, dialect.TypeScriptTight, dialect.TypeScriptBraces, dialect.TypeScriptWide:
		return toolTypeScript(style, t)
	case dialect.SeedStubs:
		return seedStub(t)
	case dialect.CommandStubs:
		return commandStub(t)
	case dialect.Declarations:
		return gemma4Declaration().tool(t)
	case dialect.FunctionDeclarations:
		return functionGemmaDeclaration().tool(t)
	}
	return wholeTool(t)
}

// wholeTool writes a tool as OpenAI's function object, on one line.
func wholeTool(t dialect.Tool) string { return `{"type": "function", "function": ` + bareTool(t) + "}" }

// bareTool writes {"name":…,"description":…,"parameters":…} on one line.
func bareTool(t dialect.Tool) string {
	text := `{"name": ` + string(jsontext.Quote(t.Name))
	if t.Description != "" {
		text += `, "description": ` + string(jsontext.Quote(t.Description))
	}
	return text + `, "parameters": ` + schemaOf(t) + "}"
}

// schemaOf returns the schema of a tool's arguments on one line.
func schemaOf(t dialect.Tool) string {
	if !json.Valid(t.Parameters) {
		return `{"type": "object", "properties": {}}`
	}
	return string(jsontext.Spaced(t.Parameters))
}

// property is one parameter as the listings need it.
type property struct {
	name, kind, description string
	required                bool
	enum                    []json.RawMessage
	rest                    []jsontext.Member // all other keywords
	schema                  []byte
}

// properties returns a tool's parameters in the order in which the schema has them.
func properties(t dialect.Tool) []property { return propertiesOf(t.Parameters) }

// propertiesOf returns the properties of an object's schema.
func propertiesOf(object json.RawMessage) []property {
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	_ = json.Unmarshal(object, &schema)
	var props []property
	for _, m := range jsontext.Members(schema.Properties) {
		p := readProperty(m.Value)
		p.name, p.required = m.Key, slices.Contains(schema.Required, m.Key)
		props = append(props, p)
	}
	return props
}

// readProperty reads the schema of one value.
func readProperty(schema json.RawMessage) property {
	p := property{schema: schema}
	for _, k := range jsontext.Members(schema) {
		switch k.Key {
		case "type":
			p.kind, _ = jsontext.Plain(k.Value)
		case "description":
			p.description, _ = jsontext.Plain(k.Value)
		case "enum":
			_ = json.Unmarshal(k.Value, &p.enum)
		default:
			p.rest = append(p.rest, k)
		}
	}
	return p
}

// keyword returns a keyword's value, nil when the schema does not have it.
func (p property) keyword(name string) json.RawMessage {
	for _, m := range p.rest {
		if m.Key == name {
			return m.Value
		}
	}
	return nil
}
