package dialect

import (
	"context"
	"fmt"

	"rein/kit/script"
	"rein/model"
)

// The model below has no tool calls: it writes them as text. The wrapped model has calls like any other.
func Example_textcalls() {
	s, err := script.Parse([]byte(`turns: [{text: "I look.\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.go\"}}\n</tool_call>"}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := WrapTextCalls(&script.Model{Script: s, Name: "qwen2.5:7b"}, "auto")
	if err != nil {
		fmt.Println(err)
		return
	}
	done, err := model.Ask(context.Background(), m, &model.Request{
		Messages: []*model.Message{model.UserText("What is a.go?")},
		Tools:    []model.ToolSpec{{Name: "read", Description: "Reads a file."}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	call := done.Message.Calls()[0]
	fmt.Println(done.Stop, call.Name, call.Args)
	// Output:
	// calls read {"path": "a.go"}
}
