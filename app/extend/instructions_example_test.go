package extend_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rein/app/extend"
)

func ExampleInstructionLoader() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	_ = os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("Run the tests with make."), 0o644)
	folder := extend.OpenFolder(filepath.Join(dir, "answers.json"), dir, false)
	l := &extend.InstructionLoader{Folder: folder, Workspace: dir}
	fmt.Println(l.Start() == "", l.Files()[0].State)

	_ = folder.Accept(folder.Found(dir, true)) // the user accepted them
	l = &extend.InstructionLoader{Folder: folder, Workspace: dir}
	fmt.Println(strings.Contains(l.Start(), "make."), l.Files()[0].State)
	// Output:
	// true not trusted
	// true loaded
}
