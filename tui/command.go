package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/harness"
	"rein/tui/block"
	"rein/tui/complete"
	"rein/tui/full"
	"rein/tui/keys"
	"rein/tui/listing"
	"rein/tui/place"
	"rein/tui/scroll"
	"rein/tui/signals"
	"rein/tui/text"
	"rein/tui/theme"
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
		{"resume", "[words]", "go on with another session of this directory", (*ui).pickSession},
		{"diff", "", "what this session changed in files", (*ui).diff},
		{"undo", "", "take back what the last call did to files", (*ui).undo},
		{"redo", "", "take back the last undo", (*ui).redo},
		{"rewind", "", "go back to before an earlier message", (*ui).rewind},
		{"fork", "", "go on in a copy of this session", (*ui).fork},
		{"rename", "name", "give this session a name", (*ui).rename},
		{"model", "[provider/name]", "choose the model", (*ui).changeModel},
		{"mode", "[mode]", "choose the mode: supervised, plan, read-only, full", (*ui).changeMode},
		{"status", "", "session, model, mode, sandbox", (*ui).status},
		{"usage", "", "tokens and money of this session", (*ui).usage},
		{"cost", "", "the same as /usage", (*ui).usage},
		{"plan", "", "go to plan mode", func(u *ui, _ string) tea.Cmd { u.setMode("plan"); return nil }},
		{"compact", "[what must be kept]", "replace the older part of the conversation by a summary", (*ui).compact},
		{"context", "", "what fills the window of the model, and which instructions it has", (*ui).context},
		{"todos", "", "the model's plan", (*ui).todos},
		{"jobs", "", "commands that run in the background", (*ui).jobs},
		{"tools", "", "the tools that the model has", (*ui).tools},
		{"out", "", "open the last results", func(u *ui, _ string) tea.Cmd { u.openResults(); return nil }},
		{"queue", "[message]", "give a message after the answer, or take waiting ones back", (*ui).queueCommand},
		{"history", "", "search what you wrote before", func(u *ui, _ string) tea.Cmd { u.searchHistory(); return nil }},
		{"copy", "", "copy the last answer", (*ui).copyAnswer},
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
		{"import", "", "take over what other programs have here", func(u *ui, _ string) tea.Cmd { return u.onTerminal("import") }},
		{"trust", "", "show and decide what of this folder sessions may obey", func(u *ui, _ string) tea.Cmd { return u.onTerminal("trust") }},
		{"quit", "", "leave; the session can go on later", func(u *ui, _ string) tea.Cmd { return u.quit() }},
	}
	for _, l := range listing.All() {
		all = append(all, command{l.Name, l.Args, l.Help, func(u *ui, args string) tea.Cmd { return u.list(l, args) }})
	}
	return all
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
	return all[i].do(u, strings.TrimSpace(args))
}

// idle reports whether no turn runs; else it says why the command does not work now.
func (u *ui) idle() bool {
	if u.turn != nil {
		u.hint = "not while the model works: Esc stops it"
	}
	return u.turn == nil
}

// fact is a line with a name and a value.
func fact(name, value string) text.Line {
	return text.Line{text.In(text.Dim, fmt.Sprintf("  %-12s", name)), text.In(text.Plain, text.OneLine(value))}
}

func (u *ui) clear(string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	h, ctx, old := u.o.Harness, u.ctx, u.session
	return later(func() func(*ui) tea.Cmd {
		s, err := h.Start(ctx, harness.NewSession{})
		return func(u *ui) tea.Cmd { return u.switchTo(s, err, old, "a new session begins") }
	})
}

