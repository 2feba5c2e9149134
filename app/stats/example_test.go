package stats_test

import (
	"fmt"

	"rein/app/stats"
	"rein/event"
	"rein/tool"
)

// A counter sees the events of sessions and adds them up.
func Example() {
	var c stats.Counter
	c.Begin()
	for _, e := range []event.Event{
		{Kind: event.Prompted, Text: "go"},
		{Kind: event.Called, Call: &tool.Call{ID: "1", Name: "bash"}},
		{Kind: event.Replied, Call: &tool.Call{ID: "1", Name: "bash"}, Result: &tool.Result{ID: "1", Name: "bash", Failed: true}},
	} {
		c.See(e)
	}
	fmt.Println(c.Sessions, c.Messages, c.Tools["bash"].Calls, c.Failed)
	// Output: 1 1 1 1
}
