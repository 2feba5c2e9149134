package document_test

import (
	"fmt"

	"rein/kit/document"
)

func ExampleReadPage() {
	page, err := document.ReadPage([]byte("<title>News</title><h1>Today</h1><p>Rain, <b>then</b> sun.</p>"), document.PageOptions{Whole: true})
	fmt.Println(page.Title, err)
	fmt.Println(page.Markdown)
	// Output:
	// News <nil>
	// # Today
	//
	// Rain, **then** sun.
}
