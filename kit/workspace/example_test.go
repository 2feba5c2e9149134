package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"

	"rein/kit/workspace"
)

// No name leads out of a workspace, and a file is replaced only if its content is still the expected one.
func Example() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	_ = os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("first\n"), 0o644)
	ws, err := workspace.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ws.Close()

	_, err = ws.ReadFile("../notes.txt")
	fmt.Println(err, "-", workspace.KindOf(err))

	v, _ := ws.Load("notes.txt")
	_ = os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("by someone else\n"), 0o644)
	_, err = ws.Store("notes.txt", []byte("second\n"), v.Sum)
	fmt.Println(workspace.KindOf(err))
	// Output:
	// ../notes.txt is outside the workspace - outside
	// changed
}
