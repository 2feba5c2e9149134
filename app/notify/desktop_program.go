package notify

// The programs of the system that show something on the user's desktop, or take a picture of it, run without a
// sandbox, which has no display. Nothing of a model is in their names, and they get no keys.

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// desktopDirs are where these programs may be. PATH may begin with a directory of the workspace.
func desktopDirs() []string {
	return []string{"/usr/bin", "/bin", "/usr/sbin", "/usr/local/bin", "/run/current-system/sw/bin"}
}

// needed are the variables that a program gets.
const needed = "PATH HOME USER LANG LC_ALL DISPLAY XAUTHORITY WAYLAND_DISPLAY XDG_RUNTIME_DIR XDG_CURRENT_DESKTOP DBUS_SESSION_BUS_ADDRESS TMPDIR"

// desktopProgram is a program of the system.
type desktopProgram struct {
	Path string   // absolute
	Env  []string // NAME=value
}

// findProgram returns the program of this name in the first of the directories that has it; nil where none has. getenv reads the environment.
func findProgram(name string, getenv func(string) string, dirs []string) *desktopProgram {
	for _, dir := range dirs {
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		p := &desktopProgram{Path: path}
		for name := range strings.FieldsSeq(needed) {
			if value := getenv(name); value != "" {
				p.Env = append(p.Env, name+"="+value)
			}
		}
		return p
	}
	return nil
}

// Run runs the program to its end and returns what it wrote, in one line of at most 200 bytes.
func (p *desktopProgram) Run(ctx context.Context, args ...string) (text string, err error) {
	cmd := exec.CommandContext(ctx, p.Path, args...)
	cmd.Env, cmd.WaitDelay = p.Env, time.Second
	out, err := cmd.CombinedOutput()
	text = strings.Join(strings.Fields(strings.ToValidUTF8(string(out), "\ufffd")), " ")
	return strings.ToValidUTF8(text[:min(len(text), 200)], ""), err
}
