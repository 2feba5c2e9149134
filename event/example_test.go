package event_test

import (
	"encoding/json"
	"fmt"
	"time"

	"rein/event"
	"rein/tool"
)

// The same record is a line of the journal and a message on the wire.
func Example() {
	e := event.Event{Kind: event.Replied, Time: time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC), Seq: 7, Session: "s",
		Call: &tool.Call{ID: "1", Name: "read_file"}, Result: &tool.Result{ID: "1", Name: "read_file", Text: "hello"}}
	line, err := e.Line(nil)
	if err != nil {
		panic(err)
	}
	fmt.Print(string(line))
	var back event.Event
	if err := json.Unmarshal(line, &back); err != nil {
		panic(err)
	}
	fmt.Println(back.Kind, back.Result.Text)
	// Output:
	// {"kind":"replied","time":"2026-11-21T09:30:00Z","seq":7,"session":"s","call":{"id":"1","name":"read_file","args":null},"result":{"id":"1","name":"read_file","text":"hello"}}
	// replied hello
}
