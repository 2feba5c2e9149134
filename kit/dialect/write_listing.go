package dialect

import (
	"encoding/json"
	"slices"
	"strings"
)

// listTools lists tools in a style.
func listTools(style Style, tools []Tool) string {
	items := make([]string, len(tools))
	for i, t := range tools {
		items[i] = listTool(style, t)
	}
	switch style {
	case Array, BareArray:
		return "[" + strings.Join(items, ", ") + "]"
	case BareColumn:
		return "[\n    " + strings.Join(items, ",\n    ") + "\n]"
	case IndentedArray:
		return string(indentedJSON([]byte("[" + strings.Join(items, ",") + "]")))
	case SortedArray, FlatArray:
		return "[" + strings.Join(items, ",") + "]"
	case LinesComma:
		return strings.Join(items, ",\n")
	case Declarations, FunctionDeclarations, Marked:
		return strings.Join(items, "")
	case Indented, Fenced, Headed, Used, TypeScript, TypeScriptBraces, TypeScriptWide, SeedStubs, CommandStubs:
		return strings.Join(items, "\n\n")
	}
	return strings.Join(items, "\n")
}

func listTool(style Style, t Tool) string {
	switch style {
	case Bare, BareArray:
		return bareTool(t)
	case BareColumn:
		return strings.TrimSuffix(bareTool(t), "}") + `, "responses": null}`
	case Indented:
		return string(indentedJSON([]byte(wholeTool(t))))
	case SortedArray:
		return string(sortedJSON([]byte(wholeTool(t))))
	case FlatArray:
		return string(sortedJSON([]byte(strings.TrimSuffix(bareTool(t), "}") + `, "type": "function"}`)))
	case Wrapped:
		return "<tool>" + bareTool(t) + "</tool>"
	case Marked:
		return "<|tool:begin|>" + bareTool(t) + "<|tool:end|>"
	case Fenced:
		return "```json\n" + wholeTool(t) + "\n```"
	case Headed:
		return "### " + t.Name + "\nDescription: " + t.Description + "\n\nParameters: " + schemaOf(t)
	case Used:
		return "Use the function '" + t.Name + "' to '" + t.Description + "'\n" + bareTool(t)
	case XML:
		return toolXML(t)
	case TypeScript, TypeScriptTight, TypeScriptBraces, TypeScriptWide:
		return toolTypeScript(style, t)
	case SeedStubs:
		return seedStub(t)
	case CommandStubs:
		return commandStub(t)
	case Declarations:
		return gemma4Declaration().tool(t)
	case FunctionDeclarations:
		return functionGemmaDeclaration().tool(t)
	}
	return wholeTool(t)
}

// wholeTool writes a tool as OpenAI's function object, on one line.
func wholeTool(t Tool) string { return `{"type": "function", "function": ` + bareTool(t) + "}" }

// bareTool writes {"name":…,"description":…,"parameters":…} on one line.
func bareTool(t Tool) string {
	text := `{"name": ` + string(quoteJSON(t.Name))
	if t.Description != "" {
		text += `, "description": ` + string(quoteJSON(t.Description))
	}
	return text + `, "parameters": ` + schemaOf(t) + "}"
}

// schemaOf returns the schema of a tool's arguments on one line.
func schemaOf(t Tool) string {
	if !json.Valid(t.Parameters) {
		return `{"type": "object", "properties": {}}`
	}
	return string(spacedJSON(t.Parameters))
}

// property is one parameter as the listings need it.
type property struct {
	name, kind, description string
	required                bool
	enum                    []json.RawMessage
	rest                    []jsonMember // all other keywords
	schema                  []byte
}

// properties returns a tool's parameters in the order in which the schema has them.
func properties(t Tool) []property { return propertiesOf(t.Parameters) }

// propertiesOf returns the properties of an object's schema.
func propertiesOf(object json.RawMessage) []property {
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	_ = json.Unmarshal(object, &schema)
	var props []property
	for _, m := range objectMembers(schema.Properties) {
		p := readProperty(m.Value)
		p.name, p.required = m.Key, slices.Contains(schema.Required, m.Key)
		props = append(props, p)
	}
	return props
}

// readProperty reads the schema of one value.
func readProperty(schema json.RawMessage) property {
	p := property{schema: schema}
	for _, k := range objectMembers(schema) {
		switch k.Key {
		case "type":
			p.kind, _ = plainText(k.Value)
		case "description":
			p.description, _ = plainText(k.Value)
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
