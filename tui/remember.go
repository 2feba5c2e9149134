package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"rein/tui/full"
	"rein/tui/text"
)

// remember keeps a text for later sessions, where the user wants it.
func (u *ui) remember(what string) tea.Cmd {
	if what == "" {
		u.hint = "# and a text: it is remembered"
		return nil
	}
	rows := []full.Entry{{Name: "in the memory, for this project", Value: ""}, {Name: "in the memory, for all projects", Value: "--user"}, {Name: "in AGENTS.md, for all who work here", Value: "AGENTS.md"}}
	p := newPicker("remember", rows, func(u *ui, e full.Entry) tea.Cmd {
		switch e.Value.(string) {
		case "AGENTS.md":
			if err := addLine(filepath.Join(u.o.Harness.Root(), "AGENTS.md"), "- "+text.OneLine(what)); err != nil {
				u.wrong(err)
				return nil
			}
			u.note(text.Dim, "added to AGENTS.md: "+what)
			return nil
		case "--user":
			return u.showRun("remembered: "+what, "memory", "add", "--user", "--", what)
		}
		return u.showRun("remembered: "+what, "memory", "add", "--", what)
	})
	p.Preview = func(_ full.Entry, width int) []text.Line {
		return text.Of(text.Plain, text.OneLine(what)).Wrap(width, nil)
	}
	u.open(p)
	return nil
}

// addLine adds a line to a file of the workspace. It follows no link.
func addLine(file, line string) error {
	info, err := os.Lstat(file)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		line = "\n" + line
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}
