package notify

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// screenTime bounds the program that takes a picture of the screen; mostScreen is how large its file may be.
const (
	screenTime = 15 * time.Second
	mostScreen = 64 << 20
)

// Screen takes pictures of the user's desktop.
type Screen struct {
	program *desktopProgram
	args    []string // before the name of the file that it writes
}

// FindScreen looks for a program that takes pictures of the desktop. Nil: there is none, and why says what to install.
func FindScreen(getenv func(string) string) (s *Screen, why string) {
	return findScreen(runtime.GOOS, getenv, desktopDirs())
}

func findScreen(system string, getenv func(string) string, dirs []string) (s *Screen, why string) {
	type program struct {
		name string
		args []string
	}
	var all []program
	switch {
	case system == "darwin":
		all, why = []program{{"screencapture", []string{"-x", "-t", "png"}}}, "screencapture is not installed"
	case system == "windows":
		return nil, "rein knows no program for it on Windows"
	case getenv("WAYLAND_DISPLAY") != "":
		all = []program{{"grim", nil}, {"gnome-screenshot", []string{"-f"}}, {"spectacle", []string{"-b", "-n", "-o"}}}
		why = "grim is not installed (package grim), nor gnome-screenshot or spectacle"
	case getenv("DISPLAY") != "":
		all = []program{{"maim", []string{"--hidecursor"}}, {"scrot", []string{"--overwrite"}}, {"gnome-screenshot", []string{"-f"}}, {"spectacle", []string{"-b", "-n", "-o"}}, {"import", []string{"-window", "root"}}}
		why = "scrot is not installed (package scrot), nor maim, gnome-screenshot, spectacle or import"
	default:
		return nil, "there is no desktop here"
	}
	for _, p := range all {
		if found := findProgram(p.name, getenv, dirs); found != nil {
			return &Screen{program: found, args: p.args}, ""
		}
	}
	return nil, why
}

// Take returns a picture of the whole desktop, a PNG file of at most 64 MiB. The error is one sentence without its full stop.
func (s *Screen) Take(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "rein-screen-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, screenTime)
	defer cancel()
	name := filepath.Join(dir, "screen.png")
	text, err := s.program.Run(ctx, append(s.args[:len(s.args):len(s.args)], name)...)
	if ctx.Err() == context.DeadlineExceeded {
		return nil, fmt.Errorf("%s took no picture of the screen in %v; it may be locked", filepath.Base(s.program.Path), screenTime)
	}
	file, opened := os.Open(name)
	if opened != nil {
		return nil, fmt.Errorf("%s took no picture of the screen: %s (%v)", filepath.Base(s.program.Path), text, err)
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, mostScreen))
}
