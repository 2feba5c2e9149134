package text_test

import (
	"fmt"

	"rein/app/tui/text"
)

// A line is wrapped at its blanks, and characters that cannot be seen are made visible.
func Example() {
	line := text.Line{text.Bold(text.Plain, "bash "), text.In(text.Code, text.Shown("echo a\u200bb and more words"))}
	for _, row := range line.Wrap(20, text.Of(text.Plain, "  ")) {
		fmt.Println(row)
	}
	// Output:
	// bash echo a<U+200B>b
	//   and more words
}
