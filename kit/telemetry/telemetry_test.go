package telemetry

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/model"
	"rein/redact"
	"rein/tool"
)

// secret is a key that no receiver may see.
const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"

// story is one message: a request that missed the cache, a call that a person approved, a sub-agent, a denied call, a compaction.
func story(at time.Time) []event.Event {
	call := func(id, name string) *tool.Call {
		return &tool.Call{ID: id, Name: name, Args: []byte(`{"command":"curl -H 'key: ` + secret + `'"}`)}
	}
	asks := &event.Verdict{Decision: "ask", Severity: "low", Rules: []string{"network"}, Reason: "it contacts " + secret}
	all := []event.Event{
		{Kind: event.Started, Start: &event.Start{Terms: event.Terms{Model: "anthropic/opus"}}},
		{Kind: event.Prompted, Text: "use " + secret},
		{Kind: event.Requested, Request: &event.Request{Model: "anthropic/opus"}},
		{Kind: event.Responded, Text: "I will", Message: []byte(`{"parts":[{"call":{"id":"c1","name":"bash","args":{"k":"` + secret + `"}}}]}`),
			Usage:   &event.Usage{Input: 1000, Output: 50, CacheRead: 600, CacheWrite: 100, Thinking: 20, Cost: 0.25},
			Request: &event.Request{Model: "anthropic/opus", Duration: 2 * time.Second, FirstToken: time.Second / 2, Retries: 2, CacheMiss: "the tools changed: +" + secret}},
		{Kind: event.Called, Call: call("c1", "bash")}, {Kind: event.ApprovalRequested, Call: call("c1", "bash"), Verdict: asks},
		{Kind: event.Hooked, Call: call("c1", "bash"), Hook: &event.Hook{Event: "PreToolUse", Decision: "ask"}},
		{Kind: event.Granted, Call: call("c1", "bash"), Verdict: asks, Answer: &event.Answer{Choice: "approved", By: "user Mei", From: "page", Scope: "session"}},
		{Kind: event.Replied, Call: call("c1", "bash"), Result: &tool.Result{Text: "the key is " + secret, Duration: time.Second}},
		{Kind: event.Called, Call: call("c2", "task")}, {Kind: event.Granted, Call: call("c2", "task"), Verdict: &event.Verdict{Decision: "allow"}},
		{Kind: event.SubAgentStarted, Call: call("c2", "task"), Child: "child", SubAgent: &event.SubAgent{Agent: "explore"}},
		{Session: "child", Parent: "s", ParentCall: "c2", Kind: event.Prompted, Text: "look"},
		{Session: "child", Kind: event.Requested, Request: &event.Request{Model: "openai/small"}},
		{Session: "child", Kind: event.Stopped, Stop: event.Failed, Text: "no answer"},
		{Kind: event.Replied, Call: call("c2", "task"), Result: &tool.Result{Text: "done"}},
		{Kind: event.Called, Call: call("c3", "mcp__github__search")},
		{Kind: event.Replied, Call: call("c3", "mcp__github__search"), Verdict: &event.Verdict{Decision: "deny", Rules: []string{"x"}}, Result: &tool.Result{Failed: true, Kind: tool.Denied, Text: "no"}},
		{Kind: event.Compacted, Compaction: &event.Compaction{Stage: event.BySummary, Reason: "full", Before: 100, After: 10}},
		{Kind: event.Stopped, Stop: event.Done},
	}
	for i := range all {
		all[i].Time = at.Add(time.Duration(i) * time.Second)
		if all[i].Session == "" {
			all[i].Session = "s"
		}
	}
	return all
}

