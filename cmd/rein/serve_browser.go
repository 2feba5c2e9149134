package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
)

// browserCommand is the system's command that opens a link. It is never looked up in the PATH, where a program may have
// put another one.
func browserCommand(link string) (string, []string) {
	switch runtime.GOOS {
	case "darwin":
		return "/usr/bin/open", []string{link}
	case "windows":
		return os.Getenv("SystemRoot") + `\System32\rundll32.exe`, []string{"url.dll,FileProtocolHandler", link}
	}
	return "/usr/bin/xdg-open", []string{link}
}

// startProgram starts a program and does not wait for it. Without a display there is no browser to open.
func startProgram(ctx context.Context, name string, args ...string) error {
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return errors.New("no display")
	}
	cmd := exec.CommandContext(ctx, name, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // only collects the process
	return nil
}
