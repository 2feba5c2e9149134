package undo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"rein/kit/undo"
)

// What a program does to a directory is kept around it, listed, and taken back.
func Example() {
	top, err := os.MkdirTemp("", "undo-example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(top)
	work, ctx := filepath.Join(top, "work"), context.Background()
	if err := os.MkdirAll(work, 0o755); err != nil {
		panic(err)
	}
	name := filepath.Join(work, "list.txt")
	if err := os.WriteFile(name, []byte("one\ntwo\n"), 0o644); err != nil {
		panic(err)
	}
	s, err := undo.Open(filepath.Join(top, "store"), undo.Options{Roots: []string{work}, MinFree: 1})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	call, err := s.Begin(ctx, undo.Call{ID: "c1", Tool: "bash"}, nil)
	if err != nil {
		panic(err)
	}
	if err := os.Remove(name); err != nil { // here a program would run
		panic(err)
	}
	report, err := call.End(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Changes[0].What, report.Changes[0].Path)

	plan, err := s.Plan(ctx, undo.Selection{Last: 1})
	if err != nil {
		panic(err)
	}
	if _, err := s.Apply(ctx, plan, undo.Call{}, nil); err != nil {
		panic(err)
	}
	text, err := os.ReadFile(name)
	fmt.Printf("%q %v\n", text, err)
	// Output:
	// deleted list.txt
	// "one\ntwo\n" <nil>
}
