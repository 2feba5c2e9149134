package server_test

import (
	"bytes"
	"fmt"

	"rein/app/server"
)

// The description of the server's API, in the format of OpenAPI, for a client in any language.
func Example() {
	var text bytes.Buffer
	if err := server.Spec(&text, "1.0"); err != nil {
		panic(err)
	}
	fmt.Println(bytes.HasPrefix(bytes.TrimSpace(text.Bytes()), []byte("{")))
	// Output: true
}