func TestBothProtocols(t *testing.T) {
	for _, protocol := range []string{"http/protobuf", "grpc"} {
		for _, compression := range []string{"", "gzip"} {
			t.Run(protocol+compression, func(t *testing.T) {
				r := newReceiver(t)
				tel := Open(Options{Version: "1", Getenv: r.env("OTEL_EXPORTER_OTLP_PROTOCOL="+protocol, "OTEL_EXPORTER_OTLP_COMPRESSION="+compression,
					"OTEL_EXPORTER_OTLP_HEADERS=api-key=a%20b", "OTEL_SERVICE_NAME=mine"), Warn: func(line string) { t.Error(line) }})
				for _, e := range story(time.Now()) {
					tel.Watch(e)
				}
				tel.Close(context.Background())
				if len(r.all) != 7 || len(r.metrics) == 0 || len(r.logs) == 0 {
					t.Fatalf("%d spans, %d metrics, %d log records", len(r.all), len(r.metrics), len(r.logs))
				}
				if r.resource["service.name"] != "mine" || r.resource["service.version"] != "1" || r.requests[0].Header.Get("Api-Key") != "a b" {
					t.Errorf("resource %v, headers %v", r.resource, r.requests[0].Header)
				}
			})
		}
	}
}

func TestSpans(t *testing.T) {
	r := newReceiver(t)
	tel := Open(Options{Getenv: r.env()})
	for _, e := range story(time.Now()) {
		tel.Watch(e)
	}
	tel.Close(context.Background())
	for child, parent := range map[string]string{"chat opus": "invoke_agent rein", "execute_tool bash": "invoke_agent rein", "execute_tool task": "invoke_agent rein",
		"invoke_agent explore": "execute_tool task", "chat small": "invoke_agent explore", "execute_tool mcp__github__search": "invoke_agent rein"} {
		c, p := r.spans[child], r.spans[parent]
		if c == nil || p == nil || !bytes.Equal(c.ParentSpanId, p.SpanId) || !bytes.Equal(c.TraceId, p.TraceId) {
			t.Errorf("%s is not below %s", child, parent)
		}
	}
	for name, want := range map[string]map[string]string{
		"chat opus": {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "opus", "gen_ai.usage.input_tokens": "1000",
			"gen_ai.usage.cache_read.input_tokens": "600", "gen_ai.response.time_to_first_chunk": "0.5", "rein.cost": "0.25", "gen_ai.conversation.id": "s"},
		"execute_tool bash":                {"gen_ai.tool.name": "bash", "gen_ai.tool.call.id": "c1", "gen_ai.tool.type": "function", "rein.outcome": "ok"},
		"execute_tool mcp__github__search": {"gen_ai.tool.type": "extension", "mcp.method.name": "tools/call", "error.type": "denied", "rein.outcome": "denied"},
		"chat small":                       {"error.type": "_OTHER"},
		"invoke_agent explore":             {"gen_ai.agent.name": "explore", "gen_ai.agent.id": "child", "rein.stop": "error", "error.type": "_OTHER"},
	} {
		got := valuesOf(r.spans[name].Attributes)
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s: %s is %q, not %q", name, key, got[key], value)
			}
		}
	}
	events := map[string]map[string]string{}
	for _, s := range r.all {
		for _, e := range s.Events {
			events[s.Name+" "+e.Name] = valuesOf(e.Attributes)
		}
	}
	for name, want := range map[string]map[string]string{
		"execute_tool bash rein.approval":           {"rein.approval.answer": "approved", "rein.approval.by": "user", "rein.approval.from": "page", "rein.approval.waited": "2", "rein.severity": "low"},
		"execute_tool bash rein.hook":               {"rein.hook.decision": "ask"},
		"execute_tool task rein.verdict":            {"rein.decision": "allow"},
		"chat opus rein.retry":                      {"rein.count": "2"},
		"chat opus rein.cache_miss":                 {"rein.reason": "the tools changed"},
		"invoke_agent rein rein.compaction":         {"rein.stage": "summary", "rein.tokens.before": "100"},
		"execute_tool bash rein.approval.requested": {"rein.decision": "ask"},
	} {
		for key, value := range want {
			if got := events[name]; got[key] != value {
				t.Errorf("%s: %s is not %q in %v", name, key, value, got)
			}
		}
	}
	if n := len(r.logs); n != len(events) || r.logs[0].EventName == "" || len(r.logs[0].SpanId) != 8 {
		t.Errorf("%d log records, %d kinds of events", n, len(events))
	}
	if strings.Contains(fmt.Sprint(r.all, r.logs, r.metrics), secret) || strings.Contains(fmt.Sprint(r.all), "Mei") {
		t.Error("content, or the name of a person, was reported without being asked for")
	}
}

