package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/app/extend"
	"rein/app/harness"
	"rein/app/settings"
	"rein/app/tui/block"
	"rein/app/tui/full"
	"rein/app/tui/input"
	"rein/app/tui/text"
	"rein/event"
)

// command is one slash command.
type command struct {
	name string
	args string // what may follow, in words; "" is nothing
	help string
	do   func(u *ui, args string) tea.Cmd
}

// commands are all slash commands, in the order of the help.
func commands() (all []command) {
	all = []command{
		{"help", "", "the commands and the keys", func(u *ui, _ string) tea.Cmd { u.open(full.NewPager("help", helpLines(u))); return nil }},
		{"clear", "", "begin a new session", newSession},
		{"resume", "[words]", "continue another session of this directory", pickSession},
		{"continue", "", "continue a turn that was interrupted", goOn},
		{"diff", "", "what this session changed in files", showChanges},
		{"undo", "[N, turn, call, sub-agent]", "undo what the last call did to files, or the last N, or another one", func(u *ui, which string) tea.Cmd { return takeBackFiles(u, which, "undo") }},
		{"redo", "[N]", "restore what the last undo changed, or the last N", func(u *ui, which string) tea.Cmd { return takeBackFiles(u, which, "redo") }},
		{"rewind", "", "go back to before an earlier message", rewind},
		{"fork", "", "continue in a copy of this session", fork},
		{"rename", "name", "give this session a name", rename},
		{"model", "[provider/name]", "choose the model", changeModel},
		{"mode", "[mode]", "mode: supervised, ask, plan, read-only, full", changeMode},
		{"status", "", "session, model, mode, sandbox", showStatus},
		{"usage", "", "tokens and money of this session", showUsage},
		{"cost", "", "the same as /usage", showUsage},
		{"plan", "", "go to plan mode", func(u *ui, _ string) tea.Cmd { setMode(u, "plan"); return nil }},
		{"compact", "[what to keep]", "replace the older part of the conversation by a summary", compact},
		{"context", "", "what fills the context window, and which instructions the model has", showContext},
		{"todos", "", "the model's to-do list", showTodos},
		{"jobs", "", "commands that run in the background", showJobs},
		{"tools", "", "the tools that the model has", showTools},
		{"out", "", "open the last results", func(u *ui, _ string) tea.Cmd { return openResults(u) }},
		{"queue", "[message]", "send a message after the answer, or edit waiting ones", queueMessage},
		{"history", "", "search what you wrote before", func(u *ui, _ string) tea.Cmd { searchHistory(u); return nil }},
		{"copy", "", "copy the last answer", copyAnswer},
		{"file", "path", "send a file of this machine with the message", addFile},
		{"paste", "", "add the image in the clipboard to the message", func(u *ui, _ string) tea.Cmd { return pasteImage(u) }},
		{"keys", "", "the keys", func(u *ui, _ string) tea.Cmd { u.open(full.NewPager("keys", helpLines(u))); return nil }},
		{"theme", "[dark, light, auto, none]", "the colours", changeTheme},
		{"vim", "", "switch vi's keys in the line on or off", switchVi},
		{"redraw", "", "print the last screen again", func(u *ui, _ string) tea.Cmd { u.redraw(); return nil }},
		{"verbose", "", "show more: thoughts, the calls of sub-agents", func(u *ui, _ string) tea.Cmd {
			u.talk.verbose = !u.talk.verbose
			u.hint = u.onOff("verbose", u.talk.verbose)
			return nil
		}},
		{"suspend", "", "back to the shell", func(*ui, string) tea.Cmd { return suspendProgram() }},
		{"sessions", "[show, search, name, delete ...]", "the sessions of all directories", anySession},
		{"export", "[file] [--force]", "write this session as Markdown, HTML or JSON", export},
		{"permissions", "[explain, simulate, allow, ask, deny, remove ...]", "the rules for what may run", permissions},
		{"commands", "", "the slash commands of files, skills and tool servers", listCommands},
		{"bg", "", "move the command that runs to the background", func(u *ui, _ string) tea.Cmd { toBackground(u); return nil }},
		{"sandbox", "", "what the sandbox enforces here", func(u *ui, _ string) tea.Cmd { return u.showRun("/sandbox", "sandbox") }},
		{"doctor", "", "check keys, model servers, sandbox, programs, settings", func(u *ui, _ string) tea.Cmd { return u.showRun("/doctor", "doctor") }},
		{"config", "", "open the settings in your editor", pickSettings},
		{"import", "", "import what other programs have here", func(u *ui, _ string) tea.Cmd { return onTerminal(u, "import") }},
		{"trust", "[yes]", "show what this folder tells sessions to do, and whether you trust it; yes: asks", trust},
		{"quit", "", "leave; the session can be continued later", func(u *ui, _ string) tea.Cmd { return u.quit() }},
		{"exit", "", "the same as /quit", func(u *ui, _ string) tea.Cmd { return u.quit() }},
	}
	for _, l := range entryLists() {
		all = append(all, command{l.name, l.args, l.help, func(u *ui, args string) tea.Cmd { return l.command(u, extend.SplitArguments(args)) }})
	}
	return all
}

