package files_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"rein/kit/tools/files"
	"rein/kit/workspace"
)

// Preview shows what a call would change, without changing it: a person reads it before an approval.
func ExampleTools_Preview() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	_ = os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module a\ngo 1.25\n"), 0o644)
	ws, err := workspace.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ws.Close()

	changes, err := files.Tools{Workspace: ws}.Preview("edit_file", json.RawMessage(`{"path":"go.mod","old_text":"go 1.25","new_text":"go 1.26"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s +%d -%d\n%s", changes[0].Path, changes[0].Added, changes[0].Removed, changes[0].Diff)
	// Output:
	// go.mod +1 -1
	// @@ -1,2 +1,2 @@
	//  module a
	// -go 1.25
	// +go 1.26
}
