package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"rein/event"
	"rein/tool"
)

func Example() {
	made, _ := os.MkdirTemp("", "sent")
	defer os.RemoveAll(made)
	dir, _ := filepath.EvalSymlinks(made)
	name := filepath.Join(dir, "chart.csv")
	_ = os.WriteFile(name, []byte("a,b"), 0o600)
	shown, _ := json.Marshal(tool.Detail{Files: []tool.FileDetail{{Path: "chart.csv", Abs: name}}})
	journal := []event.Event{{Kind: event.Replied, Call: &tool.Call{ID: "c1", Name: "send_file"}, Result: &tool.Result{Detail: shown}}}
	events := func(yield func(event.Event, error) bool) {
		for e := range slices.Values(journal) {
			if !yield(e, nil) {
				return
			}
		}
	}

	file, err := openSent(dir, events, "c1")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	text, _ := io.ReadAll(file)
	fmt.Println(file.Name, string(text))
	_, err = openSent(dir, events, "c2")
	fmt.Println(errors.Is(err, errNotSent))
	// Output:
	// chart.csv a,b
	// true
}
