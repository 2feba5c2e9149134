package stdio_test

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"rein/sandbox"
	"rein/sandbox/stdio"
)

// A program that answers line by line is one connection.
func Example() {
	conn, err := stdio.Start(context.Background(), sandbox.None{}, sandbox.Spec{Argv: []string{"cat"}}, io.Discard)
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "ping\n"); err != nil {
		panic(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	fmt.Print(line, err)
	// Output:
	// ping
	// <nil>
}
