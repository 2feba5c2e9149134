package mcp

import (
	"fmt"
	"os"
)

// An account holds the tokens of one server, once its user has signed in with a Login.
func Example_oauth() {
	dir, err := os.MkdirTemp("", "accounts-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	docs := Account{Dir: dir, Server: "docs", URL: "https://docs.example/mcp"}
	fmt.Println("signed in:", docs.Kept())
	// Output: signed in: false
}
