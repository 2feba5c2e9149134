package tool

import (
	"fmt"
	"io"
	"os"
)

// A Writer keeps the head and the tail of a long output in memory and the whole of it in a file.
func Example() {
	dir, err := os.MkdirTemp("", "spill")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store := &OutputStore{Dir: dir, Prefix: "session-1"}

	w := &OutputWriter{Limit: 40, Spill: store}
	for i := range 1000 {
		fmt.Fprintf(w, "line %d\n", i)
	}
	kept := w.Close()
	fmt.Println(kept.Text)
	fmt.Println("cut:", kept.Cut(), "total:", SizeText(kept.Total))

	whole, err := store.Open(kept.Ref)
	if err != nil {
		panic(err)
	}
	defer whole.Close()
	text, _ := io.ReadAll(whole)
	fmt.Println("in the file:", len(text), "bytes")
	// Output:
	// line 0
	// line 1
	// [… 996 lines, 8.9 KB left out here; the whole output (8.9 KB): read_file with path "output://session-1-1" …]
	// line 998
	// line 999
	//
	// cut: true total: 8.9 KB
	// in the file: 8890 bytes
}
