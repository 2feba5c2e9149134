package tui

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/app/catalogue"
	"rein/app/tui/full"
	"rein/app/tui/text"
)

// confirm lets the user agree to something before it is done.
func confirm(u *ui, title string, do func(*ui) tea.Cmd) {
	u.open(newPicker(title, []full.Entry{{Name: u.words.Of("no, leave all as it is")}, {Name: u.words.Of("do it"), Value: true}}, func(u *ui, e full.Entry) tea.Cmd {
		if e.Value == nil {
			return nil
		}
		return do(u)
	}))
}

// program is a command of rein in the directory of the session, a process of its own. It has no input. Over a server there is none:
// it would be about this machine.
func (u *ui) program(args ...string) (*exec.Cmd, error) {
	if u.o.Place.Elsewhere() {
		return nil, catalogue.ErrNotThere
	}
	name := u.o.Program
	if name == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		name = self
	}
	c := exec.Command(name, args...)
	c.Dir = u.root()
	c.Env = append(os.Environ(), "NO_COLOR=1")
	return c, nil
}

// showRun runs one of rein's commands in the background and shows what it printed.
func (u *ui) showRun(title string, args ...string) tea.Cmd {
	c, err := u.program(args...)
	if err != nil {
		u.showOutput(title, "", err)
		return nil
	}
	return later(func() func(*ui) tea.Cmd {
		out, err := c.CombinedOutput()
		return func(u *ui) tea.Cmd {
			u.showOutput(title, string(out), err)
			if err == nil {
				sayReopen(u, args...)
			}
			return nil
		}
	})
}

// onTerminal gives the terminal to one of rein's commands that asks questions.
func onTerminal(u *ui, args ...string) tea.Cmd {
	c, err := u.program(args...)
	if err != nil {
		u.wrong(err)
		return nil
	}
	return tea.Exec(&inRows{Cmd: c, rows: func() int { return len(u.drawn) }}, func(err error) tea.Msg {
		return done{func(u *ui) tea.Cmd {
			u.settle(u.now())
			if err != nil {
				u.hint = "rein " + strings.Join(args, " ") + ": " + err.Error()
			}
			return nil
		}}
	})
}

// inRows is a command that writes where the live part is, and leaves room for it below: the live part is drawn again where the
// cursor is, and would hide the last rows.
type inRows struct {
	*exec.Cmd
	rows func() int // of the live part, whose last one the cursor is in
}

func (c *inRows) SetStdin(r io.Reader)  { c.Stdin = r }
func (c *inRows) SetStdout(w io.Writer) { c.Stdout = w }
func (c *inRows) SetStderr(w io.Writer) { c.Stderr = w }

func (c *inRows) Run() error {
	above, out := max(c.rows()-1, 0), c.Stdout
	up := "\r"
	if above > 0 {
		up = fmt.Sprintf("\r\x1b[%dA", above)
	}
	_, err := io.WriteString(out, up+"\x1b[J\n")
	err = cmp.Or(c.Cmd.Run(), err)
	_, _ = io.WriteString(out, strings.Repeat("\n", above)) // a terminal that is gone ends the chat
	return err
}

// remember keeps a text for later sessions, where the user wants it.
func remember(u *ui, what string) tea.Cmd {
	if what == "" {
		u.hint = "# and a text: it is remembered"
		return nil
	}
	rows := []full.Entry{{Name: u.words.Of("in the memory, for this project"), Value: ""}, {Name: u.words.Of("in the memory, for all projects"), Value: "all"}, {Name: u.words.Of("in AGENTS.md, for all who work here"), Value: "AGENTS.md"}}
	if u.o.Place.Elsewhere() {
		rows = rows[:2] // the file is on the server's machine
	}
	p := newPicker("remember", rows, func(u *ui, e full.Entry) tea.Cmd {
		if e.Value == "AGENTS.md" {
			if err := addLine(filepath.Join(u.root(), "AGENTS.md"), "- "+text.OneLine(what)); err != nil {
				u.wrong(err)
				u.line.add("#" + what)
				return nil
			}
			u.note(text.Dim, u.words.Of("added to AGENTS.md: %s", what))
			return nil
		}
		return u.do(u.words.Of("remembered: %s", what), catalogue.Request{Kind: catalogue.Memory, Verb: "add", Name: what, Everywhere: e.Value == "all"})
	})
	p.Preview = func(_ full.Entry, width int) []text.Line {
		return text.Of(text.Plain, text.OneLine(what)).Wrap(width, nil)
	}
	p.left = func(u *ui) { u.line.add("#" + what) }
	u.open(p)
	return nil
}
