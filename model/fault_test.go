package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"rein/internal/httpstream"
)

func TestFault(t *testing.T) {
	rows := []struct {
		name   string
		status int
		body   string
		kind   ErrorKind
		text   string
	}{
		{"openai", 401, `{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}}`, Auth, "Incorrect API key"},
		{"no money is not a matter of time", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, Quota, "You exceeded"},
		{"too fast", 429, `{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`, Rate, "Rate limit"},
		{"ollama, too long", 400, `{"error":"{\"error\":{\"code\":400,\"message\":\"request (8889 tokens) exceeds the available context size (4096 tokens), try increasing it\",\"type\":\"exceed_context_size_error\"}}"}`, ContextLength, "request (8889"},
		{"ollama, no such model", 404, `{"error":"model 'x' not found"}`, NotFound, "model 'x'"},
		{"openai, too long", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens.","code":"context_length_exceeded"}}`, ContextLength, "maximum context"},
		{"anthropic, too long", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, ContextLength, "prompt"},
		{"gemini, too long", 400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, ContextLength, "input token"},
		{"too large a body", 413, `{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, ContextLength, "Request"},
		{"anthropic, overloaded", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Overloaded, "Overloaded"},
		{"gemini, a bad key", 400, `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, Auth, "API key not valid"},
		{"gemini in a list", 503, `[{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]`, Overloaded, "overloaded"},
		{"ollama", 404, `{"error":"model 'x' not found"}`, NotFound, "model 'x' not found"},
		{"fastapi", 422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, BadRequest, "field required"},
		{"vllm", 400, `{"object":"error","message":"bad","type":"BadRequestError","code":400}`, BadRequest, "bad"},
		{"HTML", 502, "<html>\n<body>", Server, "<html>"},
		{"nothing", 500, "", Server, "Internal Server Error"},
		{"a redirect", 302, "", BadRequest, "Found"},
		{"in a stream, by its type", 0, `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`, Rate, "slow"},
		{"in a stream, a request's fault", 0, `{"error":{"type":"invalid_request_error","message":"no"}}`, BadRequest, "no"},
		{"in a stream, unknown", 0, `{"error":{"message":"hm"}}`, Server, "hm"},
		{"openrouter shows what is behind it", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":\"tools are not supported\"}","provider_name":"Nebius"}}}`, BadRequest, `Provider returned error: Nebius {"error":"tools are not supported"}`},
		{"openrouter, an object behind it", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":{"detail":"no"}}}}`, BadRequest, `Provider returned error: {"detail":"no"}`},
		{"payment", 402, `{"error":{"message":"Insufficient credits","code":402}}`, Quota, "Insufficient"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			e := Fault("p", "", row.status, nil, []byte(row.body))
			if e.Kind != row.kind || !strings.Contains(e.Text, row.text) {
				t.Errorf("got %s %q", e.Kind, e.Text)
			}
		})
	}
}

func TestAnAddressThatMovedIsNamed(t *testing.T) {
	e := Fault("p", "k-secret", 302, http.Header{"Location": {"https://else.example/?key=k-secret"}}, nil)
	if e.Kind != BadRequest || !strings.Contains(e.Text, "moved to https://else.example/?key=[key]") {
		t.Errorf("got %v", e)
	}
}

func TestRetryAfter(t *testing.T) {
	rows := []struct {
		name, header, value string
		body                string
		want                time.Duration
	}{
		{"seconds", "Retry-After", "7", "", 7 * time.Second},
		{"parts of a second", "Retry-After", "0.5", "", 500 * time.Millisecond},
		{"milliseconds", "Retry-After-Ms", "250", "", 250 * time.Millisecond},
		{"a date that has passed", "Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT", "", 0},
		{"nonsense", "Retry-After", "soon", "", 0},
		{"an absurd number", "Retry-After", "1e300", "", 1e6 * time.Second},
		{"in the body", "", "", `{"error":{"message":"x","details":[{"retryDelay":"34.07s"}]}}`, 34070 * time.Millisecond},
	}
	for _, row := range rows {
		e := Fault("p", "", 429, http.Header{row.header: {row.value}}, []byte(row.body))
		if e.RetryAfter != row.want {
			t.Errorf("%s: got %v", row.name, e.RetryAfter)
		}
	}
}

func TestFailureKeepsTheContextsCause(t *testing.T) {
	why := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	if err := Failure(ctx, "p", "", fmt.Errorf("%w for 2m0s", httpstream.ErrStalled)); err.(*Error).Kind != Stalled {
		t.Errorf("got %v", err)
	}
	cancel(why)
	if err := Failure(ctx, "p", "", errors.New("read: connection closed")); err != why {
		t.Errorf("got %v", err)
	}
}

func TestWireName(t *testing.T) {
	for _, name := range []string{"read_file", "mcp__a-b__c", "_x", strings.Repeat("a", 64)} {
		if got := WireName(name); got != name {
			t.Errorf("%s became %s", name, got)
		}
	}
	seen := map[string]string{}
	for _, name := range []string{"", "a.b", "a/b", "a b", "9lives", "-x", strings.Repeat("a", 65), strings.Repeat("a", 66), "日本"} {
		got := WireName(name)
		if !nameFits(got) || WireName(got) != got || seen[got] != "" {
			t.Errorf("%q became %q", name, got)
		}
		seen[got] = "taken"
	}
}
