package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/catalogue"
	"rein/app/session"
	"rein/app/tui/block"
	"rein/app/tui/full"
	"rein/app/tui/text"
)

// fact is a line of what a command shows.
func (d *display) fact(name, value string) text.Line { return full.Fact(d.words.Of(name), value) }

func showStatus(u *ui, _ string) tea.Cmd {
	how := u.how()
	lines := []text.Line{u.fact("session", u.session.ID()), u.fact("directory", shortDir(how.Dir)), u.fact("model", how.Model), u.fact("mode", how.Mode+": "+u.words.Of(block.Mode(how.Mode)))}
	for _, d := range how.AddDirs {
		lines = append(lines, u.fact("also", shortDir(d)))
	}
	if how.Sandbox != "" {
		lines = append(lines, u.fact("sandbox", how.Sandbox))
	}
	lines = append(lines, u.fact("version", u.o.Version))
	u.print(scrollLoose, lines...)
	return nil
}

// showUsage shows what the session used: in all, for the last message, for each model where there are several, and for each tool.
func showUsage(u *ui, _ string) tea.Cmd {
	lines := []text.Line{u.fact("all", u.marks.Spent(u.session.Usage()))}
	used, _ := u.o.Place.Use(u.session.ID()) // of a session that keeps nothing there is only the sum
	if n := len(used.Messages); n > 1 {
		lines = append(lines, u.fact("message", u.marks.Spent(used.Messages[n-1].Usage)))
	}
	for _, m := range used.Models {
		if len(used.Models) > 1 {
			lines = append(lines, full.Fact(m.Text, u.marks.Spent(m.Usage)))
		}
	}
	for _, t := range used.Tools {
		lines = append(lines, full.Fact(t.Name, u.words.Of("%s, %d failed, %v, %s", u.words.Count(t.Calls, "call"), t.Failed, t.Time.Round(time.Millisecond), block.Bytes(t.Bytes))))
	}
	for i := range lines {
		lines[i] = lines[i].Cut(u.width - 1)
	}
	u.print(scrollLoose, lines...)
	return nil
}

// showContext shows what the next request has, by part, and the files with instructions.
func showContext(u *ui, _ string) tea.Cmd {
	c, err := u.session.Context()
	if err != nil {
		of := ""
		if window := u.bar.window.of(u.session); window > 0 {
			of = u.words.Of(" of %s", block.Tokens(window))
		}
		u.hint = u.words.Of("the last request and its answer: %s%s tokens; %v", block.Tokens(u.talk.context), of, err)
		return nil
	}
	u.print(scrollLoose, u.contextLines(c)...)
	return nil
}

// contextLines lays out what the next request has.
func (d *display) contextLines(c session.Context) []text.Line {
	row := func(value, share, name string) text.Line {
		return text.Line{text.In(text.Dim, fmt.Sprintf("  %9s  %6s  ", value, share)), text.In(text.Plain, text.OneLine(name))}.Cut(d.width - 1)
	}
	whole := text.Of(text.Plain, "  "+d.words.Of("the next request: %s tokens", block.Tokens(int64(c.Tokens))))
	if c.Window > 0 {
		whole = text.Of(text.Plain, "  "+d.words.Of("the next request: %s of %s tokens, %d %%", block.Tokens(int64(c.Tokens)), block.Tokens(int64(c.Window)), c.Tokens*100/c.Window)+"   ")
		whole = append(whole, d.marks.Bar(c.Tokens, c.Window, 25)...).Cut(d.width - 1)
	}
	lines := []text.Line{whole}
	if c.Assumed {
		lines = append(lines, text.Of(text.Dim, "  "+d.words.Of("the window is assumed, because nothing is known of the model: the setting \"models\" can name it")).Wrap(d.textWidth(), text.Of(text.Plain, "  "))...)
	}
	for _, p := range c.Parts {
		share := ""
		if c.Window > 0 {
			share = fmt.Sprintf("%.1f %%", 100*float64(p.Tokens)/float64(c.Window))
		}
		lines = append(lines, row(block.Tokens(int64(p.Tokens)), share, p.Name))
	}
	for _, f := range c.Instructions {
		name := f.Path
		if f.Why != "" {
			name += ": " + f.Why
		}
		lines = append(lines, row(string(f.State), "", name))
	}
	return lines
}

func showTodos(u *ui, _ string) tea.Cmd {
	if u.talk.plan == nil {
		u.hint = "there is no to-do list yet"
		return nil
	}
	u.print(scrollLoose, text.Indent(block.Plan(u.talk.plan, u.marks, u.textWidth()-2), 2)...)
	return nil
}

func showTools(u *ui, _ string) tea.Cmd {
	s, ok := u.session.(session.Toolbox)
	if !ok {
		return u.do("/tools", catalogue.Request{Kind: catalogue.Tools, Verb: "list"})
	}
	var lines []text.Line
	name := 0
	for _, t := range s.Tools().All() {
		name = max(name, len(t.Name))
	}
	for _, t := range s.Tools().All() {
		first, _, _ := strings.Cut(t.Description, ".")
		lines = append(lines, text.Line{text.Bold(text.Plain, fmt.Sprintf("  %-*s  ", min(name, u.width/3), t.Name)), text.In(text.Dim, text.OneLine(first))}.Cut(u.width-1))
	}
	u.print(scrollLoose, lines...)
	return nil
}

// helpLines are the commands and the keys.
func helpLines(u *ui) []text.Line {
	say := u.words.Of
	bound, line, own, custom := full.Group{Head: say("Keys")}, full.Group{Head: say("In the line")}, full.Group{Head: say("Commands")}, full.Group{Head: say("Commands of files and skills")}
	for _, b := range u.keys.Bindings {
		if b.Help == "" || len(b.Keys) == 0 {
			continue
		}
		key := text.KeyWords(b.Keys[0])
		if b.Action == text.Newline && !u.shiftEnter && len(b.Keys) > 1 { // this terminal does not tell Shift+Enter from Enter
			key = text.KeyWords(b.Keys[1])
		}
		bound.Rows = append(bound.Rows, [2]string{key, say(b.Help)})
	}
	line.Rows = [][2]string{{"/", say("a command")}, {"@", say("a file of the workspace, or a sub-agent")}, {"!", say("a command of your own, through the same checks; its output goes with your next message")}}
	for _, c := range commands() {
		own.Rows = append(own.Rows, [2]string{"/" + c.name, say(c.help)})
	}
	for _, o := range u.line.custom {
		custom.Rows = append(custom.Rows, [2]string{strings.TrimSpace(o.Insert), o.About})
	}
	return full.Help(bound, line, own, custom)
}
