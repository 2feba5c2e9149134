package notify

import (
	"context"
	"fmt"
	"runtime"
	"strings"
)

// Desktop shows notes on the desktop of the user with a program of the system.
type Desktop struct {
	program *desktopProgram
	args    func(Note) []string
}

// FindDesktop looks for the program that shows notes here: notify-send on systems with X11, Wayland or a session bus, osascript on
// macOS. Nil: there is none, and why says what to install.
func FindDesktop(getenv func(string) string) (d *Desktop, why string) {
	return findDesktop(getenv, desktopDirs())
}

func findDesktop(getenv func(string) string, dirs []string) (d *Desktop, why string) {
	name, args := "notify-send", notifySend
	if runtime.GOOS == "darwin" {
		name, args = "osascript", appleScript
	} else if runtime.GOOS == "windows" {
		return nil, "rein knows no program for it on Windows"
	} else if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" && getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return nil, "there is no desktop here"
	}
	program := findProgram(name, getenv, dirs)
	if program == nil {
		return nil, name + " is not installed (package libnotify-bin)"
	}
	return &Desktop{program: program, args: args}, ""
}

// notifySend passes the text after the options: nothing in it is one. Markup is shown as it is.
func notifySend(n Note) []string {
	urgency := "normal"
	if n.Kind == Approval {
		urgency = "critical"
	}
	plain := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	return []string{"--app-name=rein", "--urgency=" + urgency, "--", n.Title, plain.Replace(n.Text)}
}

// appleScript passes the text as arguments: nothing in it is a script.
func appleScript(n Note) []string {
	return []string{"-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run", n.Title, n.Text}
}

func (d *Desktop) show(ctx context.Context, n Note) error {
	if d == nil {
		return nil
	}
	if text, err := d.program.Run(ctx, d.args(n)...); err != nil {
		return fmt.Errorf("desktop notification: %w: %s", err, text)
	}
	return nil
}
