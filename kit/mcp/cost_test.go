package mcp

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/tool"
)

// TestACallCostsLittleMoreThanTheProtocol compares a call through a tool with the same call through the SDK's own client. It
// measures in turns and takes the middle of each. On a quiet machine the times are equal and 1.3 times is the target; the bar here holds
// on a busy one too.
func TestACallCostsLittleMoreThanTheProtocol(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	server := newServer()
	add(server, "echo", "", `{"type":"object"}`, nil)
	s := connected(t, hosted(server))
	ours, theirs := net.Pipe()
	go server.Run(context.Background(), &sdk.IOTransport{Reader: theirs, Writer: theirs})
	plain, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: ours, Writer: ours}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	echo := s.Tool("mcp__test__echo")
	through := func() error { return echo.Run(t.Context(), raw(`{}`), tool.NewReply(tool.ReplyOptions{Call: "1"})) }
	direct := func() error {
		_, err := plain.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: raw(`{}`)})
		return err
	}
	var a, b []time.Duration
	for range 400 {
		a, b = append(a, timed(t, through)), append(b, timed(t, direct))
	}
	slices.Sort(a)
	slices.Sort(b)
	ratio := float64(a[len(a)/2]) / float64(b[len(b)/2])
	t.Logf("through rein %v, the SDK alone %v: %.2f", a[len(a)/2], b[len(b)/2], ratio)
	if ratio > 4 {
		t.Errorf("a call takes %.2f times the time of the SDK's", ratio)
	}
}

func timed(t *testing.T, do func() error) time.Duration {
	start := time.Now()
	if err := do(); err != nil {
		t.Fatal(err)
	}
	return time.Since(start)
}
