package mcp

import (
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/schema"
	"rein/tool"
)

// output reads the schema that a server declares for the results of a tool; nil where it declares none that can be used.
func output(d Definition) *schema.Schema {
	if len(d.Output) == 0 {
		return nil
	}
	s, err := schema.Parse(d.Output)
	if err != nil {
		return nil
	}
	return s
}

// returned is the line of a tool's description that says what it returns; "" where nothing is known or it would be too long.
func returned(out *schema.Schema) string {
	if out == nil || out.Outline() == "" {
		return ""
	}
	return "\nReturns " + visibleText(out.Outline())
}

// checkOutput notes where a result does not have the form that the server declared for it.
func checkOutput(out *schema.Schema, result *sdk.CallToolResult, r *tool.Reply) {
	if out == nil || result.IsError {
		return
	}
	encoded, err := json.Marshal(result.StructuredContent)
	if err != nil || result.StructuredContent == nil {
		r.Note("the server declares a form for this result, and sent only a text")
		return
	}
	checked, err := out.Check(encoded)
	switch {
	case err != nil:
		r.Note("the result does not have the form that the server declares: " + clip(err.Error()))
	case len(checked.Notes) > 0:
		r.Note("the result has nearly the form that the server declares: " + clip(checked.Notes[0]))
	}
}