// onlyHere are the commands that need a session of this process, with what to do instead over a server.
var onlyHere = map[string]string{
	"bg": "ask the model to run it in the background", "trust": "its page shows and decides it",
	"sandbox": "run rein sandbox on its machine", "doctor": "run rein doctor on its machine", "import": "run rein import on its machine",
}

func (d *display) onOff(what string, on bool) string {
	if on {
		return d.words.Of("%s is on", what)
	}
	return d.words.Of("%s is off", what)
}

// commandOffers are all commands for completion.
func commandOffers(words text.Words) (rows []input.Offer) {
	for _, c := range commands() {
		o := input.Offer{Insert: "/" + c.name, Shown: "/" + c.name, About: words.Of(c.help)}
		if c.args != "" {
			o.Insert += " "
			o.Shown += " " + c.args
		}
		rows = append(rows, o)
	}
	return rows
}

// command runs a slash command, one of rein or one that a file or a skill defines. One that does not exist is not sent to the
// model.
func (u *ui) command(line string) tea.Cmd {
	name, args, _ := strings.Cut(line[1:], " ")
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		return expand(u, line, name, strings.TrimSpace(args))
	}
	if instead := onlyHere[name]; instead != "" && u.o.Place.Elsewhere() {
		u.hint = u.words.Of("/%s is not over a server: %s", name, u.words.Of(instead))
		return nil
	}
	args = strings.TrimSpace(args)
	if all[i].args == "" && args != "" && !slices.ContainsFunc(entryLists(), func(l entryList) bool { return l.name == name }) {
		u.line.Set(line)
		u.hint = u.words.Of("/%s takes nothing after it", name)
		return nil
	}
	return all[i].do(u, args)
}

// idle reports whether no turn runs; else it says why the command does not work now.
func (u *ui) idle() bool {
	if u.turn != nil {
		u.hint = "not while the model works: Esc stops it"
	}
	return u.turn == nil
}

// compact replaces the older part of the conversation by a summary that keeps what focus says.
func compact(u *ui, focus string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	return u.begin(func(ctx context.Context) iter.Seq2[event.Event, error] {
		return saysCompacted(u.session.Compact(ctx, focus), func(why error) {
			u.requests.Box.Put(done{func(u *ui) tea.Cmd {
				u.note(text.Dim, u.words.Of("not compacted: %s", u.words.Message(why.Error())))
				return nil
			}})
		})
	})
}

// errShort is why nothing was compacted, where there is no error.
var errShort = errors.New("the conversation is short")

// saysCompacted is a turn that compacts; not says why it did not. The conversation is as before then: that is no error of a turn.
func saysCompacted(turn iter.Seq2[event.Event, error], not func(why error)) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		said := false
		for e, err := range turn {
			if said = said || e.Kind == event.Compacted || e.Stop == event.Cancelled; err != nil && !harness.MustReopen(err) && !errors.Is(err, context.Canceled) {
				not(err)
				said, err = true, nil
			}
			if said = said || err != nil; !yield(e, err) {
				return
			}
		}
		if !said {
			not(errShort)
		}
	}
}

// goOn continues a turn that was interrupted.
func goOn(u *ui, _ string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	if turn := u.session.Continue(); turn != nil {
		return u.begin(turn)
	}
	u.hint = "there is nothing to continue"
	return nil
}

func changeModel(u *ui, ref string) tea.Cmd {
	if !u.idle() {
		u.line.Set(strings.TrimSpace("/model " + ref))
		return nil
	}
	if ref == "" {
		return pickModel(u)
	}
	s, ctx := u.session, u.ctx
	return fetch(func() (string, error) {
		err := s.SetModel(ctx, ref)
		return s.How().Model, err
	}, func(u *ui, model string) tea.Cmd {
		u.note(text.Dim, u.words.Of("model: %s", model))
		return nil
	})
}

// pickModel lets the user choose one of the models that can be asked.
func pickModel(u *ui) tea.Cmd {
	ctx, where := u.ctx, u.o.Place
	u.hint = "looking for models"
	return later(func() func(*ui) tea.Cmd {
		all, err := where.Models(ctx)
		return func(u *ui) tea.Cmd {
			u.hint = ""
			if err != nil {
				u.wrong(err)
				return nil
			}
			var rows []full.Entry
			for _, m := range all {
				e := full.Entry{Name: m.Ref}
				if m.Context > 0 {
					e.About = u.words.Of("%s tokens", block.Tokens(int64(m.Context)))
				}
				rows = append(rows, e)
			}
			if len(rows) == 0 {
				u.hint = "no model was found: set a key, or start a local server (rein doctor)"
				return nil
			}
			u.open(newPicker(u.words.Of("model   now %s", u.how().Model), rows, func(u *ui, e full.Entry) tea.Cmd { return changeModel(u, e.Name) }))
			return nil
		}
	})
}

