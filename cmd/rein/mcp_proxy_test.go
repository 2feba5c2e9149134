//lint:file-ignore SA1019 servers of older versions use sampling and logging for years to come

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/lab/testkit"
)

// behind is a client of a proxy and what it was told.
type behind struct {
	*sdk.ClientSession
	mu   sync.Mutex
	told []string
}

func (b *behind) tell(format string, a ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = append(b.told, fmt.Sprintf(format, a...))
}

// until waits for something that the client is told.
func (b *behind) until(t *testing.T, what string) {
	t.Helper()
	for end := time.Now().Add(40 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		b.mu.Lock()
		has := slices.ContainsFunc(b.told, func(s string) bool { return strings.Contains(s, what) })
		b.mu.Unlock()
		if has {
			return
		}
	}
	t.Errorf("the client was not told %q: %q", what, b.told)
}

// connectTo connects a client with all capabilities to a proxy; plain: with none.
func connectTo(t *testing.T, address, version string, plain bool) *behind {
	t.Helper()
	b := &behind{}
	o := &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}
	if !plain {
		o = &sdk.ClientOptions{
			ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				b.tell("asked: %s %v", r.Params.Message, r.Params.RequestedSchema)
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "answer": "Approve this call"}}, nil
			},
			CreateMessageHandler: func(_ context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
				b.tell("sampled: %s", r.Params.Messages[0].Content.(*sdk.TextContent).Text)
				return &sdk.CreateMessageResult{Role: "assistant", Model: "m", Content: &sdk.TextContent{Text: "Paris"}}, nil
			},
			LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) { b.tell("log: %v", r.Params.Data) },
			ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
				b.tell("progress: %s", r.Params.Message)
			},
			ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
				b.tell("updated: %s", r.Params.URI)
			},
			ToolListChangedHandler:   func(context.Context, *sdk.ToolListChangedRequest) { b.tell("tools changed") },
			PromptListChangedHandler: func(context.Context, *sdk.PromptListChangedRequest) { b.tell("prompts changed") },
		}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	var err error
	if b.ClientSession, err = client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: address + "/mcp"}, &sdk.ClientSessionOptions{ProtocolVersion: version}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// secretServer is the server of the suites with a resource that holds a key, and a tool that reports its progress and never ends by itself.
func secretServer(stopped chan<- struct{}) *sdk.Server {
	server := testkit.Server()
	server.AddResource(&sdk.Resource{Name: "keys", URI: "test://keys", MIMEType: "text/plain"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "test://keys", MIMEType: "text/plain", Text: "the key is ghp_16C7e42F292c6912E7710c838347Ae178B4a."}}}, nil
	})
	server.AddTool(&sdk.Tool{Name: "hang", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for ctx.Err() == nil {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 50, Total: 100, Message: "a step"})
			time.Sleep(50 * time.Millisecond)
		}
		close(stopped)
		return nil, ctx.Err()
	})
	return server
}

