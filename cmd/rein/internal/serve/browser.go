package serve

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
)

// browserCommand is the system's command that opens a link.
func browserCommand(link string) (string, []string) {
	switch runtime.GOOS {
	case "darwin":
		return "open", []string{link}
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", link}
	}
	return "xdg-open", []string{link}
}

// start starts a program and does not wait for it. Without a display there is no browser to open.
func start(ctx context.Context, name string, args ...string) error {
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