func changeMode(u *ui, name string) tea.Cmd {
	if name != "" {
		setMode(u, name)
		return nil
	}
	var all []full.Entry
	for _, m := range []string{"supervised", "ask", "auto", "plan", "read-only", "full"} {
		all = append(all, full.Entry{Name: m, About: u.words.Of(block.Mode(m))})
	}
	u.open(newPicker("mode", all, func(u *ui, e full.Entry) tea.Cmd { setMode(u, e.Name); return nil }))
	return nil
}

// nextMode is the mode after each one. The mode without questions is never reached by the key.
var nextMode = map[string]string{"supervised": "ask", "ask": "plan", "plan": "read-only", "read-only": "supervised", "auto": "supervised", "full": "supervised"}

func setMode(u *ui, mode string) {
	if err := u.session.SetMode(mode); err != nil {
		u.hint = u.words.Message(err.Error())
		return
	}
	u.hint = u.words.Of("mode: %s", u.words.Of(block.Mode(u.how().Mode)))
	if u.turn != nil {
		u.hint += u.words.Of(", from the next step")
	}
}

// listCommands lets the user choose a slash command of a file, a skill or a tool server.
func listCommands(u *ui, _ string) tea.Cmd {
	var rows []full.Entry
	for _, o := range u.line.custom {
		rows = append(rows, full.Entry{Name: o.Shown, About: o.About, Value: o.Insert})
	}
	if len(rows) == 0 {
		u.hint = "there are none: they are files in .rein/commands"
		return nil
	}
	u.open(newPicker("commands", rows, func(u *ui, e full.Entry) tea.Cmd { u.line.Set(e.Value.(string)); return nil }))
	return nil
}

// export writes the session to a file; its name says in which form.
func export(u *ui, file string) tea.Cmd {
	file, force := strings.CutSuffix(file, "--force")
	if file = strings.TrimSpace(file); file == "" {
		file = "session-" + u.session.ID() + ".md"
	}
	ctx, id, write := u.ctx, u.session.ID(), u.exportHere
	if where, ok := u.o.Place.(interface {
		Export(ctx context.Context, id, file string, force bool) error
	}); ok {
		write = where.Export
	}
	return later(func() func(*ui) tea.Cmd {
		err := write(ctx, id, file, force)
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.wrong(err)
				return nil
			}
			u.hint = u.words.Of("this session is in %s", file)
			return nil
		}
	})
}

// exportHere writes a session of this machine to a file.
func (u *ui) exportHere(_ context.Context, id, file string, force bool) error {
	c, err := u.program("sessions", "export", id, "-o", file, fmt.Sprintf("--force=%t", force))
	if err != nil {
		return err
	}
	if out, err := c.CombinedOutput(); err != nil {
		return errors.New(cmp.Or(strings.TrimPrefix(strings.TrimSpace(string(out)), "rein: "), err.Error()))
	}
	return nil
}

// switchVi switches vi's keys on or off, and keeps that.
func switchVi(u *ui, _ string) tea.Cmd {
	u.line.vi, u.line.normal = !u.line.vi, false
	u.hint = u.onOff("vi", u.line.vi)
	file := filepath.Join(u.o.Dirs.Config, "settings.json")
	if _, err := settings.Put(file, u.line.vi, "terminal", "vi"); err != nil {
		u.hint += u.words.Of(", for this session: %v", err)
	}
	return nil
}

func queueMessage(u *ui, message string) tea.Cmd {
	if message == "" {
		if u.takeBack(); u.line.Empty() {
			u.hint = "no message waits"
		}
		return nil
	}
	return u.queue(u.written(message))
}

func trust(u *ui, args string) tea.Cmd {
	if args == "yes" {
		return onTerminal(u, "trust", "--ask")
	}
	return onTerminal(u, "trust")
}

func copyAnswer(u *ui, _ string) tea.Cmd {
	if u.talk.answer == "" {
		u.hint = "there is no answer yet"
		return nil
	}
	u.hint = "the last answer was sent to the terminal's clipboard" // whether the terminal, or tmux, takes it is not known
	return tea.SetClipboard(u.talk.answer)
}

func changeTheme(u *ui, name string) tea.Cmd {
	themes := []string{"dark", "light", "auto", "none"}
	if name == "" {
		var all []full.Entry
		for _, name := range themes {
			all = append(all, full.Entry{Name: name})
		}
		u.open(newPicker("the colours", all, func(u *ui, e full.Entry) tea.Cmd { return changeTheme(u, e.Name) }))
		return nil
	}
	if !slices.Contains(themes, name) {
		u.hint = "expected dark, light, auto or none"
		return nil
	}
	u.setTheme(text.ThemeNamed(name, u.o.Getenv))
	if name == "auto" {
		return tea.RequestBackgroundColor
	}
	return nil
}

// later does the work of a command in the background. What it gives changes the screen.
func later(do func() func(*ui) tea.Cmd) tea.Cmd {
	return func() tea.Msg { return done{do()} }
}

// fetch gets something in the background and shows it, or why that failed.
func fetch[T any](get func() (T, error), show func(*ui, T) tea.Cmd) tea.Cmd {
	return later(func() func(*ui) tea.Cmd {
		got, err := get()
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.wrong(err)
				return nil
			}
			return show(u, got)
		}
	})
}
