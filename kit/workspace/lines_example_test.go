package workspace

import (
	"context"
	"fmt"
	"strings"
)

// A window of a large file is read without the rest of it.
func Example() {
	file := "one\ntwo\nthree\nfour\n"
	w, err := ReadLines(context.Background(), strings.NewReader(file), int64(len(file)), nil, LineRange{First: 2, Count: 2, Bytes: 1000, Line: 100})
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
