package instructions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rein/app/instructions"
	"rein/app/trust"
)

func ExampleLoader() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	_ = os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("Run the tests with make."), 0o644)
	folder := trust.Open(filepath.Join(dir, "answers.json"), dir, false)
	l := &instructions.Loader{Folder: folder, Workspace: dir}
	fmt.Println(l.Start() == "", l.Files()[0].State)

	_ = folder.Accept(folder.Found(dir, true)) // the user accepted them
	l = &instructions.Loader{Folder: folder, Workspace: dir}
	fmt.Println(strings.Contains(l.Start(), "make."), l.Files()[0].State)
	// Output:
	// true not trusted
	// true loaded
}
