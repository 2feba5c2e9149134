package harness

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"rein/event"
	"rein/model"
)

// A session reports to the receiver of the environment. Its programs and the programs of hooks get the trace of the call, and none gets
// the key of the receiver.
func TestASessionReports(t *testing.T) {
	const outer, key = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "the-key-of-the-receiver"
	var mu sync.Mutex
	got := map[string]string{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got[r.URL.Path] += string(text)
		got["key"] = r.Header.Get("Authorization")
	}))
	defer receiver.Close()
	for name, value := range map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.URL, "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=" + key, "TRACEPARENT": outer,
		"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"} {
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	h := inFolder(t, map[string]string{".rein/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo $TRACEPARENT > hook"}]}]}}`},
		Options{Dir: dir, Trust: true, Terms: event.Terms{Mode: "full", Sandbox: "off"}})
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, `turns: [{calls: [{name: bash, args: {command: "echo $TRACEPARENT; env | grep -c OTEL; echo `+key+` > k; cat k"}}]}, {text: Done.}]`)})
	if err != nil {
		t.Fatal(err)
	}
	var output string
	for e, err := range s.Send(t.Context(), model.Text("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == event.Replied {
			output = e.Result.Text
		}
	}
	hook, err := os.ReadFile(h.Root() + "/hook")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	const trace = "00-0af7651916cd43dd8448eb211c80319c-"
	parent, _, _ := strings.Cut(output, "\n")
	if !strings.HasPrefix(parent, trace) || !strings.HasPrefix(string(hook), trace) || !strings.Contains(output, "\n0\n") || strings.Contains(output, key) {
		t.Errorf("a program sees %q, a hook %q", output, hook)
	}
	id, err := hex.DecodeString(parent[len(trace) : len(trace)+16])
	if err != nil {
		t.Fatal(err)
	}
	traces := got["/v1/traces"]
	for _, want := range []string{"invoke_agent rein", "chat ", "execute_tool bash", "gen_ai.tool.call.result", string(id)} {
		if !strings.Contains(traces, want) {
			t.Errorf("%q is not in the traces", want)
		}
	}
	if got["key"] != key || strings.Contains(traces, key) || !strings.Contains(got["/v1/metrics"], "gen_ai.execute_tool.duration") || !strings.Contains(got["/v1/logs"], "rein.verdict") {
		t.Error("the receiver was not sent what it should get")
	}
}
