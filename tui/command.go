package tui

import (
	"context"
	"iter"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/event"
	"rein/harness/slash"
	"rein/tui/block"
	"rein/tui/complete"
	"rein/tui/full"
	"rein/tui/session"
	"rein/tui/signals"
	"rein/tui/text"
)

// command is one slash command.
type command struct {
	name string
	args string // what may follow, in words; "" is nothing
	help string
	do   func(u *ui, args string) tea.Cmd
}

// commands are all slash commands, in the order of the help.
func commands() []command {
	all := []command{
		{"help", "", "the commands and the keys", func(u *ui, _ string) tea.Cmd { u.open(full.NewPager("help", u.helpLines())); return nil }},
		{"clear", "", "begin a new session", (*ui).clear},
		{"resume", "[words]", "continue another session of this directory", (*ui).pickSession},
		{"continue", "", "continue a turn that was interrupted", (*ui).goOn},
		{"diff", "", "what this session changed in files", (*ui).diff},
		{"undo", "[N, turn, call, sub-agent]", "undo what the last call did to files, or the last N, or another one", func(u *ui, which string) tea.Cmd { return u.takeBackFiles(which, "undo") }},
		{"redo", "[N]", "restore what the last undo changed, or the last N", func(u *ui, which string) tea.Cmd { return u.takeBackFiles(which, "redo") }},
		{"rewind", "", "go back to before an earlier message", (*ui).rewind},
		{"fork", "", "continue in a copy of this session", (*ui).fork},
		{"rename", "name", "give this session a name", (*ui).rename},
		{"model", "[provider/name]", "choose the model", (*ui).changeModel},
		{"mode", "[mode]", "choose the mode: supervised, plan, read-only, full", (*ui).changeMode},
		{"status", "", "session, model, mode, sandbox", (*ui).status},
		{"usage", "", "tokens and money of this session", (*ui).usage},
		{"cost", "", "the same as /usage", (*ui).usage},
		{"plan", "", "go to plan mode", func(u *ui, _ string) tea.Cmd { u.setMode("plan"); return nil }},
		{"compact", "[what to keep]", "replace the older part of the conversation by a summary", (*ui).compact},
		{"context", "", "what fills the context window, and which instructions the model has", (*ui).context},
		{"todos", "", "the model's to-do list", (*ui).todos},
		{"jobs", "", "commands that run in the background", (*ui).jobs},
		{"tools", "", "the tools that the model has", (*ui).tools},
		{"out", "", "open the last results", func(u *ui, _ string) tea.Cmd { return u.openResults() }},
		{"queue", "[message]", "send a message after the answer, or edit waiting ones", (*ui).queueCommand},
		{"history", "", "search what you wrote before", func(u *ui, _ string) tea.Cmd { u.searchHistory(); return nil }},
		{"copy", "", "copy the last answer", (*ui).copyAnswer},
		{"file", "path", "send a file of this machine with the message", (*ui).addFile},
		{"paste", "", "add the image in the clipboard to the message", func(u *ui, _ string) tea.Cmd { return u.pasteImage() }},
		{"keys", "", "the keys", func(u *ui, _ string) tea.Cmd { u.open(full.NewPager("keys", u.helpLines())); return nil }},
		{"theme", "[dark, light, auto, none]", "the colours", (*ui).changeTheme},
		{"vim", "", "switch vi's keys in the line on or off", (*ui).vim},
		{"redraw", "", "print the last screen again", func(u *ui, _ string) tea.Cmd { u.redraw(); return nil }},
		{"verbose", "", "show more: thoughts, the calls of sub-agents", func(u *ui, _ string) tea.Cmd {
			u.verbose = !u.verbose
			u.hint = onOff("verbose", u.verbose)
			return nil
		}},
		{"suspend", "", "back to the shell", func(*ui, string) tea.Cmd { return signals.Suspend() }},
		{"sessions", "[show, search, name, delete ...]", "the sessions of all directories", (*ui).sessions},
		{"export", "[file]", "write this session as Markdown, HTML or JSON", (*ui).export},
		{"permissions", "[explain, simulate, allow, ask, deny, remove ...]", "the rules for what may run", (*ui).permissions},
		{"commands", "", "the slash commands of files, skills and tool servers", (*ui).listCommands},
		{"bg", "", "move the command that runs to the background", func(u *ui, _ string) tea.Cmd { u.toBackground(); return nil }},
		{"sandbox", "", "what the sandbox enforces here", func(u *ui, _ string) tea.Cmd { return u.showRun("/sandbox", "sandbox") }},
		{"doctor", "", "check keys, model servers, sandbox, programs, settings", func(u *ui, _ string) tea.Cmd { return u.showRun("/doctor", "doctor") }},
		{"config", "", "open the settings in your editor", (*ui).config},
		{"import", "", "import what other programs have here", func(u *ui, _ string) tea.Cmd { return u.onTerminal("import") }},
		{"trust", "", "show what this folder tells sessions to do, and whether you trust it", func(u *ui, _ string) tea.Cmd { return u.onTerminal("trust") }},
		{"quit", "", "leave; the session can be continued later", func(u *ui, _ string) tea.Cmd { return u.quit() }},
	}
	for _, l := range entryLists() {
		all = append(all, command{l.name, l.args, l.help, func(u *ui, args string) tea.Cmd { return l.command(u, slash.Words(args)) }})
	}
	return all
}