// TestAProxyPassesAllThatAServerHas goes through it with a client of each way of the protocol.
func TestAProxyPassesAllThatAServerHas(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			stopped := make(chan struct{})
			server := secretServer(stopped)
			c := connectTo(t, proxied(t, server, "mcp__suite", "mcp_resources"), version, false)
			ctx := t.Context()
			text, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: "test://template/7/data"})
			if err != nil || len(text.Contents) != 1 || text.Contents[0].MIMEType != "application/json" || text.Contents[0].Text != `{"uri":"test://template/7/data"}` {
				t.Errorf("a template: %+v, %v", text, err)
			}
			picture, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: "test://static-binary"})
			if err != nil || string(picture.Contents[0].Blob) != testkit.Pixel || picture.Contents[0].URI != "test://static-binary" {
				t.Errorf("a picture: %+v, %v", picture, err)
			}
			keys, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: "test://keys"})
			if err != nil || strings.Contains(keys.Contents[0].Text, "16C7e42F") || !strings.HasPrefix(keys.Contents[0].Text, "the key is ") {
				t.Errorf("a secret: %+v, %v", keys, err)
			}
			prompt, err := c.GetPrompt(ctx, &sdk.GetPromptParams{Name: "test_prompt_with_arguments", Arguments: map[string]string{"arg1": "a", "arg2": "b"}})
			if err != nil || len(prompt.Messages) != 1 || !strings.Contains(prompt.Messages[0].Content.(*sdk.TextContent).Text, "arg1='a'") {
				t.Errorf("a prompt: %+v, %v", prompt, err)
			}
			completed, err := c.Complete(ctx, &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "test_prompt_with_arguments"}, Argument: sdk.CompleteParamsArgument{Name: "arg1", Value: "pa"}})
			if err != nil || !slices.Equal(completed.Completion.Values, []string{"paris", "park"}) {
				t.Errorf("completion: %+v, %v", completed, err)
			}
			if version == "2025-11-25" {
				if err := c.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: "info"}); err != nil {
					t.Error(err)
				}
				for name, told := range map[string]string{"test_tool_with_logging": "log: a step", "test_sampling": "sampled: What is the capital", "test_elicitation_sep1034_defaults": "John Doe"} {
					if r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: map[string]any{}}); err != nil || r.IsError {
						t.Errorf("%s: %+v, %v", name, r, err)
					}
					c.until(t, told)
				}
				if err := c.Subscribe(ctx, &sdk.SubscribeParams{URI: "test://watched-resource"}); err != nil {
					t.Error(err)
				}
				_ = server.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: "test://watched-resource"})
				c.until(t, "updated: test://watched-resource")
				for name, told := range map[string]string{"test_trigger_tool_change": "tools changed", "test_trigger_prompt_change": "prompts changed"} {
					if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: map[string]any{}}); err != nil {
						t.Error(err)
					}
					c.until(t, told)
				}
			} else if r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "test_input_required_result_multiple_inputs", Arguments: map[string]any{}}); err != nil || r.IsError {
				t.Errorf("several questions: %+v, %v", r, err)
			} else {
				c.until(t, "sampled: What is the capital")
			}
			cancelled, cancel := context.WithCancel(ctx)
			go func() {
				c.until(t, "progress: 50 % a step")
				cancel()
			}()
			hang := &sdk.CallToolParams{Name: "hang", Arguments: map[string]any{}}
			hang.SetProgressToken("p")
			if _, err := c.CallTool(cancelled, hang); err == nil {
				t.Error("a cancelled call has a result")
			}
			select {
			case <-stopped:
			case <-time.After(40 * time.Second):
				t.Error("the server behind was not told that the call is cancelled")
			}
		})
	}
}

// TestAProxyAsksBeforeItReads: without a rule, reading a resource needs an approval, which the client gives where it can.
func TestAProxyAsksBeforeItReads(t *testing.T) {
	address := proxied(t, testkit.Server())
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		c := connectTo(t, address, version, false)
		if r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "test://static-text"}); err != nil || r.Contents[0].Text != "a text" {
			t.Errorf("%s: %+v, %v", version, r, err)
		}
		c.until(t, "asked: ")
		plain := connectTo(t, address, version, true)
		for _, do := range []func() error{
			func() error {
				_, err := plain.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "test://static-text"})
				return err
			},
			func() error {
				_, err := plain.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "test_simple_prompt"})
				return err
			},
		} {
			if err := do(); err == nil || !strings.Contains(err.Error(), "approv") {
				t.Errorf("%s: without an approval: %v", version, err)
			}
		}
	}
}

// TestAQuestionEndsWithItsCall: a client that is asked and goes away does not leave the server behind waiting.
func TestAQuestionEndsWithItsCall(t *testing.T) {
	answered := make(chan *sdk.ElicitResult, 1)
	server := testkit.Server()
	server.AddTool(&sdk.Tool{Name: "ask", InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		reply, _ := r.Session.Elicit(context.Background(), &sdk.ElicitParams{Mode: "form", Message: "who?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}})
		answered <- reply
		return &sdk.CallToolResult{}, nil
	})
	asked, done := make(chan struct{}, 1), make(chan struct{})
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		asked <- struct{}{}
		<-done
		return nil, context.Canceled
	}})
	c, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: proxied(t, server, "mcp__suite") + "/mcp"}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{}}); err == nil {
		t.Error("the call has a result")
	}
	select {
	case reply := <-answered: // nil when the call ended first
		if reply != nil && reply.Action != "cancel" {
			t.Errorf("the server got an answer that nobody gave: %+v", reply)
		}
	case <-time.After(40 * time.Second):
		t.Error("the server behind still waits")
	}
	close(done)
	c.Close()
}
