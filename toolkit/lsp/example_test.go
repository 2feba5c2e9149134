package lsp_test

import (
	"fmt"

	"rein/toolkit/lsp"
)

// The tools of the language servers of a directory. A server starts with the first call that needs it.
func Example() {
	for _, t := range (&lsp.Servers{Dir: "/home/ada/project"}).Tools() {
		fmt.Println(t.Name)
	}
	// Output:
	// lsp
	// lsp_edit
}
