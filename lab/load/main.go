// Command load measures the proxy, the server and the chat under load, on loopback. Nothing leaves the machine.
package main

import (
	"fmt"
	"os"
)

var commands = map[string]func(){
	"proxy":    loadProxy,
	"server":   loadServer,
	"terminal": loadTerminal,
}

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "load: expected proxy, server or terminal, and its options")
		os.Exit(2)
	}
	run := commands[os.Args[1]]
	os.Args = os.Args[1:]
	run()
}
