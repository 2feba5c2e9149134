package dialect

import (
	"fmt"
)

// A model that has tool calls of its own sometimes writes one into its text. Read finds it when it can only be meant as a call.
func Example_recovery() {
	out := Recover(RecoveredTurn{
		Text:  "I look.\n<invoke name=\"read\">\n<parameter name=\"path\">a.go</parameter>\n</invoke>",
		Tools: []Tool{{Name: "read", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
	})
	fmt.Println(out.Show)
	for _, c := range out.Calls {
		fmt.Println(c.Name, c.Args, c.Runs)
	}
	// Output:
	// I look.
	// read {"path":"a.go"} true
}
