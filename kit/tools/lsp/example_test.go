package lsp_test

import (
	"fmt"

	"rein/kit/tools/lsp"
)

// The language servers that rein knows. Servers.Tools offers tools for those that are installed; a server starts with the first
// call that needs it.
func Example() {
	for _, s := range lsp.Known() {
		fmt.Println(s.Name+":", s.Files)
	}
	// Output:
	// gopls: Go
	// typescript-language-server: TypeScript and JavaScript
	// pyright: Python
	// rust-analyzer: Rust
	// clangd: C and C++
}
