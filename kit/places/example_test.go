package places_test

import (
	"fmt"

	"rein/kit/places"
)

// One table says what a path is: the guard, the file tools and the sandbox share it.
func ExampleClassify() {
	at := places.Context{Dir: "/home/dev/project", Workspaces: []string{"/home/dev/project"}, Home: "/home/dev"}
	for _, path := range []string{"main.go", ".git/hooks/pre-commit", ".env", "/home/dev/.ssh/id_ed25519", "/usr/include/stdio.h", "../other/README"} {
		fmt.Println(path, places.Classify(path, at))
	}
	// Output:
	// main.go workspace
	// .git/hooks/pre-commit protected
	// .env private
	// /home/dev/.ssh/id_ed25519 secret
	// /usr/include/stdio.h system
	// ../other/README outside
}
