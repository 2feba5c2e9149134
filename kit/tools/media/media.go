// Package media makes the tools that look at things and show them: view_image, view_video, screenshot and send_file. It also
// reads images and documents for read_file and web_fetch.
//
// What it reads may be hostile. Images are bounded before they are decoded. Documents, videos and drawings are read by
// programs in the sandbox, with limits of time, memory and output.
package media

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"rein/kit/document"
	"rein/kit/sandbox"
	"rein/kit/workspace"
	"rein/tool"
)

// Tools is what the tools share. The zero value but for Workspace works: it starts programs without a sandbox, and reads
// no documents but PDF files, if pdftotext is installed.
type Tools struct {
	Workspace *workspace.Workspace
	Box       sandbox.Sandbox // where programs run; nil is sandbox.None

	// Helper is the command line that reads a document: the window follows as the last argument, the document is its standard
	// input. It is the command "rein document". Nil: documents are read only where a program of the system does it.
	Helper []string

	// Look finds a program of the system; nil is exec.LookPath. Tests replace it.
	Look func(program string) (path string, err error)

	Side  int // pixels of the longer side of an image for the model; 0 means 1568
	Bytes int // of an image for the model; 0 means 1,500,000
}

// Offered returns the tools whose programs are installed.
func (t Tools) Offered() []*tool.Tool {
	all := []*tool.Tool{t.ViewImage(), t.SendFile()}
	if runtime.GOOS == "linux" && t.has("ffmpeg") && t.has("ffprobe") { // the file is opened by its number
		all = append(all, t.ViewVideo())
	}
	return all
}

// Helper is the value of Tools.Helper for the path of the rein program. Nil where there is none.
func Helper(program string) []string {
	real, err := filepath.EvalSymlinks(program)
	if program == "" || err != nil {
		return nil
	}
	return []string{real, "document"}
}

// SideFor is the longer side, in pixels, that a model, as provider/name, makes use of: what is larger, its provider makes
// smaller.
func SideFor(model string) int {
	switch provider, _, _ := strings.Cut(model, "/"); provider {
	case "openai":
		return 2000 // more is refused beside many images
	case "gemini":
		return 1920
	}
	return document.PictureSide
}

// has reports whether a program is installed.
func (t Tools) has(program string) bool {
	look := t.Look
	if look == nil {
		look = exec.LookPath
	}
	_, err := look(program)
	return err == nil
}
