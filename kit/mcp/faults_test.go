package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/tool"
)

// TestFaultyServers connects to servers that break the protocol. Each fails alone, soon, with an error that names the cause.
func TestFaultyServers(t *testing.T) {
	rows := []struct {
		name  string
		serve func(io.ReadWriteCloser, io.Writer)
		says  string
	}{
		{"never answers", func(p io.ReadWriteCloser, _ io.Writer) { io.Copy(io.Discard, p) }, "did not answer within"},
		{"ends at once", func(p io.ReadWriteCloser, e io.Writer) { fmt.Fprintln(e, "node: command not found"); p.Close() }, "its program ended before it answered; it said on stderr: node: command not found"},
		{"a line of 100 MB", func(p io.ReadWriteCloser, _ io.Writer) {
			go io.Copy(io.Discard, p)
			p.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":"`))
			for range 100 {
				if _, err := p.Write([]byte(strings.Repeat("x", 1<<20))); err != nil {
					return
				}
			}
		}, ""},
		{"ends with a trace", func(p io.ReadWriteCloser, e io.Writer) {
			fmt.Fprint(e, "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/x/y.js'\n    at Module._resolve (node:internal)\n}\n\nNode.js v20.20.2\n")
			p.Close()
		}, "it said on stderr: Error: Cannot find module '/x/y.js'"},
		{"no JSON", func(p io.ReadWriteCloser, _ io.Writer) {
			bufio.NewReader(p).ReadString('\n')
			fmt.Fprintln(p, "{not json}")
			io.Copy(io.Discard, p)
		}, "did not answer within 1s; it said on stderr: {not json}"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := New(ServerEntry{Name: "bad", Command: "x", StartTimeout: ConfigTime(time.Second)}, program(row.serve))
			defer s.Close()
			start := time.Now()
			err := s.Connect(t.Context())
			if err == nil || !strings.Contains(err.Error(), row.says) || time.Since(start) > 30*time.Second {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			if again := s.Connect(t.Context()); again == nil || !strings.Contains(again.Error(), "next attempt") {
				t.Errorf("at once again: %v", again)
			}
		})
	}
}

func TestAGreetingOnStdoutIsNoFault(t *testing.T) {
	server := newServer()
	add(server, "one", "", `{"type":"object"}`, nil)
	s := connected(t, program(func(p io.ReadWriteCloser, _ io.Writer) {
		fmt.Fprintf(p, "%s\nServer is running on stdio\n", strings.Repeat("=", 200<<10))
		_ = server.Run(context.Background(), &sdk.IOTransport{Reader: p, Writer: p})
	}))
	if text, _, err := call(t, s, "mcp__test__one"); err != nil || text != "one ran" {
		t.Errorf("%q, %v", text, err)
	}
	if !strings.Contains(s.Stderr(), "running on stdio") {
		t.Errorf("the log ends: %.200q", s.log.reason())
	}
}

// A notice that comes before the answer to the first request waits for it.
func TestANoticeBeforeTheConnectionStands(t *testing.T) {
	server, lists := newServer(), make(chan struct{}, 100)
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if method == "tools/list" {
				lists <- struct{}{}
			}
			return next(ctx, method, r)
		}
	})
	add(server, "one", "", `{"type":"object"}`, nil)
	s := connected(t, program(func(p io.ReadWriteCloser, _ io.Writer) {
		for _, of := range []string{"tools", "prompts", "resources"} {
			fmt.Fprintf(p, `{"jsonrpc":"2.0","method":"notifications/%s/list_changed"}`+"\n", of)
		}
		_ = server.Run(context.Background(), &sdk.IOTransport{Reader: p, Writer: p})
	}))
	for range 2 { // of the attempt, and of the notice
		select {
		case <-lists:
		case <-time.After(10 * time.Second):
			t.Fatal("the notice is lost")
		}
	}
	if text, _, err := call(t, s, "mcp__test__one"); err != nil || text != "one ran" {
		t.Errorf("%q, %v", text, err)
	}
}

// An answer that is too long fails its own call: the next one finds the same connection.
func TestAHugeAnswerFailsItsCallOnly(t *testing.T) {
	server, starts := newServer(), 0
	add(server, "one", "", `{"type":"object"}`, nil)
	for _, size := range []int{200 << 10, 40 << 20} { // more than a piece, more than is taken
		add(server, fmt.Sprintf("much_%d", size), "", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Repeat(`\"id":7,{`, size/8)}}}, nil
		})
	}
	s := connected(t, program(func(p io.ReadWriteCloser, _ io.Writer) {
		starts++
		_ = server.Run(context.Background(), &sdk.IOTransport{Reader: p, Writer: p})
	}))
	if text, _, err := call(t, s, "mcp__test__much_204800"); err != nil || len(text) < 30<<10 { // what a reply takes
		t.Errorf("a long answer: %d bytes, %v", len(text), err)
	}
	if _, _, err := call(t, s, "mcp__test__much_41943040"); err == nil || !strings.Contains(err.Error(), "at most 33554432 are taken: ask for less") {
		t.Errorf("a huge answer: %v", err)
	}
	if text, _, err := call(t, s, "mcp__test__one"); err != nil || text != "one ran" || starts != 1 {
		t.Errorf("the next call: %q, %v after %d starts", text, err, starts)
	}
}

// What is dropped is read for its id alone, wherever that stands.
func TestTheIDOfAMessage(t *testing.T) {
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":3,"result":{}}`:                                  "3",
		`{"result":{"id":9,"a":["id",{"id":8}],"t":"\"id\":7}"},"id":"a,}\"b"}`: `"a,}\"b"`,
		`{"method":"ping","id":4}`:                                              "4 asks",
		`{"method":"note","params":{"id":4}}`:                                   " asks",
	} {
		var all, single topLevel
		all.feed([]byte(message))
		for i := range message {
			single.feed([]byte{message[i]})
		}
		got := string(all.id)
		if all.asks {
			got += " asks"
		}
		if got != want || string(single.id) != string(all.id) {
			t.Errorf("%s: %s and %s, want %s", message, got, single.id, want)
		}
	}
}

// TestAServerThatDiesMidCall ends the connection during a call. The next call connects again.
func TestAServerThatDiesMidCall(t *testing.T) {
	starts := 0
	s := connected(t, program(func(p io.ReadWriteCloser, e io.Writer) {
		starts++
		server, first := newServer(), starts == 1
		add(server, "one", "", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			if first {
				fmt.Fprintln(e, "out of memory")
				p.Close()
				time.Sleep(100 * time.Millisecond)
			}
			return &sdk.CallToolResult{}, nil
		})
		_ = server.Run(context.Background(), &sdk.IOTransport{Reader: p, Writer: p})
	}))
	_, _, err := call(t, s, "mcp__test__one")
	if err == nil || !strings.Contains(err.Error(), "outcome is unknown") || !strings.Contains(err.Error(), "out of memory") {
		t.Errorf("the call: %v", err)
	}
	if _, _, err := call(t, s, "mcp__test__one"); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

// TestLinesThatAreNoMessages: what a program prints beside its messages ends no connection, and an answer that is none ends its call.
func TestLinesThatAreNoMessages(t *testing.T) {
	starts := 0
	s := connected(t, program(func(p io.ReadWriteCloser, _ io.Writer) {
		starts++
		server := newServer()
		add(server, "one", "", `{"type":"object"}`, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			for _, line := range []string{"[info] ready", `{"level":30,"msg":"listening"}`, "{{{", "[1,2]]", "plain", `{"jsonrpc":"2.0","id":77,"result":{`} {
				fmt.Fprintln(p, line)
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
		})
		_ = server.Run(context.Background(), &sdk.IOTransport{Reader: p, Writer: p})
	}))
	for range 2 {
		if _, _, err := call(t, s, "mcp__test__one"); err != nil || starts != 1 {
			t.Errorf("%v, started %d times", err, starts)
		}
	}
	if text := s.Stderr(); !strings.Contains(text, "[info] ready") || !strings.Contains(text, "listening") {
		t.Errorf("the log has %q", text)
	}
	for line, want := range map[string]string{`{"jsonrpc":"2.0","id":3,"result":{`: `"id":3`, `{"jsonrpc":"2.0","id":"a","resu`: `"id":"a"`, `{"jsonrpc":"2.0","method":"x","id":3,{`: "", `{"id":3}`: "", "{{": ""} {
		if got := string(failedAnswer([]byte(line))); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// TestAFloodOfStderr writes much more than is kept.
func TestAFloodOfStderr(t *testing.T) {
	kept := &tail{most: 64 << 10}
	line := []byte(strings.Repeat("noise ", 10000) + "\n")
	for range 20000 { // 1.2 GB
		kept.Write(line)
	}
	if n := cap(kept.text); n > 1<<20 {
		t.Errorf("%d bytes are kept", n)
	}
}

func TestTenThousandTools(t *testing.T) {
	server := newServer()
	for i := range 10000 {
		add(server, fmt.Sprintf("tool_%d", i), "", `{"type":"object"}`, nil)
	}
	s := open(t, hosted(server))
	s.entry.StartTimeout = ConfigTime(20 * time.Second)
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Tools()); n != DefaultTools {
		t.Errorf("%d tools", n)
	}
	if !strings.Contains(s.Stderr(), "more than 1000 tools") {
		t.Errorf("the log: %s", s.Stderr())
	}
}

func TestACallThatIsCancelledReachesTheServer(t *testing.T) {
	server, cancelled := newServer(), make(chan struct{})
	add(server, "slow", "", `{"type":"object"}`, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		close(cancelled)
		return nil, ctx.Err()
	})
	s := connected(t, hosted(server))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Tool("mcp__test__slow").Run(ctx, raw(`{}`), tool.NewReply(tool.ReplyOptions{})); err == nil {
		t.Error("a cancelled call succeeded")
	}
	select {
	case <-cancelled:
	case <-time.After(2 * time.Second):
		t.Error("the server still works")
	}
}

// A form that a server does not take back when its call is cancelled goes with the call.
func TestAFormEndsWithItsCall(t *testing.T) {
	server := newServer()
	add(server, "ask", "", `{"type":"object"}`, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_, err := r.Session.Elicit(context.WithoutCancel(ctx), &sdk.ElicitParams{Message: "Which?", RequestedSchema: raw(`{"type":"object","properties":{}}`)})
		return nil, err
	})
	o, shown, gone := hosted(server), make(chan struct{}), make(chan struct{})
	o.Elicit = func(ctx context.Context, _ Question) (Reply, error) {
		close(shown)
		<-ctx.Done()
		close(gone)
		return Reply{Action: "cancel"}, nil
	}
	s := askingServer(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-shown; cancel() }()
	r := tool.NewReply(tool.ReplyOptions{Call: "1"})
	if err := s.Tool("mcp__test__ask").Run(ctx, raw(`{}`), r); err == nil {
		t.Error("a cancelled call succeeded")
	}
	select {
	case <-gone:
	case <-time.After(2 * time.Second):
		t.Error("the form stands although its call is cancelled")
	}
}

// A panic in what answers a server fails the server's request, and nothing else.
func TestAPanicInAnAnswerIsAnError(t *testing.T) {
	server := newServer()
	add(server, "ask", "", `{"type":"object"}`, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Which?", RequestedSchema: raw(`{"type":"object","properties":{}}`)})
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(err)}}}, nil
	})
	o := hosted(server)
	o.Elicit = func(context.Context, Question) (Reply, error) { panic("sk-secret-0123456789") }
	s := askingServer(t, o)
	text, _, err := call(t, s, "mcp__test__ask")
	if err != nil || !strings.Contains(text, "elicitation/create failed inside of rein") || strings.Contains(text, "sk-secret") {
		t.Errorf("%q, %v", text, err)
	}
	if !strings.Contains(s.Stderr(), "caused a panic in rein") {
		t.Errorf("the log: %q", s.Stderr())
	}
}

