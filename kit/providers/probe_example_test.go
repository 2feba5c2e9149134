package providers

import (
	"context"
	"fmt"

	"rein/kit/script"
)

// Run yields a check for each feature. This model can only write one word.
func Example() {
	m := &script.Model{Script: &script.Script{Turns: []script.Turn{{Text: "Ready.", Repeat: 9}}}, Name: "m"}
	for c := range Probe(context.Background(), m, nil) {
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
