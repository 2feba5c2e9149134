//lint:file-ignore SA1019 the suites check roots, sampling and logging for versions that have them

package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addMore adds what the suites expect and rein itself never does: asking a client for its model, its directories or forms of a
// given shape, logging to it, resources and prompts with images.
func addMore(s *sdk.Server) {
	addContent(s)
	add := func(name string, run func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{Name: name, Description: name, InputSchema: map[string]any{"type": "object"}}, run)
	}
	log := func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for range 3 {
			_ = r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: "a step"})
		}
		return said("logged"), nil
	}
	add("test_tool_with_logging", log)
	add("test_logging_tool", log)
	add("test_sampling", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		answer, err := r.Session.CreateMessage(ctx, question())
		if err != nil {
			return nil, err
		}
		return said("the model of the client: %v", answer.Content), nil
	})
	for name, properties := range map[string]string{"test_elicitation_sep1034_defaults": defaults, "test_elicitation_sep1330_enums": enums} {
		add(name, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			answer, err := r.Session.Elicit(ctx, formOf(properties))
			if err != nil {
				return nil, err
			}
			return said("the user: %v", answer), nil
		})
	}
	add("test_reconnection", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if r.Extra != nil && r.Extra.CloseSSEStream != nil {
			r.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
			time.Sleep(100 * time.Millisecond) // the client comes back meanwhile
		}
		return said("after the break"), nil
	})
	add("test_missing_capability", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if c := r.ClientCapabilities(); c != nil && c.Sampling != nil {
			return said("it can"), nil
		}
		data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}}})
		if err != nil {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the client cannot sample", Data: data}
	})
	add("test_trigger_tool_change", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add("another_tool", log)
		return said("changed"), nil
	})
	add("test_trigger_prompt_change", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		s.AddPrompt(&sdk.Prompt{Name: "another_prompt", Description: "another"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{}, nil
		})
		return said("changed"), nil
	})
	addInputs(add)
}

// addInputs adds the tools whose result asks the client for something: see the version 2026-07-28 of the protocol.
func addInputs(add func(string, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error))) {
	all := sdk.InputRequestMap{"user_name": formOf(`{"name":{"type":"string"}}`), "greeting": question(), "client_roots": &sdk.ListRootsParams{}}
	needs := func(names ...string) func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			asked := sdk.InputRequestMap{}
			for _, name := range names {
				if r.Params.InputResponses[name] == nil || !filled(r.Params.InputResponses[name]) {
					asked[name] = all[name]
				}
			}
			if len(asked) > 0 {
				return &sdk.CallToolResult{InputRequests: asked, RequestState: "asked"}, nil
			}
			return said("%v", r.Params.InputResponses), nil
		}
	}
	all["capital_question"] = question()
	all["step1"], all["step2"] = formOf(`{"name":{"type":"string"}}`), formOf(`{"color":{"type":"string"}}`)
	add("test_input_required_result_elicitation", needs("user_name"))
	add("test_input_required_result_sampling", needs("capital_question"))
	add("test_input_required_result_list_roots", needs("client_roots"))
	add("test_input_required_result_multiple_inputs", needs("user_name", "greeting", "client_roots"))
	add("test_input_required_result_multi_round", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		next := map[string]string{"": "step1", "step1": "step2"}[r.Params.RequestState]
		if next == "" {
			return said("%v", r.Params.InputResponses), nil
		}
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{next: all[next]}, RequestState: next}, nil
	})
	add("test_input_required_result_capabilities", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var names []string
		if c := r.ClientCapabilities(); c != nil && c.Elicitation != nil {
			names = append(names, "user_name")
		} else if c != nil && c.Sampling != nil {
			names = append(names, "greeting")
		}
		return needs(names...)(ctx, r)
	})
}

// filled reports whether an answer has what was asked for.
func filled(answer sdk.InputResponse) bool {
	e, ok := answer.(*sdk.ElicitResult)
	return !ok || e.Action == "accept" && len(e.Content) > 0 && e.Content["name"] != ""
}

// addContent adds resources, and prompts that are more than text.
func addContent(s *sdk.Server) {
	read := func(c sdk.ResourceContents) sdk.ResourceHandler {
		return func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			c := c
			c.URI = r.Params.URI
			c.Text = strings.ReplaceAll(c.Text, "{uri}", c.URI)
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
		}
	}
	for name, c := range map[string]sdk.ResourceContents{"static-text": {MIMEType: "text/plain", Text: "a text"}, "static-binary": {MIMEType: "image/png", Blob: []byte(onePixel)},
		"watched-resource": {MIMEType: "text/plain", Text: "watched"}} {
		s.AddResource(&sdk.Resource{Name: name, URI: "test://" + name, MIMEType: c.MIMEType}, read(c))
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json"},
		read(sdk.ResourceContents{MIMEType: "application/json", Text: `{"uri":"{uri}"}`}))
	prompt := func(name string, args []*sdk.PromptArgument, content func(map[string]string) sdk.Content) {
		s.AddPrompt(&sdk.Prompt{Name: name, Description: name, Arguments: args}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: content(r.Params.Arguments)}}}, nil
		})
	}
	prompt("test_prompt_with_image", nil, func(map[string]string) sdk.Content {
		return &sdk.ImageContent{MIMEType: "image/png", Data: []byte(onePixel)}
	})
	prompt("test_prompt_with_embedded_resource", []*sdk.PromptArgument{{Name: "resourceUri", Required: true}}, func(args map[string]string) sdk.Content {
		return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: args["resourceUri"], MIMEType: "text/plain", Text: "the content"}}
	})
	s.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "asks"}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if r.Params.InputResponses["user_context"] == nil {
			return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": formOf(`{"context":{"type":"string"}}`)}}, nil
		}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "the context"}}}}, nil
	})
}

func said(format string, a ...any) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf(format, a...)}}}
}

func question() *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "What is the capital of France?"}}}}
}

func formOf(properties string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Mode: "form", Message: "Please fill this in", RequestedSchema: json.RawMessage(`{"type":"object","properties":` + properties + `}`)}
}

// The forms of the suites.
const (
	defaults = `{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}`
	enums = `{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}`
)
