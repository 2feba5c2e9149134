package git_test

import (
	"fmt"

	"rein/kit/tools/git"
)

// The tools read a repository; none changes it. With a sandbox in Box, git runs there.
func Example() {
	for _, t := range (git.Repository{Dir: "/home/ada/project"}).Tools() {
		fmt.Println(t.Name, t.Effect)
	}
	// Output:
	// git_status reads
	// git_diff reads
	// git_log reads
	// git_show reads
	// git_blame reads
}
