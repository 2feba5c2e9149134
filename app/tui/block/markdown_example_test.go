package block

import (
	"fmt"
)

// Finished blocks leave a stream while the text still grows.
func ExampleMarkdownStream() {
	s := NewMarkdownStream(NewMarkdown(), MarkdownOptions{Width: 40})
	s.Write("# Title\n\nThe first paragraph.\n\nThe sec")
	for _, l := range s.Take(false) {
		fmt.Println(l)
	}
	s.Write("ond one.\n")
	for _, l := range s.Take(true) {
		fmt.Println(l)
	}
	// Output:
	// Title
	//
	// The first paragraph.
	//
	// The second one.
}
