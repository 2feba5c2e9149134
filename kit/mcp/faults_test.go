package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

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
		{"ends at once", func(p io.ReadWriteCloser, e io.Writer) { fmt.Fprintln(e, "node: command not found"); p.Close() }, "its program ended before it answered; its last line on stderr: node: command not found"},
		{"a line of 100 MB", func(p io.ReadWriteCloser, _ io.Writer) {
			go io.Copy(io.Discard, p)
			p.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":"`))
			for range 100 {
				if _, err := p.Write([]byte(strings.Repeat("x", 1<<20))); err != nil {
					return
				}
			}
		}, ""},
		{"no JSON", func(p io.ReadWriteCloser, _ io.Writer) {
			bufio.NewReader(p).ReadString('\n')
			fmt.Fprintln(p, "{not json}")
			io.Copy(io.Discard, p)
		}, "invalid character"},
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
		t.Errorf("the log ends: %.200q", s.log.last())
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
	for range 100 {
		if s.State() != "connected" {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if _, _, err := call(t, s, "mcp__test__one"); err != nil {
		t.Errorf("after the end: %v", err)
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

// A panic in what answers a server fails the server's request, and nothing else.
func TestAPanicInAnAnswerIsAnError(t *testing.T) {
	server := newServer()
	add(server, "ask", "", `{"type":"object"}`, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Which?", RequestedSchema: raw(`{"type":"object","properties":{}}`)})
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(err)}}}, nil
	})
	o := hosted(server)
	o.Elicit = func(context.Context, Question) (Reply, error) { panic("sk-secret-0123456789") }
	s := New(ServerEntry{Name: "test", Command: "x"}, o)
	t.Cleanup(func() { s.Close() })
	client, err := s.connect(t.Context(), s.entry, "2025-11-25") // the newest version has no requests of the server
	if err != nil {
		t.Fatal(err)
	}
	s.client = client
	if err := s.list(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	text, _, err := call(t, s, "mcp__test__ask")
	if err != nil || !strings.Contains(text, "elicitation/create failed inside of rein") || strings.Contains(text, "sk-secret") {
		t.Errorf("%q, %v", text, err)
	}
	if !strings.Contains(s.Stderr(), "caused a panic in rein") {
		t.Errorf("the log: %q", s.Stderr())
	}
}
