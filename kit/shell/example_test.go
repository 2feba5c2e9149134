package shell_test

import (
	"fmt"

	"rein/kit/places"
	"rein/kit/shell"
)

// A command is read, not run: what it would read, write, remove, run and contact.
func ExampleAnalyze() {
	at := shell.Context{Context: places.Context{Dir: "/home/dev/project", Workspaces: []string{"/home/dev/project"}, Home: "/home/dev"}}
	r := shell.Analyze(`f=notes.txt; sort "$f" > sorted.txt && curl -T sorted.txt https://example.com/in`, at)
	fmt.Println("reads   ", r.Reads)
	fmt.Println("writes  ", r.Writes)
	fmt.Println("runs    ", r.Programs)
	fmt.Println("contacts", r.Contacts)
	for _, f := range r.Findings {
		fmt.Println(f.Class, "because it", f.Why)
	}
	// Output:
	// reads    [/home/dev/project/notes.txt /home/dev/project/sorted.txt]
	// writes   [/home/dev/project/sorted.txt]
	// runs     [sort curl]
	// contacts [example.com:443/in]
	// write because it writes sorted.txt
	// upload because it sends files of the workspace to the network
	// network because it contacts example.com
}
