package mcpserver_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/app/harness"
	"rein/app/mcpserver"
	"rein/app/settings"
)

// A directory's tools are lent to a client. A call is checked by the rules; this client cannot ask its user, so a call that
// needs an approval is denied.
func Example() {
	if err := lendDirectory(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// read_file failed: false
	// bash failed: true
}

func lendDirectory() error {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "lent")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, home := filepath.Join(dir, "root"), filepath.Join(dir, "home")
	if err := os.Mkdir(root, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("hello\n"), 0o600); err != nil {
		return err
	}
	person := &mcpserver.Person{Wait: -1} // nobody answers elsewhere
	h, err := harness.Open(ctx, harness.Options{Dir: root, Terms: harness.Terms{Sandbox: "off"}, Person: person, Dirs: settings.Dirs{Config: home + "/config",
		Sessions: home + "/sessions", Output: home + "/output", Private: home + "/private", State: home + "/state"}})
	if err != nil {
		return err
	}
	defer h.Close(ctx)
	session, err := h.Start(ctx, harness.NewSession{NoModel: true})
	if err != nil {
		return err
	}
	server := mcpserver.New(h, session, person, mcpserver.Options{Tools: []string{"read_file", "bash"}})
	defer server.Close()

	ours, theirs := net.Pipe()
	go server.Serve(ctx, ours, ours)
	client, err := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, nil).Connect(ctx, &sdk.IOTransport{Reader: theirs, Writer: theirs}, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	for _, call := range []sdk.CallToolParams{
		{Name: "read_file", Arguments: map[string]any{"path": "a.txt"}},
		{Name: "bash", Arguments: map[string]any{"command": "rm a.txt"}},
	} {
		result, err := client.CallTool(ctx, &call)
		if err != nil {
			return err
		}
		fmt.Println(call.Name, "failed:", result.IsError)
	}
	return nil
}
