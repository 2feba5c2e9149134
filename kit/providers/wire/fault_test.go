package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"rein/model"
)

func TestFault(t *testing.T) {
	rows := []struct {
		name   string
		status int
		body   string
		kind   model.ErrorKind
		text   string
	}{
		{"openai", 401, `{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}}`, model.Auth, "Incorrect API key"},
		{"no money is not a matter of time", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, model.Quota, "You exceeded"},
		{"too fast", 429, `{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`, model.Rate, "Rate limit"},
		{"ollama, too long", 400, `{"error":"{\"error\":{\"code\":400,\"message\":\"request (8889 tokens) exceeds the available context size (4096 tokens), try increasing it\",\"type\":\"exceed_context_size_error\"}}"}`, model.ContextLength, "request (8889"},
		{"ollama, no such model", 404, `{"error":"model 'x' not found"}`, model.NotFound, "model 'x'"},
		{"openai, too long", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens.","code":"context_length_exceeded"}}`, model.ContextLength, "maximum context"},
		{"anthropic, too long", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, model.ContextLength, "prompt"},
		{"gemini, too long", 400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, model.ContextLength, "input token"},
		{"too large a body", 413, `{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, model.ContextLength, "Request"},
		{"anthropic, overloaded", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.Overloaded, "Overloaded"},
		{"gemini, a bad key", 400, `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, model.Auth, "API key not valid"},
		{"gemini in a list", 503, `[{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]`, model.Overloaded, "overloaded"},
		{"ollama", 404, `{"error":"model 'x' not found"}`, model.NotFound, "model 'x' not found"},
		{"fastapi", 422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, model.BadRequest, "field required"},
		{"vllm", 400, `{"object":"error","message":"bad","type":"BadRequestError","code":400}`, model.BadRequest, "bad"},
		{"HTML", 502, "<html>\n<body>", model.Server, "<html>"},
		{"nothing", 500, "", model.Server, "Internal Server Error"},
		{"a redirect", 302, "", model.BadRequest, "Found"},
		{"in a stream, by its type", 0, `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`, model.Rate, "slow"},
		{"in a stream, a request's fault", 0, `{"error":{"type":"invalid_request_error","message":"no"}}`, model.BadRequest, "no"},
		{"in a stream, unknown", 0, `{"error":{"message":"hm"}}`, model.Server, "hm"},
		{"openrouter shows what is behind it", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":\"tools are not supported\"}","provider_name":"Nebius"}}}`, model.BadRequest, `Provider returned error: Nebius {"error":"tools are not supported"}`},
		{"openrouter, an object behind it", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":{"detail":"no"}}}}`, model.BadRequest, `Provider returned error: {"detail":"no"}`},
		{"a key that may not", 403, `{"error":{"code":403,"message":"Permission denied","status":"PERMISSION_DENIED"}}`, model.Auth, "Permission denied"},
		{"payment", 402, `{"error":{"message":"Insufficient credits","code":402}}`, model.Quota, "Insufficient"},
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