func TestContentIsMaskedAndOnlyThereWhenAskedFor(t *testing.T) {
	r := newReceiver(t)
	tel := Open(Options{Getenv: r.env("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"), Mask: redact.New(nil).String})
	for _, e := range story(time.Now()) {
		tel.Watch(e)
	}
	tel.Close(context.Background())
	all := fmt.Sprint(r.all, r.logs, r.metrics)
	if strings.Contains(all, secret) {
		t.Error("a secret was reported")
	}
	for _, want := range []string{"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "the key is", "no answer"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

func TestTraceparent(t *testing.T) {
	const outer = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	r := newReceiver(t)
	tel := Open(Options{Getenv: r.env("TRACEPARENT="+outer, "TRACESTATE=x=1")})
	all := story(time.Now())
	for _, e := range all[:6] {
		tel.Watch(e)
	}
	inner := tel.Traceparent("s", "c1")
	ofSession := tel.Traceparent("s", "")
	tel.Join("j1", "00-11111111111111111111111111111111-2222222222222222-01")
	tel.Watch(event.Event{Kind: event.Called, Session: "calls only", Call: &tool.Call{ID: "j1", Name: "joined"}, Time: time.Now()})
	tel.Close(context.Background())
	call, agent := r.spans["execute_tool bash"], r.spans["invoke_agent rein"]
	if want := "00-0af7651916cd43dd8448eb211c80319c-" + hex.EncodeToString(call.SpanId) + "-01"; inner != want {
		t.Errorf("%s, not %s", inner, want)
	}
	if !strings.Contains(ofSession, hex.EncodeToString(agent.SpanId)) || hex.EncodeToString(agent.ParentSpanId) != "b7ad6b7169203331" || agent.TraceState != "x=1" {
		t.Errorf("%s; %v", ofSession, agent)
	}
	if j := r.spans["execute_tool joined"]; hex.EncodeToString(j.ParentSpanId) != "2222222222222222" {
		t.Errorf("%v", j)
	}
	for _, wrong := range []string{"", "x", "00-0-0-01", "00-00000000000000000000000000000000-b7ad6b7169203331-01", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01"} {
		if c := parseTraceparent(wrong); c.trace != (traceID{}) {
			t.Errorf("%q is read as %v", wrong, c)
		}
	}
}

func TestNothingWithoutVariables(t *testing.T) {
	for _, env := range []string{"", "OTEL_SERVICE_NAME=x", "OTEL_TRACES_EXPORTER=none", "OTEL_TRACES_EXPORTER=console", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json"} {
		name, value, _ := strings.Cut(env, "=")
		tel := Open(Options{Getenv: func(n string) string {
			if n == name {
				return value
			}
			return ""
		}})
		if tel != nil {
			t.Errorf("%q reports", env)
		}
		tel.Watch(event.Event{})
		tel.Join("", "")
		tel.Close(context.Background())
		if tel.Traceparent("", "") != "" || tel.WritePrometheus(nil) != nil || tel.Model(nil) != nil {
			t.Error("switched off, it does something")
		}
	}
	r := newReceiver(t)
	if Open(Options{Getenv: r.env("OTEL_SDK_DISABLED=true")}) != nil {
		t.Error("OTEL_SDK_DISABLED does nothing")
	}
}

func TestEnvironment(t *testing.T) {
	for want, env := range map[string]string{
		"http://localhost:4318/v1/traces": "OTEL_TRACES_EXPORTER=otlp",
		"https://a.b:9/x/v1/traces":       "OTEL_EXPORTER_OTLP_ENDPOINT=https://a.b:9/x",
		"https://a.b:9/x":                 "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://a.b:9/x",
		"https://a.b:9/opentelemetry.proto.collector.trace.v1.TraceService/Export": "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=a.b:9 OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
		"http://a.b:9/opentelemetry.proto.collector.trace.v1.TraceService/Export":  "OTEL_EXPORTER_OTLP_ENDPOINT=a.b:9 OTEL_EXPORTER_OTLP_INSECURE=true OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc",
		"": "OTEL_EXPORTER_OTLP_ENDPOINT=ftp://me:password@a.b",
	} {
		r := &receiver{}
		get := r.env(append([]string{"OTEL_EXPORTER_OTLP_ENDPOINT="}, strings.Fields(env)...)...)
		var warned string
		if got := readEnvironment(get, "", func(line string) { warned += line }).traces.url; got != want || strings.Contains(warned, "password") {
			t.Errorf("%s: %s, not %s (%s)", env, got, want, warned)
		}
	}
}

func TestAReceiverThatHasNoTime(t *testing.T) {
	for _, protocol := range []string{"http/protobuf", "grpc"} {
		r := newReceiver(t)
		r.fail = 1
		var warned []string
		tel := Open(Options{Getenv: r.env("OTEL_EXPORTER_OTLP_PROTOCOL="+protocol, "OTEL_METRICS_EXPORTER=none", "OTEL_LOGS_EXPORTER=none", "OTEL_BSP_SCHEDULE_DELAY=10"), Warn: func(line string) { warned = append(warned, line) }})
		for _, e := range story(time.Now()) {
			tel.Watch(e)
		}
		for seen := 0; seen == 0; time.Sleep(time.Millisecond) {
			r.mu.Lock()
			seen = len(r.requests)
			r.mu.Unlock()
		}
		tel.Close(context.Background())
		if len(r.all) != 7 || len(warned) != 1 {
			t.Errorf("%s: %d spans after %q", protocol, len(r.all), warned)
		}
	}
}

func TestSampling(t *testing.T) {
	const dropped = "TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	for env, want := range map[string]int{"OTEL_TRACES_SAMPLER=always_off": 0, "OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=0": 0, "OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=1": 7,
		dropped: 0, dropped + " OTEL_TRACES_SAMPLER=always_on": 7} {
		r := newReceiver(t)
		tel := Open(Options{Getenv: r.env(strings.Fields(env)...)})
		for _, e := range story(time.Now()) {
			tel.Watch(e)
		}
		tel.Close(context.Background())
		if len(r.all) != want || len(r.metrics) == 0 {
			t.Errorf("%s: %d spans, %d metrics", env, len(r.all), len(r.metrics))
		}
	}
}

func TestMetrics(t *testing.T) {
	r := newReceiver(t)
	tel := Open(Options{Getenv: r.env()})
	for _, e := range story(time.Now()) {
		tel.Watch(e)
	}
	var text bytes.Buffer
	if err := tel.WritePrometheus(&text); err != nil {
		t.Fatal(err)
	}
	tel.Close(context.Background())
	for _, line := range []string{
		`rein_calls_total{gen_ai_tool_name="bash",outcome="ok"} 1`,
		`rein_calls_total{gen_ai_tool_name="mcp__github__search",outcome="denied"} 1`,
		`rein_verdicts_total{decision="deny"} 1`,
		`rein_cost_total{gen_ai_provider_name="anthropic",gen_ai_request_model="opus"} 0.25`,
		`gen_ai_client_inference_usage_cache_read_input_tokens_total{gen_ai_operation_name="chat",gen_ai_provider_name="anthropic",gen_ai_request_model="opus",gen_ai_token_modality="unknown"} 600`,
		`gen_ai_execute_tool_duration_seconds_bucket{gen_ai_operation_name="execute_tool",gen_ai_tool_name="bash",le="0.5"} 0`,
		`gen_ai_execute_tool_duration_seconds_bucket{gen_ai_operation_name="execute_tool",gen_ai_tool_name="bash",le="1"} 1`,
		`rein_approval_wait_seconds_sum{answer="approved",by="user"} 2`,
		`rein_cache_misses_total{gen_ai_provider_name="anthropic",gen_ai_request_model="opus",reason="the tools changed"} 1`,
	} {
		if !strings.Contains(text.String(), line+"\n") {
			t.Errorf("%s is missing in\n%s", line, text.String())
		}
	}
	h := r.metrics["gen_ai.execute_tool.duration"].GetHistogram()
	if h == nil || h.AggregationTemporality != 2 || h.DataPoints[0].Count != 1 || len(h.DataPoints[0].BucketCounts) != len(h.DataPoints[0].ExplicitBounds)+1 {
		t.Errorf("%v", h)
	}
	if c := r.metrics["rein.calls"].GetSum(); c == nil || !c.IsMonotonic || len(c.DataPoints) != 3 {
		t.Errorf("%v", c)
	}
}

func TestMetricsAreBounded(t *testing.T) {
	m := newMetrics(true)
	for i := range 3 * mostPoints {
		m.add(mCalls, 1, attr{toolName, fmt.Sprint(i)})
	}
	if n := len(m.all[mCalls]); n != mostPoints+1 {
		t.Errorf("%d points", n)
	}
	if len(m.collect(time.Now())) != 1 || len(m.collect(time.Now())) != 0 {
		t.Error("what was sent is sent again")
	}
}

// failing is a model whose request fails.
type failing struct{ model.Model }

func (failing) Info() model.Info { return model.Info{Provider: "gemini", Name: "flash"} }

func (failing) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{}, &model.Error{Kind: model.Rate}) }
}