// TestAnErrorOfAServerIsNoEndOfTheConnection: a call that a server answered with an error is not sent again, whatever its code.
func TestAnErrorOfAServerIsNoEndOfTheConnection(t *testing.T) {
	for _, code := range []int64{-32003, -32004} {
		calls := 0
		s := connected(t, program(func(p io.ReadWriteCloser, _ io.Writer) {
			server := newServer()
			add(server, "one", "", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				calls++
				return nil, &jsonrpc.Error{Code: code, Message: "forbidden"}
			})
			_ = server.Run(context.Background(), &sdk.IOTransport{Reader: p, Writer: p})
		}))
		if _, _, err := call(t, s, "mcp__test__one"); err == nil || !strings.Contains(err.Error(), "answered with an error") || calls != 1 {
			t.Errorf("code %d: %d calls, %v", code, calls, err)
		}
	}
}

// askingServer is connected by a version in which servers have requests: the newest one has none.
func askingServer(t *testing.T, o Options) *Server {
	t.Helper()
	s := New(ServerEntry{Name: "test", Command: "x"}, o)
	t.Cleanup(func() { s.Close() })
	client, err := s.connect(t.Context(), s.entry, "2025-11-25")
	if err != nil {
		t.Fatal(err)
	}
	s.client = client
	if err := s.list(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	return s
}