// The words of each provider for a request that is longer than the model takes. For compaction they must all be one kind.
func TestEveryProvidersWordsForTooLong(t *testing.T) {
	for _, row := range []struct {
		provider string
		status   int
		body     string
	}{
		{"openai", 400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","code":"context_length_exceeded"}}`},
		{"openai, in a stream", 0, `{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}`},
		{"azure", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9170 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
		{"anthropic, with its answer", 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again\"}}"},
		{"bedrock", 400, `{"message":"Input is too long for requested model."}`},
		{"bedrock, another model", 400, `{"message":"The model returned the following errors: Input is too long for requested model."}`},
		{"bedrock, llama", 400, `{"message":"This model's maximum context length is 8192 tokens. Please reduce the length of the prompt"}`},
		{"cohere", 400, `{"message":"too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs."}`},
		{"mistral", 400, `{"object":"error","message":"Prompt contains 270000 tokens and 0 draft tokens, too large for model with 131072 maximum context length","type":"invalid_request_prompt","code":"3051"}`},
		{"groq", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}`},
		{"xai", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`},
		{"openrouter", 400, `{"error":{"message":"This endpoint's maximum context length is 200000 tokens. However, you requested about 214000 tokens","code":400}}`},
		{"deepseek", 400, `{"error":{"message":"This model's maximum context length is 65536 tokens. However, you requested 70123 tokens","type":"invalid_request_error"}}`},
		{"moonshot", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)","type":"invalid_request_error"}}`},
		{"zai", 400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`},
		{"qwen", 400, `{"error":{"code":"invalid_parameter_error","message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]","type":"invalid_request_error"}}`},
		{"siliconflow", 400, `{"code":20015,"message":"length of prompt_tokens (40000) must be less than max_seq_len (32768).","data":null}`},
		{"together", 422, "{\"error\":{\"message\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens\",\"type\":\"invalid_request_error\"}}"},
		{"huggingface", 422, "{\"error\":\"Input validation error: `inputs` must have less than 4096 tokens. Given: 5000\",\"error_type\":\"validation\"}"},
		{"fireworks", 400, `{"error":{"object":"error","type":"invalid_request_error","message":"The prompt is too long: 150000, model maximum context length: 131071"}}`},
		{"cerebras", 400, `{"message":"Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}`},
		{"github", 413, `{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}`},
		{"vllm", 400, `{"object":"error","message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096.","type":"BadRequestError","code":400}`},
		{"llamacpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`},
		{"lmstudio", 400, `{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`},
		{"ollama", 400, `{"error":"prompt too long; exceeded max context length by 812 tokens"}`},
		{"sambanova", 400, `{"error":{"message":"Requested token count exceeds the model's maximum context length","type":"invalid_request_error"}}`},
	} {
		if e := Fault(row.provider, "", row.status, nil, []byte(row.body)); e.Kind != model.ContextLength {
			t.Errorf("%s: %s %q", row.provider, e.Kind, e.Text)
		}
	}
	for _, body := range []string{ // other limits: a shorter conversation would not help
		`{"error":{"message":"max_tokens is too large: 200000. This model supports at most 16384 completion tokens","type":"invalid_request_error","code":"invalid_value"}}`,
		`{"error":{"message":"Invalid 'tools': array too long. Expected an array with maximum length 128","type":"invalid_request_error","code":"array_above_max_length"}}`,
		`{"error":{"message":"string too long. Expected a string with maximum length 64","type":"invalid_request_error","code":"string_above_max_length"}}`,
	} {
		if e := Fault("p", "", 400, nil, []byte(body)); e.Kind != model.BadRequest {
			t.Errorf("%s: %q", e.Kind, e.Text)
		}
	}
}

func TestAnAddressThatMovedIsNamed(t *testing.T) {
	e := Fault("p", "k-secret", 302, http.Header{"Location": {"https://else.example/?key=k-secret"}}, nil)
	if e.Kind != model.BadRequest || !strings.Contains(e.Text, "moved to https://else.example/?key=[key]") {
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
		{"a date", "Retry-After", time.Now().UTC().Add(time.Hour).Format(http.TimeFormat), "", time.Hour},
		{"nonsense", "Retry-After", "soon", "", 0},
		{"an absurd number", "Retry-After", "1e300", "", 1e6 * time.Second},
		{"in the body", "", "", `{"error":{"message":"x","details":[{"retryDelay":"34.07s"}]}}`, 34070 * time.Millisecond},
	}
	for _, row := range rows {
		e := Fault("p", "", 429, http.Header{row.header: {row.value}}, []byte(row.body))
		if d := row.want - e.RetryAfter; d < 0 || d > 0 && (row.name != "a date" || d > 30*time.Minute) {
			t.Errorf("%s: got %v", row.name, e.RetryAfter)
		}
	}
}

func TestFailureKeepsTheContextsCause(t *testing.T) {
	why := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	if err := Failure(ctx, "p", "", fmt.Errorf("%w for 2m0s", errStalled)); err.(*model.Error).Kind != model.Stalled {
		t.Errorf("got %v", err)
	}
	cancel(why)
	if err := Failure(ctx, "p", "", errors.New("read: connection closed")); err != why {
		t.Errorf("got %v", err)
	}
}

func TestWireName(t *testing.T) {
	for _, name := range []string{"read_file", "mcp__a-b__c", "_x", strings.Repeat("a", 64)} {
		if got := ToolName(name); got != name {
			t.Errorf("%s became %s", name, got)
		}
	}
	seen := map[string]string{}
	for _, name := range []string{"", "a.b", "a/b", "a b", "9lives", "-x", strings.Repeat("a", 65), strings.Repeat("a", 66), "日本"} {
		got := ToolName(name)
		if !nameFits(got) || ToolName(got) != got || seen[got] != "" {
			t.Errorf("%q became %q", name, got)
		}
		seen[got] = "taken"
	}
}
