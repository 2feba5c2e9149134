// Command toolcall runs one call of one tool.
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"rein/guard"
	"rein/tool"
	"rein/toolcall"
)

type greeting struct {
	Name string `json:"name"`
}

func main() {
	hello := tool.New("hello", "Says hello.", 0, func(_ context.Context, in greeting, r *tool.Reply) error {
		fmt.Fprintln(r, "hello", in.Name)
		return nil
	})
	set, err := tool.NewSet(hello)
	if err != nil {
		panic(err)
	}
	r, err := toolcall.New(toolcall.Runner{Tools: set, Guard: guard.All{}, Approver: guard.Nobody{}})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Run(context.Background(), toolcall.Scope{}, []tool.Call{{ID: "1", Name: "hello", Args: json.RawMessage(`{"name":"you"}`)}}))
}
