package journal_test

import (
	"fmt"
	"os"
	"path/filepath"

	"rein/event"
	"rein/journal"
)

// A journal is appended to, and read back.
func Example() {
	root, err := os.MkdirTemp("", "sessions-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	dir, err := journal.Dir(root, "20261121-093000-abcde")
	if err != nil {
		panic(err)
	}
	f, damage, err := journal.Open(dir)
	if err != nil {
		panic(err)
	}
	if text := damage.String(); text != "" {
		fmt.Println(text)
	}
	if err := f.Append(event.Event{Kind: event.Prompted, Text: "make the tests pass"}, event.Event{Kind: event.Stopped, Stop: event.Done}); err != nil {
		panic(err)
	}
	if err := f.Close(); err != nil {
		panic(err)
	}
	for e, err := range journal.Read(filepath.Join(dir, journal.FileName)) {
		if err != nil {
			panic(err)
		}
		fmt.Println(e.Seq, e.Kind, e.Text)
	}
	// Output:
	// 1 prompt make the tests pass
	// 2 stopped
}