// switchTo goes on with another session and closes the one before.
func (u *ui) switchTo(s *harness.Session, err error, old *harness.Session, words string) tea.Cmd {
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
	ctx, root := u.ctx, u.o.Harness.Root()
	u.hint = "looking for models"
	return later(func() func(*ui) tea.Cmd {
		all, err := harness.Available(ctx, root)
		return func(u *ui) tea.Cmd {
			u.hint = ""
			if err != nil {
				u.failed(err)
				return nil
			}
			var rows []full.Entry
			for _, m := range all {
				e := full.Entry{Name: m.Provider + "/" + m.ID}
				if m.Limit.Context > 0 {
					e.About = block.Tokens(int64(m.Limit.Context)) + " tokens"
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

func (u *ui) status(string) tea.Cmd {
	how := u.how()
	lines := []text.Line{fact("session", u.session.ID()), fact("directory", place.Short(how.Dir)), fact("model", how.Model), fact("mode", how.Mode+": "+block.Mode(how.Mode))}
	for _, d := range how.AddDirs {
		lines = append(lines, fact("also", place.Short(d)))
	}
	if how.Sandbox != "" {
		lines = append(lines, fact("sandbox", how.Sandbox))
	}
	lines = append(lines, fact("version", u.o.Version))
	u.print(scroll.Loose, lines...)
	return nil
}

func (u *ui) usage(string) tea.Cmd {
	us := u.session.Usage()
	lines := []text.Line{fact("in", block.Tokens(us.Input)+" tokens"), fact("out", block.Tokens(us.Output)+" tokens")}
	if us.Input > 0 && us.CacheRead > 0 {
		lines = append(lines, fact("cached", fmt.Sprintf("%d %%", 100*us.CacheRead/us.Input)))
	}
	if us.Thinking > 0 {
		lines = append(lines, fact("thinking", block.Tokens(us.Thinking)+" tokens"))
	}
	if us.Cost > 0 {
		lines = append(lines, fact("cost", block.Money(us.Cost)))
	}
	u.print(scroll.Loose, lines...)
	return nil
}

// context shows what the next request has, by part, and the files with instructions.
func (u *ui) context(string) tea.Cmd {
	c := u.session.Context()
	row := func(value, name string) text.Line {
		return text.Line{text.In(text.Dim, fmt.Sprintf("  %9s  ", value)), text.In(text.Plain, text.OneLine(name))}.Cut(u.width - 1)
	}
	whole := "tokens in the next request"
	if c.Window > 0 {
		whole += fmt.Sprintf(", of %s", block.Tokens(int64(c.Window)))
	}
	lines := []text.Line{row(block.Tokens(int64(c.Tokens)), whole)}
	for _, p := range c.Parts {
		lines = append(lines, row(block.Tokens(int64(p.Tokens)), p.Name))
	}
	for _, f := range u.session.Instructions() {
		name := f.Path
		if f.Why != "" {
			name += ": " + f.Why
		}
		lines = append(lines, row(string(f.State), name))
	}
	u.print(scroll.Loose, lines...)
	return nil
}

func (u *ui) todos(string) tea.Cmd {
	if u.talk.plan == nil {
		u.hint = "there is no plan yet"
		return nil
	}
	u.print(scroll.Loose, text.Indent(block.Plan(u.talk.plan, u.marks, u.textWidth()-2), 2)...)
	return nil
}

// jobs lets the user look at the jobs and stop them.
func (u *ui) jobs(string) tea.Cmd {
	var rows []full.Entry
	for _, j := range u.session.Jobs() {
		if !j.Waited() {
			rows = append(rows, full.Entry{Name: j.ID + "  " + text.OneLine(u.session.Mask().String(j.Command)), About: block.Since(u.now().Sub(j.Started)), Value: j.ID})
		}
	}
	if len(rows) == 0 {
		u.hint = "nothing runs in the background"
		return nil
	}
	stop := func(u *ui, e full.Entry) tea.Cmd {
		for _, j := range u.session.Jobs() {
			if j.ID == e.Value {
				u.note(text.Dim, "stopping "+e.Name)
				go j.Stop(jobGrace)
			}
		}
		return nil
	}
	p := newPicker("jobs", rows, func(u *ui, e full.Entry) tea.Cmd {
		for _, j := range u.session.Jobs() {
			if j.ID == e.Value {
				u.open(following(e.Name, u.session.Mask().String, j.Tail, j.Ended))
				return nil
			}
		}
		u.hint = "it has ended: the model has its output"
		return nil
	})
	p.Help, p.other = "(its output)   Del stops   ", map[string]func(*ui, full.Entry) tea.Cmd{"delete": stop}
	u.open(p)
	return nil
}

// following shows the output of a job while it grows. Of a long one the start is left out.
func following(title string, mask func(string) string, tail func(from int64) ([]byte, int64), ended func() bool) *full.Pager {
	size, over := int64(-1), false
	p := full.NewPager(title, nil)
	p.Follow = func() (lines []text.Line, changed bool) {
		out, start := tail(0)
		if start+int64(len(out)) == size && over == ended() {
			return nil, false
		}
		size, over = start+int64(len(out)), ended()
		if start > 0 {
			lines = append(lines, text.Of(text.Dim, block.Bytes(start)+" before are left out"))
		}
		for _, l := range text.Lines(mask(string(out))) {
			lines = append(lines, text.Of(text.Plain, l))
		}
		switch {
		case over:
			lines = append(lines, text.Of(text.Dim, "- it has ended"))
		case len(out) == 0:
			lines = append(lines, text.Of(text.Dim, "it has written nothing yet"))
		}
		return lines, true
	}
	return p
}

// jobGrace is how long a job that the user stops has to end.
const jobGrace = 2 * time.Second

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
	return u.showRun("this session is in "+file, "sessions", "export", u.session.ID(), "-o", file)
}

func (u *ui) tools(string) tea.Cmd {
	var lines []text.Line
	for _, t := range u.session.Tools().All() {
		first, _, _ := strings.Cut(t.Description, ".")
		lines = append(lines, text.Line{text.Bold(text.Plain, fmt.Sprintf("  %-16s", t.Name)), text.In(text.Dim, text.OneLine(first))}.Cut(u.width-1))
	}
	u.print(scroll.Loose, lines...)
	return nil
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
	messages := u.session.Messages()
	for i := len(messages) - 1; i >= 0; i-- {
		if s := messages[i].Text(); s != "" && string(messages[i].Role) == "assistant" {
			u.hint = "the last answer is in the clipboard"
			return tea.SetClipboard(s)
		}
	}
	u.hint = "there is no answer yet"
	return nil
}

func (u *ui) changeTheme(name string) tea.Cmd {
	if name != "" && !slices.Contains([]string{"dark", "light", "auto", "none"}, name) {
		u.hint = "want dark, light, auto or none"
		return nil
	}
	u.setTheme(theme.Chosen(name, u.o.Getenv))
	if name == "" || name == "auto" {
		return tea.RequestBackgroundColor
	}
	return nil
}

// helpLines are the commands and the keys.
func (u *ui) helpLines() (lines []text.Line) {
	head := func(s string) {
		if len(lines) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, text.Line{text.Bold(text.Plain, s)})
	}
	head("Keys")
	for _, b := range u.keys.Bindings {
		if b.Help == "" || len(b.Keys) == 0 {
			continue
		}
		key := keys.Words(b.Keys[0])
		if b.Action == keys.Newline && !u.keyboard && len(b.Keys) > 1 { // this terminal does not tell Shift+Enter from Enter
			key = keys.Words(b.Keys[1])
		}
		lines = append(lines, text.Line{text.In(text.Accent, fmt.Sprintf("  %-14s", key)), text.In(text.Plain, b.Help)})
	}
	head("In the line")
	for _, l := range [][2]string{{"/", "a command"}, {"@", "a file of the workspace, or a sub-agent"}, {"!", "a command of your own, through the same checks; its output goes with your next message"}} {
		lines = append(lines, text.Line{text.In(text.Accent, fmt.Sprintf("  %-14s", l[0])), text.In(text.Plain, l[1])})
	}
	head("Commands")
	for _, c := range commands() {
		lines = append(lines, text.Line{text.In(text.Accent, fmt.Sprintf("  %-14s", "/"+c.name)), text.In(text.Plain, c.help)})
	}
	if len(u.custom) > 0 {
		head("Commands of files and skills")
	}
	for _, o := range u.custom {
		lines = append(lines, text.Line{text.In(text.Accent, fmt.Sprintf("  %-14s", strings.TrimSpace(o.Insert))), text.In(text.Plain, o.About)}.Cut(u.width-1))
	}
	return lines
}