func TestModel(t *testing.T) {
	r := newReceiver(t)
	tel := Open(Options{Getenv: r.env()})
	m := tel.Model(failing{})
	_, err := model.Ask(context.Background(), m, &model.Request{Session: "elsewhere"})
	if err == nil {
		t.Fatal("it did not fail")
	}
	all := story(time.Now())
	for _, e := range all[:3] {
		tel.Watch(e)
	}
	_, _ = model.Ask(context.Background(), m, &model.Request{Session: "s"})
	tel.Watch(event.Event{Kind: event.Stopped, Session: "s", Stop: event.Failed, Time: time.Now()})
	tel.Close(context.Background())
	if got := valuesOf(r.spans["chat flash"].Attributes); got["error.type"] != "rate" || got["gen_ai.provider.name"] != "gcp.gemini" || got["gen_ai.conversation.id"] != "elsewhere" {
		t.Errorf("%v", got)
	}
	for _, name := range []string{"chat opus", "invoke_agent rein"} {
		if got := valuesOf(r.spans[name].Attributes); got["error.type"] != "rate" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A session that ends leaves nothing behind, whatever came in whatever order.
func TestNothingIsLeft(t *testing.T) {
	r := newReceiver(t)
	tel := Open(Options{Getenv: r.env()})
	all := story(time.Now())
	slices.Reverse(all)
	for _, e := range append(all, story(time.Now())...) {
		tel.Watch(e)
	}
	if len(tel.calls)+len(tel.sessions)+len(tel.joined) != 0 {
		t.Errorf("%v %v", tel.calls, tel.sessions)
	}
	tel.Close(context.Background())
	tel.Close(context.Background())
}

func TestTheReceiverIsNotWaitedFor(t *testing.T) {
	r := newReceiver(t)
	tel := Open(Options{Getenv: r.env()})
	r.mu.Lock() // it does not answer
	defer r.mu.Unlock()
	for range 3 {
		for _, e := range story(time.Now()) {
			tel.Watch(e)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	tel.Close(ctx)
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it waited %v", took)
	}
}

func BenchmarkOff(b *testing.B) {
	var tel *Telemetry
	all := story(time.Now())
	for b.Loop() {
		for _, e := range all[4:9] {
			tel.Watch(e)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	tel := Open(Options{Getenv: (&receiver{address: "127.0.0.1:1"}).env("OTEL_BSP_MAX_QUEUE_SIZE=2000")})
	all := story(time.Now())
	for _, e := range all[:4] {
		tel.Watch(e)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range all[4:9] {
			tel.Watch(e)
		}
	}
}
