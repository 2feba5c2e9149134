package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"io"
)

// A program that answers line by line is one connection.
func Example_stdio() {
	conn, err := StartStdio(context.Background(), None{}, Spec{Argv: []string{"cat"}}, io.Discard)
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
