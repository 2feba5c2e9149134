package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"rein/app/harness"
	"rein/event"
	"rein/guard"
	"rein/lab/testkit"
	"rein/schema"
	"rein/tool"
	"rein/toolcall"
)

// TestConformance runs both suites of the protocol against this package. The suites expect a server with given tools, prompts and
// resources. Here the tools take the pipeline of calls, and prompts are slash commands; what rein never asks of a client, such as
// its model, comes from conformance_more_test.go, and only the transport of it is ours.
func TestConformance(t *testing.T) {
	testkit.Need(t)
	for _, suite := range testkit.All() {
		t.Run(suite.Protocol, func(t *testing.T) {
			suite.Run(t, "serve", "server", "--url", suiteServer(t)+"/mcp")
		})
	}
}

// suiteServer serves what the suites expect, and returns the address. Requests get the token here, because the suites send none.
func suiteServer(t *testing.T) (address string) {
	l := lendWith(t, -1, map[string]string{
		"commands/test_simple_prompt.md":         "This is a simple prompt.",
		"commands/test_prompt_with_arguments.md": "---\narguments: [arg1, arg2]\n---\nThe arguments are $arg1 and $arg2.",
	})
	tools := suiteTools(t)
	s := New(l.h, l.session, l.person, Options{Version: "1", Tools: []string{"none of them"}, More: testkit.Add})
	t.Cleanup(s.Close)
	for _, one := range tools {
		s.add(one)
	}
	set, err := tool.NewSet(tools...)
	if err != nil {
		t.Fatal(err)
	}
	ask := guard.Func(func(_ context.Context, c guard.Case) (v guard.Verdict) {
		if c.Effect&tool.Writes != 0 {
			v.Decision = guard.Ask
		}
		return v
	})
	runner := &toolcall.Runner{Tools: set, Mode: guard.Supervised, Guard: ask, Approver: guard.ApproverFunc(func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
		r := &harness.Request{Case: c, Verdict: v}
		r.Call, r.Lines = c.Call.ID, []string{c.Call.Name}
		return l.person.Ask(ctx, r)
	})}
	s.run = func(ctx context.Context, calls []tool.Call, watch func(event.Event)) ([]tool.Result, error) {
		return runner.Run(ctx, toolcall.Scope{ID: "suite", Watch: watch}, calls)
	}
	web := httptest.NewUnstartedServer(nil)
	address = "http://" + web.Listener.Addr().String()
	handler := s.Handler(HTTP{Token: "x", Origins: []string{address}})
	web.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer x")
		handler.ServeHTTP(w, r)
	})
	web.Start()
	t.Cleanup(web.Close)
	return address
}

// suiteTools are the tools of the suites that are calls like others. Those that only read run; the others need an approval.
func suiteTools(t *testing.T) (all []*tool.Tool) {
	add := func(name, input string, effect tool.Effect, run func(*tool.Reply) error) {
		read, err := schema.Parse(json.RawMessage(input))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, &tool.Tool{Name: name, Description: name, Input: read, Effect: effect, Run: func(_ context.Context, _ json.RawMessage, r *tool.Reply) error { return run(r) }})
	}
	give := func(text string, parts ...tool.Part) func(*tool.Reply) error {
		return func(r *tool.Reply) error {
			_, err := r.WriteString(text)
			for _, p := range parts {
				err = errors.Join(err, r.Attach(p))
			}
			return err
		}
	}
	const none = `{"type":"object"}`
	image := tool.Part{Kind: tool.ImagePart, MediaType: "image/png", Data: []byte(testkit.Pixel)}
	resource := tool.Part{Kind: tool.DocumentPart, MediaType: "text/plain", Data: []byte("the content"), URI: "test://embedded"}
	add("test_simple_text", none, tool.Reads, give("This is a simple text."))
	add("test_image_content", none, tool.Reads, give("", image))
	add("test_audio_content", none, tool.Reads, give("", tool.Part{Kind: tool.DocumentPart, MediaType: "audio/wav", Data: []byte(testkit.Sound)}))
	add("test_embedded_resource", none, tool.Reads, give("", resource))
	add("test_multiple_content_types", none, tool.Reads, give("three kinds", image, resource))
	add("test_error_handling", none, tool.Reads, func(*tool.Reply) error { return errors.New("this tool fails") })
	add("test_tool_with_progress", none, tool.Reads, func(r *tool.Reply) error {
		for range 3 {
			r.Progress("a step")
		}
		return give("done")(r)
	})
	add("json_schema_2020_12_tool", testkit.Schema2020, tool.Reads, give("ok"))
	add("test_x_mcp_header", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`, tool.Reads, give("ok"))
	for _, name := range []string{"test_elicitation", "test_input_required_result_request_state", "test_input_required_result_tampered_state", "test_streaming_elicitation"} {
		add(name, none, tool.Writes, give("approved"))
	}
	return all
}
