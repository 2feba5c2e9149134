package probe_test

import (
	"context"
	"fmt"

	"rein/model/probe"
	"rein/model/script"
)

// Run yields a check for each feature. This model can only write one word.
func Example() {
	m := &script.Model{Script: &script.Script{Turns: []script.Turn{{Text: "Ready.", Repeat: 9}}}, Name: "m"}
	for c := range probe.Run(context.Background(), m, nil) {
		fmt.Println(c.Name, c.State)
	}
	// Output:
	// text works
	// call missing
	// parallel missing
	// thinking missing
	// image missing
	// cut missing
}
