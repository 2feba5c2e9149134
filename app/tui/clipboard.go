package tui

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"rein/tool"
)

// readers are the programs that write the image of the clipboard to their output, each with the variable that says that its
// display is there.
var readers = []struct {
	needs string
	args  []string
}{
	{"WAYLAND_DISPLAY", []string{"wl-paste", "--no-newline", "--type", "image/png"}},
	{"DISPLAY", []string{"xclip", "-selection", "clipboard", "-target", "image/png", "-out"}},
	{"", []string{"pngpaste", "-"}}, // macOS
}

// clipboardTime is how long a program may take to give the clipboard: the owner of the clipboard may have hung up.
const clipboardTime = 3 * time.Second

// errNoReader says that no program is installed that reads the clipboard.
var errNoReader = errors.New("no program reads the clipboard: install wl-clipboard, xclip or pngpaste")

// attachClipboard returns the image in the clipboard of the user. The program that reads it gets env.
func attachClipboard(ctx context.Context, env []string, name string) (tool.Part, error) {
	ctx, cancel := context.WithTimeout(ctx, clipboardTime)
	defer cancel()
	installed := false
	for _, r := range readers {
		program, err := exec.LookPath(r.args[0])
		if err != nil || r.needs != "" && os.Getenv(r.needs) == "" {
			continue
		}
		installed = true
		out := &limited{most: mostAttached}
		c := exec.CommandContext(ctx, program, r.args[1:]...)
		c.Env, c.Stdout, c.WaitDelay = env, out, time.Second
		err = c.Run()
		switch p := partOf(out.Bytes(), name); {
		case out.over:
			return tool.Part{}, errors.New("the image in the clipboard is larger than 10 MB")
		case ctx.Err() != nil:
			return tool.Part{}, errors.New("the clipboard did not answer")
		case err == nil && strings.HasPrefix(p.MediaType, "image/"):
			return p, nil
		}
	}
	if !installed {
		return tool.Part{}, errNoReader
	}
	return tool.Part{}, errors.New("the clipboard has no image")
}

// limited keeps the start of an output.
type limited struct {
	bytes.Buffer
	most int
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.most {
		l.over = true
		return 0, errors.New("too large")
	}
	return l.Buffer.Write(p)
}