// onlyHere are the commands that need a session of this process, with what to do instead over a server.
var onlyHere = map[string]string{
	"bg": "ask the model to run it in the background", "trust": "its page shows and decides it",
	"sandbox": "run rein sandbox on its machine", "doctor": "run rein doctor on its machine", "import": "run rein import on its machine",
}

func onOff(what string, on bool) string {
	if on {
		return what + " is on"
	}
	return what + " is off"
}

// commandOffers are all commands for completion.
func commandOffers() (rows []complete.Offer) {
	for _, c := range commands() {
		o := complete.Offer{Insert: "/" + c.name, Shown: "/" + c.name, About: c.help}
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
		return u.expand(line, name, strings.TrimSpace(args))
	}
	if instead := onlyHere[name]; instead != "" && u.o.Harness == nil {
		u.hint = "/" + name + " is not over a server: " + instead
		return nil
	}
	return all[i].do(u, strings.TrimSpace(args))
}

// idle reports whether no turn runs; else it says why the command does not work now.
func (u *ui) idle() bool {
	if u.turn != nil {
		u.hint = "not while the model works: Esc stops it"
	}
	return u.turn == nil
}

func (u *ui) clear(string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	where, ctx, old := u.o.Place, u.ctx, u.session
	return later(func() func(*ui) tea.Cmd {
		s, err := where.Start(ctx)
		return func(u *ui) tea.Cmd { return u.switchTo(s, err, old, "a new session begins") }
	})
}

// switchTo continues with another session and closes the one before.
func (u *ui) switchTo(s session.Session, err error, old session.Session, words string) tea.Cmd {
	if err != nil {
		u.failed(err)
		return nil
	}
	ctx := u.ctx
	u.session, u.sent = s, false
	u.talk = talk{renderer: u.talk.renderer}
	u.note(text.Dim, words+"   (before: "+old.ID()+")")
	return func() tea.Msg {
		_ = old.Close(ctx) // its journal reports its own errors
		return nil
	}
}

func (u *ui) changeModel(ref string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	if ref == "" {
		return u.pickModel()
	}
	s, ctx := u.session, u.ctx
	return later(func() func(*ui) tea.Cmd {
		err := s.SetModel(ctx, ref)
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.failed(err)
			} else {
				u.note(text.Dim, "model: "+s.How().Model)
			}
			return nil
		}
	})
}

// pickModel lets the user choose one of the models that can be asked.
func (u *ui) pickModel() tea.Cmd {
	ctx, where := u.ctx, u.o.Place
	u.hint = "looking for models"
	return later(func() func(*ui) tea.Cmd {
		all, err := where.Models(ctx)
		return func(u *ui) tea.Cmd {
			u.hint = ""
			if err != nil {
				u.failed(err)
				return nil
			}
			var rows []full.Entry
			for _, m := range all {
				e := full.Entry{Name: m.Ref}
				if m.Context > 0 {
					e.About = block.Tokens(int64(m.Context)) + " tokens"
				}
				rows = append(rows, e)
			}
			if len(rows) == 0 {
				u.hint = "no model was found: set a key, or start a local server (rein doctor)"
				return nil
			}
			u.open(newPicker("model   now "+u.how().Model, rows, func(u *ui, e full.Entry) tea.Cmd { return u.changeModel(e.Name) }))
			return nil
		}
	})
}

