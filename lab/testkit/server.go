//lint:file-ignore SA1019 the suites check roots, sampling and logging for versions that have them

package testkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Add adds what the suites expect and rein itself never does: asking a client for its model, its directories or forms of a
// given shape, logging to it, resources and prompts with images.
func Add(s *sdk.Server) {
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
	for name, c := range map[string]sdk.ResourceContents{"static-text": {MIMEType: "text/plain", Text: "a text"}, "static-binary": {MIMEType: "image/png", Blob: []byte(Pixel)},
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
		return &sdk.ImageContent{MIMEType: "image/png", Data: []byte(Pixel)}
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

// Pixel and Sound are the smallest files of their kinds.
const (
	Pixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"
	Sound = "RIFF\x26\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x02\x00\x00\x00\x00\x00"
)

// Schema2020 has what a server must pass on of JSON Schema 2020-12.
const Schema2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
	"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
	"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
	"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`

// Server is a server with all that the suites call, for a proxy to stand before.
func Server() *sdk.Server {
	none := func(context.Context, *sdk.SubscribeRequest) error { return nil }
	server := sdk.NewServer(&sdk.Implementation{Name: "suite", Version: "1"}, &sdk.ServerOptions{SubscribeHandler: none,
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{"paris", "park"}, Total: 2}}, nil
		}})
	Add(server)
	addPrompts(server)
	resource := &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content."}}
	image := &sdk.ImageContent{Data: []byte(Pixel), MIMEType: "image/png"}
	for name, content := range map[string][]sdk.Content{
		"test_simple_text":            {&sdk.TextContent{Text: "This is a simple text response for testing."}},
		"test_image_content":          {image},
		"test_audio_content":          {&sdk.AudioContent{Data: []byte(Sound), MIMEType: "audio/wav"}},
		"test_embedded_resource":      {resource},
		"test_multiple_content_types": {&sdk.TextContent{Text: "Multiple content types test:"}, image, resource},
		"json_schema_2020_12_tool":    {&sdk.TextContent{Text: "ok"}},
		"test_x_mcp_header":           {&sdk.TextContent{Text: "ok"}},
	} {
		schema := `{"type":"object"}`
		switch name {
		case "json_schema_2020_12_tool":
			schema = Schema2020
		case "test_x_mcp_header":
			schema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`
		}
		server.AddTool(&sdk.Tool{Name: name, Description: name, InputSchema: json.RawMessage(schema)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: content}, nil
		})
	}
	sdk.AddTool(server, &sdk.Tool{Name: "test_error_handling", Description: "fails"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		//lint:ignore ST1005 the suite asks for these words
		return nil, nil, errors.New("This tool intentionally returns an error for testing")
	})
	sdk.AddTool(server, &sdk.Tool{Name: "test_elicitation", Description: "asks the user"}, func(ctx context.Context, r *sdk.CallToolRequest, in struct {
		Message string `json:"message"`
	}) (*sdk.CallToolResult, any, error) {
		form := formOf(`{"username":{"type":"string"},"email":{"type":"string"}}`)
		form.Message = in.Message
		answer, err := r.Session.Elicit(ctx, form)
		if err != nil {
			return nil, nil, err
		}
		return said("the user: %v", answer), nil, nil
	})
	sdk.AddTool(server, &sdk.Tool{Name: "test_tool_with_progress", Description: "reports progress"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		for _, done := range []float64{0, 50, 100} {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: done, Total: 100, Message: "a step"})
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil, nil
	})
	return server
}

// addPrompts adds the prompts that are text.
func addPrompts(s *sdk.Server) {
	s.AddPrompt(&sdk.Prompt{Name: "test_simple_prompt", Description: "simple"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "This is a simple prompt for testing."}}}}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_arguments", Description: "with arguments", Arguments: []*sdk.PromptArgument{{Name: "arg1", Required: true}, {Name: "arg2", Required: true}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			text := fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", r.Params.Arguments["arg1"], r.Params.Arguments["arg2"])
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
		})
}
