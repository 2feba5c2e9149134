package mcp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/tool"
)

// A required argument that has a default may be left out; the server gets the default.
func TestADefaultIsFilledIn(t *testing.T) {
	server, got := newServer(), ""
	add(server, "read", "", `{"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"integer","default":10}},"required":["path","lines"]}`,
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			got = string(r.Params.Arguments)
			return &sdk.CallToolResult{}, nil
		})
	read := connected(t, hosted(server)).Tool("mcp__test__read")
	for args, want := range map[string]string{`{"path":"a"}`: `{"lines":10,"path":"a"}`, `{"path":"a","lines":2}`: `{"path":"a","lines":2}`} {
		checked, err := read.Input.Check(raw(args))
		if err == nil {
			err = read.Run(t.Context(), checked.Args, tool.NewReply(tool.ReplyOptions{Call: "1"}))
		}
		if err != nil || canon(got) != canon(want) {
			t.Errorf("%s: the server got %s, %v", args, got, err)
		}
	}
	if _, err := read.Input.Check(raw(`{"lines":2}`)); err == nil {
		t.Error("an argument without a default may be left out too")
	}
}

func canon(doc string) string { return string(canonical([]byte(doc))) }

// What a server sends twice, as text and as structured content, the model gets once.
func TestAResultThatHoldsTheSameTwice(t *testing.T) {
	for _, row := range []struct {
		text, content string
		once          bool
	}{
		{"the file\n", `{"content":"the file"}`, true},
		{"a\nb", `{"result":["a","b"]}`, true},
		{"the file", `{"content":[{"type":"text","text":"the file"}]}`, true},
		{`{ "n": 1 }`, `{"n":1}`, true},
		{"two files", `{"count":2}`, false},
		{"the file", `{"content":"the file","mode":"0644"}`, false},
		{"the file", `{"content":"another"}`, false},
		{"", `{"content":""}`, true},
	} {
		if repeats([]byte(row.content), row.text) != row.once {
			t.Errorf("%q and %s: the same? not %v", row.text, row.content, row.once)
		}
	}
}

// Tools that run only as tasks are not offered, over a pipe and over HTTP.
func TestToolsThatAreTasksOnly(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"slow","execution":{"taskSupport":"required"}},{"name":"fast","execution":{"taskSupport":"optional"}}]}}`
	for kind, body := range map[string]string{"application/json": list, "text/event-stream": "event: message\ndata: " + list + "\n\n"} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write([]byte(body))
		}))
		var ts tasks
		r, err := ts.watched(web.Client()).Get(web.URL)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if _, err := io.Copy(&b, r.Body); err != nil || b.String() != body {
			t.Errorf("the body became %q, %v", b.String(), err)
		}
		if !ts.has("slow") || ts.has("fast") {
			t.Errorf("%s: %v", kind, ts.only)
		}
		r.Body.Close()
		web.Close()
	}
	s := New(ServerEntry{Name: "test", Command: "x"}, Options{})
	s.tasks.saw([]byte(list))
	if _, ok := s.definition(&sdk.Tool{Name: "slow", InputSchema: raw(`{"type":"object"}`)}); ok {
		t.Error("a tool that is a task is offered")
	}
	if _, ok := s.definition(&sdk.Tool{Name: "fast", InputSchema: raw(`{"type":"object"}`)}); !ok {
		t.Error("a tool that may be a task is not offered")
	}
}
