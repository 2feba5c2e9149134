package media_test

import (
	"fmt"

	"rein/toolkit/media"
)

// The tools for images, videos and documents of a workspace.
func Example() {
	for _, t := range (media.Tools{}).Offered() {
		fmt.Println(t.Name, t.Effect)
	}
	// Output:
	// view_image reads
	// send_file reads
	// view_video reads
}
