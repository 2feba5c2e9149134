package notify

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Desktop shows notes on the desktop of the user with a program of the system.
type Desktop struct {
	path string
	args func(Note) []string
	env  []string
}

// needed are the variables that the program gets: it gets no keys.
const needed = "PATH HOME USER LANG LC_ALL DISPLAY XAUTHORITY WAYLAND_DISPLAY XDG_RUNTIME_DIR XDG_CURRENT_DESKTOP DBUS_SESSION_BUS_ADDRESS TMPDIR"

// FindDesktop looks for the program that shows notes here: notify-send on systems with X11, Wayland or a session bus, osascript on
// macOS. Nil: there is none, and why says what to install.
func FindDesktop(getenv func(string) string) (d *Desktop, why string) {
	return findDesktop(getenv, systemDirs)
}

// systemDirs are where the program may be. PATH may begin with a directory of the workspace, and the program runs without a sandbox.
var systemDirs = []string{"/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"}

func findDesktop(getenv func(string) string, dirs []string) (d *Desktop, why string) {
	name, args := "notify-send", notifySend
	if runtime.GOOS == "darwin" {
		name, args = "osascript", appleScript
	} else if runtime.GOOS == "windows" {
		return nil, "rein knows no program for it on Windows"
	} else if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" && getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return nil, "there is no desktop here"
	}
	path := ""
	for _, dir := range dirs {
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		return nil, name + " is not installed (package libnotify-bin)"
	}
	d = &Desktop{path: path, args: args}
	for name := range strings.FieldsSeq(needed) {
		if value := getenv(name); value != "" {
			d.env = append(d.env, name+"="+value)
		}
	}
	return d, ""
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
	cmd := exec.CommandContext(ctx, d.path, d.args(n)...)
	cmd.Env = d.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("desktop notification: %w: %s", err, strings.TrimSpace(string(out[:min(len(out), 200)])))
	}
	return nil
}
