package dialect

import (
	"encoding/json"
	"strings"
)

// Style says how tools are listed for a model.
type Style int

// The styles of listing tools. "Whole" means an OpenAI function object, "bare" {name, description, parameters}.
const (
	Lines                Style = iota // whole, one a line
	LinesComma                        // whole, one a line with a comma between
	Bare                              // bare, one a line
	Array                             // whole, an array on one line
	BareArray                         // bare, an array on one line
	BareColumn                        // bare, an array with one a line, with "responses": null
	Indented                          // whole, each on many lines, a blank line between
	IndentedArray                     // whole, an array on many lines
	SortedArray                       // whole, a compact array with sorted members
	FlatArray                         // bare with a type, a compact array with sorted members
	Wrapped                           // <tool>{bare}</tool> for each
	Marked                            // <|tool:begin|>{bare}<|tool:end|> for each
	Fenced                            // whole, each in a fence of its own
	Headed                            // ### NAME, description and parameters
	Used                              // Use the function 'NAME' to 'DESCRIPTION', and the bare object
	XML                               // <function><name>…
	TypeScript                        // type name = (_: {…}) => any; with a blank line between
	TypeScriptTight                   // the same without blank lines, and no comma behind the last parameter
	TypeScriptBraces                  // as TypeScript, an object written out in braces
	TypeScriptWide                    // the same with two blanks before each line
	SeedStubs                         // Python functions with a docstring, as Seed-OSS knows them
	CommandStubs                      // the same as Command R knows them
	Declarations                      // declaration:name{…} of Gemma 4
	FunctionDeclarations              // the same of FunctionGemma
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
		return string(indented([]byte("[" + strings.Join(items, ",") + "]")))
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
		return string(indented([]byte(wholeTool(t))))
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
	text := `{"name": ` + string(quote(t.Name))
	if t.Description != "" {
		text += `, "description": ` + string(quote(t.Description))
	}
	return text + `, "parameters": ` + schemaOf(t) + "}"
}

// schemaOf returns the schema of a tool's arguments on one line.
func schemaOf(t Tool) string {
	if !json.Valid(t.Parameters) {
		return `{"type": "object", "properties": {}}`
	}
	return string(spaced(t.Parameters))
}

// property is one parameter as the listings need it.
type property struct {
	name, kind, description string
	required                bool
	enum                    []json.RawMessage
	rest                    []member // all other keywords
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
	for _, m := range ordered(schema.Properties) {
		p := readProperty(m.value)
		p.name, p.required = m.key, contains(schema.Required, m.key)
		props = append(props, p)
	}
	return props
}

// readProperty reads the schema of one value.
func readProperty(schema json.RawMessage) property {
	p := property{schema: schema}
	for _, k := range ordered(schema) {
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
	return p
}

// keyword returns a keyword's value, nil when the schema does not have it.
func (p property) keyword(name string) json.RawMessage {
	for _, m := range p.rest {
		if m.key == name {
			return m.value
		}
	}
	return nil
}