func (u *ui) changeMode(name string) tea.Cmd {
	if name != "" {
		u.setMode(name)
		return nil
	}
	var all []full.Entry
	for _, m := range []string{"supervised", "auto", "plan", "read-only", "full"} {
		all = append(all, full.Entry{Name: m, About: block.Mode(m)})
	}
	u.open(newPicker("mode", all, func(u *ui, e full.Entry) tea.Cmd { u.setMode(e.Name); return nil }))
	return nil
}

// listCommands lets the user choose a slash command of a file, a skill or a tool server.
func (u *ui) listCommands(string) tea.Cmd {
	var rows []full.Entry
	for _, o := range u.custom {
		rows = append(rows, full.Entry{Name: o.Shown, About: o.About, Value: o.Insert})
	}
	if len(rows) == 0 {
		u.hint = "there are none: they are files in .rein/commands"
		return nil
	}
	u.open(newPicker("commands", rows, func(u *ui, e full.Entry) tea.Cmd { u.editor.Set(e.Value.(string)); return nil }))
	return nil
}

// export writes the session to a file; its name says in which form.
func (u *ui) export(file string) tea.Cmd {
	if file == "" {
		file = "session-" + u.session.ID() + ".md"
	}
	where, ok := u.o.Place.(interface {
		Export(ctx context.Context, id, file string) error
	})
	if !ok {
		return u.showRun("this session is in "+file, "sessions", "export", u.session.ID(), "-o", file)
	}
	ctx, id := u.ctx, u.session.ID()
	return later(func() func(*ui) tea.Cmd {
		err := where.Export(ctx, id, file)
		return func(u *ui) tea.Cmd {
			if u.hint = "this session is in " + file; err != nil {
				u.hint = err.Error()
			}
			return nil
		}
	})
}

func (u *ui) queueCommand(message string) tea.Cmd {
	if message == "" {
		if u.takeBack(); u.editor.Empty() {
			u.hint = "no message waits"
		}
		return nil
	}
	return u.queue(message)
}

func (u *ui) copyAnswer(string) tea.Cmd {
	if u.talk.answer == "" {
		u.hint = "there is no answer yet"
		return nil
	}
	u.hint = "the last answer is in the clipboard"
	return tea.SetClipboard(u.talk.answer)
}

func (u *ui) changeTheme(name string) tea.Cmd {
	if name != "" && !slices.Contains([]string{"dark", "light", "auto", "none"}, name) {
		u.hint = "expected dark, light, auto or none"
		return nil
	}
	u.setTheme(text.ThemeNamed(name, u.o.Getenv))
	if name == "" || name == "auto" {
		return tea.RequestBackgroundColor
	}
	return nil
}

// expand sends the message of a slash command that a file or a skill defines. Its calls go through the same checks as those of
// the model.
func (u *ui) expand(line, name, args string) tea.Cmd {
	if u.turn != nil {
		u.editor.Set(line)
		u.hint = noCommand(name)
		if slices.ContainsFunc(u.custom, func(o complete.Offer) bool { return strings.TrimSpace(o.Insert) == "/"+name }) {
			u.idle()
		}
		return nil
	}
	s, ok := u.here()
	if !ok {
		if !slices.ContainsFunc(u.custom, func(o complete.Offer) bool { return strings.TrimSpace(o.Insert) == "/"+name }) {
			u.editor.Set(line)
			u.hint = noCommand(name)
			return nil
		}
		u.sent = true
		return u.begin(func(ctx context.Context) iter.Seq2[event.Event, error] { return u.session.SendLine(ctx, line) })
	}
	ctx, t := u.newTurn()
	box := u.requests.Box
	return later(func() func(*ui) tea.Cmd {
		defer close(t.over)
		defer t.cancel(nil)
		message, attached, ok, err := s.Expand(ctx, name, args, func(e event.Event) { box.Put(e) })
		return func(u *ui) tea.Cmd {
			first := u.drain() // what happened comes before its end
			cmd := tea.Batch(first, u.ended(turnOver{}))
			switch {
			case err != nil:
				u.failed(err)
			case !ok:
				u.editor.Set(line)
				u.hint = noCommand(name)
			default:
				return tea.Batch(cmd, u.send(message, attached))
			}
			return cmd
		}
	})
}

func noCommand(name string) string {
	return "there is no command /" + text.OneLine(name) + "; write // to send a message that begins with a slash"
}

// background work of a command: do runs in a goroutine of its own, and what it gives changes the screen.
func later(do func() func(*ui) tea.Cmd) tea.Cmd {
	return func() tea.Msg { return done{do()} }
}
