package browser_test

import (
	"fmt"

	"rein/kit/tools/browser"
)

// A browser runs in a sandbox only: without one, no tools are offered. It starts with the first call.
func Example() {
	b := browser.New(browser.Options{})
	defer b.Close()
	fmt.Println(len(b.Offered()))
	// Output: 0
}
