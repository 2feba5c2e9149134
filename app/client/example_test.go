package client_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"rein/app/client"
	"rein/app/server/api"
	"rein/event"
)

// A program gives a task to a server and prints the answer.
func Example() {
	key, err := os.ReadFile("/home/me/.local/state/rein/server/key")
	if err != nil {
		return // no server was started here
	}
	ctx := context.Background()
	c := &client.Client{URL: "http://127.0.0.1:4096", Key: strings.TrimSpace(string(key))}
	s, err := c.Start(ctx, api.NewSession{Text: "make the tests pass"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range c.Events(ctx, s.ID) {
		if err != nil || e.Kind == event.Stopped && e.Parent == "" {
			fmt.Println(e.Text, err)
			return
		}
	}
	// Output:
}
