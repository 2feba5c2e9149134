package media_test

import (
	"fmt"

	"rein/kit/tools/media"
)

// The tools for files that are no text. view_video is offered too where ffmpeg is installed.
func Example() {
	tools := media.Tools{}
	fmt.Println(tools.ViewImage().Name, tools.ViewImage().Effect)
	fmt.Println(tools.SendFile().Name, tools.SendFile().Effect)
	// Output:
	// view_image reads
	// send_file reads
}
