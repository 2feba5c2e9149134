package lines_test

import (
	"context"
	"fmt"
	"strings"

	"rein/workspace/lines"
)

// A window of a large file is read without the rest of it.
func Example() {
	file := "one\ntwo\nthree\nfour\n"
	w, err := lines.Read(context.Background(), strings.NewReader(file), int64(len(file)), nil, lines.Range{First: 2, Count: 2, Bytes: 1000, Line: 100})
	if err != nil {
		panic(err)
	}
	for i, l := range w.Lines {
		fmt.Printf("%d %s\n", int(w.First)+i, l.Text)
	}
	// Output:
	// 2 two
	// 3 three
}
