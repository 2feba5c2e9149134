// Command facts does what maintainers need now and then: the facts of models, a score of page reading, a still or moving picture of a terminal, another
// path for the module, and the types for other systems.
package main

import (
	"fmt"
	"os"
)

var commands = map[string]func(){
	"models":  modelFacts,
	"movie":   movieOfTerminal,
	"pages":   scorePages,
	"picture": pictureOfTerminal,
	"publish": publish,
	"types":   checkTypes,
}

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "facts: expected models, movie, pages, picture, publish or types, and its arguments")
		os.Exit(2)
	}
	run := commands[os.Args[1]]
	os.Args = os.Args[1:]
	run()
}
