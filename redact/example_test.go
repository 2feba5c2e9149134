package redact_test

import (
	"fmt"
	"io"
	"os"

	"rein/redact"
)

// A filter hides the values that it knows, also encoded ones, and the shapes of well-known keys.
func Example() {
	filter := redact.New([]redact.Value{{Name: "DATABASE_PASSWORD", Text: "correct horse staple"}})
	fmt.Println(filter.String("connect with correct horse staple"))
	fmt.Println(filter.String("?password=correct%20horse%20staple"))
	fmt.Println(filter.String("Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345"))
	// Output:
	// connect with [hidden: DATABASE_PASSWORD]
	// ?password=[hidden: DATABASE_PASSWORD]
	// Authorization: Bearer [hidden: authorization header]
}

// A Writer also finds a secret that arrives in several writes.
func ExampleFilter_Writer() {
	filter := redact.New([]redact.Value{{Name: "token", Text: "s3cr3t-t0k3n"}})
	w := filter.Writer(os.Stdout)
	io.WriteString(w, "the token is s3cr")
	io.WriteString(w, "3t-t0k3n, keep it\n")
	w.Flush()
	// Output:
	// the token is [hidden: token], keep it
}
