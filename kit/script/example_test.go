package script_test

import (
	"context"
	"fmt"

	"rein/kit/script"
	"rein/model"
)

// A script lists what a model answers, turn by turn, and what the request must contain before.
func Example() {
	s, err := script.Parse([]byte(`
turns:
  - text: I look.
    calls: [{name: read, args: {path: a.go}}]
  - expect: {contains: package}
    text: It is Go.
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	m := &script.Model{Script: s, Name: "demo"}
	r := &model.Request{Messages: []*model.Message{model.UserText("What is a.go?")}}
	first, _ := model.Ask(context.Background(), m, r)
	call := first.Message.Calls()[0]
	fmt.Println(first.Message.Text(), call.Name, call.Args)

	r.Messages = append(r.Messages, first.Message, model.Answer(first.Message, model.Result(call.ID, "package main", false)))
	second, _ := model.Ask(context.Background(), m, r)
	fmt.Println(second.Message.Text())
	// Output:
	// I look. read {"path":"a.go"}
	// It is Go.
}
