package modeltest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"rein/kit/providers/wire"
	"rein/model"
)

var ctx = context.Background()

// listening is a transport that keeps what it is sent and answers nothing.
type listening struct {
	body   []byte
	header http.Header
	url    string
}

func (l *listening) RoundTrip(req *http.Request) (*http.Response, error) {
	l.body, _ = io.ReadAll(req.Body)
	l.header, l.url = req.Header, req.URL.String()
	return &http.Response{StatusCode: http.StatusTeapot, Body: io.NopCloser(strings.NewReader("")), Request: req}, nil
}

// bodyOf returns what an adapter sends.
func bodyOf(t *testing.T, open func(wire.HTTP) model.Model, messages []*model.Message) []byte {
	t.Helper()
	return sent(t, open, &model.Request{Messages: messages}).body
}

func sent(t *testing.T, open func(wire.HTTP) model.Model, r *model.Request) *listening {
	t.Helper()
	l := &listening{}
	h := wire.HTTP{Who: model.Info{Provider: "test", Name: "scripted"}, Base: "http://recorded.invalid", Key: "top-secret"}
	h.Transport = l
	if _, err := model.Ask(ctx, open(h), r); err == nil {
		t.Fatal("a teapot answered")
	}
	return l
}

func TestRequests(t *testing.T) {
	warm := 0.5
	r := &model.Request{
		System: "be brief", MaxTokens: 100, Sampling: model.Sampling{Temperature: &warm}, Session: "s1",
		Messages: []*model.Message{model.UserParts(model.Text("see"), model.Image("image/png", []byte("x")))},
		Tools:    []model.ToolSpec{{Name: "f.g", Description: "does", Schema: []byte(`{"type":"object"}`)}, {Name: "bare"}},
		Choice:   "f.g",
	}
	wire := "f_g"
	rows := []struct{ protocol, url, key, want string }{
		{"chat", "/chat/completions", "Authorization: Bearer top-secret", `{"model":"scripted","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"system","content":"be brief"},{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}}]}],"max_tokens":100,"temperature":0.5,"tool_choice":{"type":"function","function":{"name":"WIRE"}},"tools":[{"type":"function","function":{"name":"WIRE","description":"does","parameters":{"type":"object","properties":{}}}},{"type":"function","function":{"name":"bare","description":"","parameters":{"type":"object","properties":{}}}}]}`},
		{"responses", "/responses", "Authorization: Bearer top-secret", `{"model":"scripted","stream":true,"store":false,"reasoning":{"summary":"auto"},"include":["reasoning.encrypted_content"],"instructions":"be brief","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,eA=="}]}],"max_output_tokens":100,"temperature":0.5,"prompt_cache_key":"s1","tool_choice":{"type":"function","name":"WIRE"},"tools":[{"type":"function","name":"WIRE","description":"does","parameters":{"type":"object","properties":{}},"strict":false},{"type":"function","name":"bare","description":"","parameters":{"type":"object","properties":{}},"strict":false}]}`},
		{"messages", "/v1/messages", "X-Api-Key: top-secret", `{"model":"scripted","max_tokens":100,"stream":true,"temperature":0.5,"system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}],"tool_choice":{"type":"tool","name":"WIRE"},"tools":[{"name":"WIRE","description":"does","input_schema":{"type":"object","properties":{}}},{"name":"bare","description":"","input_schema":{"type":"object","properties":{}}}],"messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"eA=="},"cache_control":{"type":"ephemeral"}}]}]}`},
		{"gemini", "/v1beta/models/scripted:streamGenerateContent?alt=sse", "X-Goog-Api-Key: top-secret", `{"systemInstruction":{"parts":[{"text":"be brief"}]},"contents":[{"role":"user","parts":[{"text":"see"},{"inlineData":{"mimeType":"image/png","data":"eA=="}}]}],"generationConfig":{"maxOutputTokens":100,"temperature":0.5},"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["WIRE"]}},"tools":[{"functionDeclarations":[{"name":"WIRE","description":"does","parametersJsonSchema":{"type":"object","properties":{}}},{"name":"bare","description":"","parametersJsonSchema":{"type":"object","properties":{}}}]}]}`},
	}
	for _, row := range rows {
		t.Run(row.protocol, func(t *testing.T) {
			got := sent(t, opener(row.protocol), r)
			if want := strings.ReplaceAll(row.want, "WIRE", wire); string(got.body) != want {
				t.Errorf("\ngot  %s\nwant %s", got.body, want)
			}
			if got.url != "http://recorded.invalid"+row.url {
				t.Errorf("sent to %s", got.url)
			}
			name, value, _ := strings.Cut(row.key, ": ")
			if got.header.Get(name) != value {
				t.Errorf("headers %v", got.header)
			}
		})
	}
}

// A provider that wants other names of arguments gets them, and the tool gets its own.
func TestArgumentsComeBackUnderTheirNames(t *testing.T) {
	answer := events(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a_b":1}}}]},"finishReason":"STOP"}]}`)
	h := wire.HTTP{Who: model.Info{Provider: "test", Name: "scripted"}, Base: "http://recorded.invalid"}
	h.Transport = replay{"text/event-stream", []byte(answer)}
	done, err := model.Ask(ctx, opener("gemini")(h), &model.Request{
		Messages: []*model.Message{model.UserText("x")},
		Tools:    []model.ToolSpec{{Name: "f", Schema: []byte(`{"type":"object","properties":{"a-b":{"type":"integer"}}}`)}},
	})
	if err != nil || done.Message.Calls()[0].Args != `{"a-b":1}` {
		t.Errorf("got %+v, %v", done.Message, err)
	}
}

// The bytes of a message do not change from turn to turn, so that providers find what they cached.
func TestHistoriesKeepTheirBytes(t *testing.T) {
	messages := session(3)
	for _, p := range protocols {
		before := string(bodyOf(t, p.open, messages[:5]))
		after := string(bodyOf(t, p.open, messages))
		strip := func(s string) string { return strings.ReplaceAll(s, `,"cache_control":{"type":"ephemeral"}`, "") }
		shared := strip(before)[:strings.LastIndex(strip(before), "0123456789abcde")]
		if !strings.HasPrefix(strip(after), shared) {
			t.Errorf("%s: the beginning changed", p.name)
		}
	}
}
