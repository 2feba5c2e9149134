package mcp_test

import (
	"context"
	"fmt"
	"io"
	"net"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/kit/mcp"
	"rein/tool"
)

// A server becomes tools of rein. Start decides how its program runs: here it is a server in the same process.
func Example() {
	theirs := sdk.NewServer(&sdk.Implementation{Name: "cards", Version: "1"}, nil)
	type args struct {
		Suit string `json:"suit"`
	}
	sdk.AddTool(theirs, &sdk.Tool{Name: "count", Description: "Count the cards of a suit."}, func(_ context.Context, _ *sdk.CallToolRequest, in args) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "13 cards of " + in.Suit}}}, nil, nil
	})
	start := func(context.Context, mcp.ServerEntry, io.Writer) (io.ReadWriteCloser, error) {
		ours, other := net.Pipe()
		go theirs.Run(context.Background(), &sdk.IOTransport{Reader: other, Writer: other})
		return ours, nil
	}

	server := mcp.New(mcp.ServerEntry{Name: "cards", Command: "cards"}, mcp.Options{Start: start})
	defer server.Close()
	ctx := context.Background()
	if err := server.Connect(ctx); err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range server.Tools() {
		reply := tool.NewReply(tool.ReplyOptions{Call: "1"})
		err := t.Run(ctx, []byte(`{"suit":"hearts"}`), reply)
		text, _, _, _ := reply.Close()
		fmt.Println(t.Name, "-", t.Description)
		fmt.Println(text, err)
	}
	// Output:
	// mcp__cards__count - Count the cards of a suit.
	// 13 cards of hearts <nil>
}
