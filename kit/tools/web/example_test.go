package web_test

import (
	"context"
	"encoding/json"
	"fmt"

	"rein/kit/network"
	"rein/kit/tools/web"
	"rein/tool"
)

// The policy decides what a call reaches. It gets the id of the call, so that access for one call is for this call only.
func Example() {
	policy, err := network.New(network.Options{Rules: network.Rules{Allow: []string{"*.example.com"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := web.New(web.Options{Policy: func(call string) *network.Policy { return policy }})
	if err != nil {
		fmt.Println(err)
		return
	}
	args := json.RawMessage(`{"url":"https://example.org/"}`)
	intent, _ := tools.Fetch().Intent(args)
	fmt.Println(intent.Hosts)

	err = tools.Fetch().Run(context.Background(), args, tool.NewReply(tool.ReplyOptions{Call: "1"}))
	fmt.Println(tool.AsError(err).Text)
	// Output:
	// [example.org:443]
	// The network policy refuses example.org:443: not on the list of allowed hosts.
}
