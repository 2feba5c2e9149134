package tui

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/tui/attach"
	"rein/tui/block"
	"rein/tui/full"
	"rein/tui/keys"
	"rein/tui/listing"
	"rein/tui/place"
	"rein/tui/scroll"
	"rein/tui/session"
	"rein/tui/text"
)

// list shows a list, or runs the command with arguments.
func (u *ui) list(l listing.Listing, args ...string) tea.Cmd {
	if len(args) > 0 {
		return u.showRun("/"+l.Name+" "+strings.Replace(strings.Join(args, " "), " -- ", " ", 1), append([]string{l.Command}, args...)...)
	}
	return u.rein(func(u *ui, out string, err error) tea.Cmd {
		rows, bad := l.Entries(out)
		switch {
		case err != nil || bad != nil:
			u.showOutput("/"+l.Name, out, err)
		case len(rows) == 0:
			u.hint = l.None
		default:
			u.open(picking(l, rows))
		}
		return nil
	}, l.Command, "list", "--json")
}

func picking(l listing.Listing, rows []full.Entry) *picker {
	id := func(e full.Entry) string { return listing.Word(e.Value.(map[string]any)[l.ID]) }
	p := newPicker(l.Name, rows, func(u *ui, e full.Entry) tea.Cmd {
		if l.Show == "" {
			u.open(full.NewPager(l.Name, listing.Fields(e, u.width)))
			return nil
		}
		return u.showRun("/"+l.Name+" "+l.Show+" "+id(e), l.Command, l.Show, id(e))
	})
	p.Preview = listing.Fields
	p.other = map[string]func(*ui, full.Entry) tea.Cmd{}
	for _, k := range l.Keys {
		p.Help += fmt.Sprintf("%s %s   ", keys.Words(k.Key), k.Does)
		p.other[k.Key] = func(u *ui, e full.Entry) tea.Cmd {
			do := func(u *ui) tea.Cmd { return u.showRun("/"+l.Name+" "+k.Command+" "+id(e), l.Command, k.Command, id(e)) }
			if !k.Asks {
				return do(u)
			}
			u.confirm("/"+l.Name+" "+k.Command+": "+text.OneLine(e.Name), do)
			return nil
		}
	}
	return p
}

// confirm lets the user agree to something before it is done.
func (u *ui) confirm(title string, do func(*ui) tea.Cmd) {
	u.open(newPicker(title, []full.Entry{{Name: "no, leave all as it is"}, {Name: "do it"}}, func(u *ui, e full.Entry) tea.Cmd {
		if e.Name != "do it" {
			return nil
		}
		return do(u)
	}))
}

// program is a command of rein in the directory of the session. It has no input.
func (u *ui) program(args ...string) (*exec.Cmd, error) {
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

// rein runs one of rein's commands in the background and returns what it printed.
func (u *ui) rein(then func(u *ui, out string, err error) tea.Cmd, args ...string) tea.Cmd {
	if there, ok := u.o.Place.(session.Commander); ok {
		ctx := u.ctx
		return later(func() func(*ui) tea.Cmd {
			out, err := there.Command(ctx, args...)
			return func(u *ui) tea.Cmd { return then(u, out, err) }
		})
	}
	c, err := u.program(args...)
	if err != nil {
		return then(u, "", err)
	}
	return later(func() func(*ui) tea.Cmd {
		out, err := c.CombinedOutput()
		return func(u *ui) tea.Cmd { return then(u, string(out), err) }
	})
}

// showRun runs one of rein's commands and shows what it printed.
func (u *ui) showRun(title string, args ...string) tea.Cmd {
	return u.rein(func(u *ui, out string, err error) tea.Cmd { u.showOutput(title, out, err); return nil }, args...)
}

// showOutput prints a short output below its title, and opens a long one in full screen.
func (u *ui) showOutput(title, out string, err error) {
	lines := []text.Line{}
	for _, l := range text.Lines(strings.TrimRight(out, "\n")) {
		lines = append(lines, text.Of(text.Plain, l))
	}
	role := text.Dim
	if err != nil {
		role = text.Error
		if strings.TrimSpace(out) == "" {
			lines = []text.Line{text.Of(text.Plain, text.OneLine(err.Error()))}
		}
	}
	if len(lines) > max(u.height/2, 10) {
		u.open(full.NewPager(title, lines))
		return
	}
	all := []text.Line{text.Of(role, "  "+text.OneLine(title)).Cut(u.width - 1)}
	for _, l := range lines {
		all = append(all, text.Indent(l.Wrap(u.width-5, text.Of(text.Plain, "  ")), 4)...)
	}
	u.print(scroll.Loose, all...)
}

// wrong shows why a command of the user did nothing.
func (u *ui) wrong(err error) {
	u.note(text.Error, u.marks.State[block.Failed]+" "+place.Tilde(err.Error()))
}

// onTerminal gives the terminal to one of rein's commands that asks questions.
func (u *ui) onTerminal(args ...string) tea.Cmd {
	c, err := u.program(args...)
	if err != nil {
		u.wrong(err)
		return nil
	}
	return tea.ExecProcess(c, func(err error) tea.Msg {
		return done{func(u *ui) tea.Cmd {
			u.scroll.After = u.now().Add(scroll.Settle)
			if err != nil {
				u.hint = "rein " + strings.Join(args, " ") + ": " + err.Error()
			}
			return nil
		}}
	})
}

// remember keeps a text for later sessions, where the user wants it.
func (u *ui) remember(what string) tea.Cmd {
	if what == "" {
		u.hint = "# and a text: it is remembered"
		return nil
	}
	rows := []full.Entry{{Name: "in the memory, for this project", Value: ""}, {Name: "in the memory, for all projects", Value: "--user"}, {Name: "in AGENTS.md, for all who work here", Value: "AGENTS.md"}}
	if u.o.Harness == nil {
		rows = rows[:2] // the file is on the server's machine
	}
	p := newPicker("remember", rows, func(u *ui, e full.Entry) tea.Cmd {
		switch e.Value.(string) {
		case "AGENTS.md":
			if err := attach.AddLine(filepath.Join(u.root(), "AGENTS.md"), "- "+text.OneLine(what)); err != nil {
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
