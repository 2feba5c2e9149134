package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/app/catalogue"
	"rein/app/tui/full"
	"rein/app/tui/text"
)

// entryList is a slash command over the entries of a kind: without arguments it lets the user choose one, and with arguments it does
// what rein's command of that kind does with them.
type entryList struct {
	name, args, help string

	kind catalogue.Kind
	show string // the verb that shows an entry; "": its fields
	keys []entryKey
	none string // what to do where the list is empty
}

// entryKey is a key that does something with the chosen entry.
type entryKey struct {
	key, does string
	verb      string
	asks      bool // the user confirms it
}

// entryLists are the slash commands over lists.
func entryLists() []entryList {
	return []entryList{
		{"agents", "", "the kinds of sub-agents", catalogue.Agents, "show", nil, "there are no agents"},
		{"skills", "[add, new, check ...]", "the skills that the model can load", catalogue.Skills, "show",
			[]entryKey{{"delete", "removes", "remove", true}}, "there are no skills: /skills add and a directory or an address"},
		{"mcp", "[add, test, login, logs ...]", "tool servers", catalogue.ToolServers, "get",
			[]entryKey{{"ctrl+e", "switches on", "enable", false}, {"ctrl+x", "off", "disable", false}, {"delete", "removes", "remove", true}}, "there are no tool servers: /mcp add NAME COMMAND"},
		{"hooks", "[test ...]", "what runs at events of a session", catalogue.Hooks, "", nil, "there are no hooks: they are in the settings, under \"hooks\""},
		{"memory", "[add, search, forget ...]", "what is remembered for later sessions", catalogue.Memory, "show",
			[]entryKey{{"delete", "forgets", "forget", true}, {"ctrl+e", "confirms", "confirm", false}}, "nothing is remembered: # and a text remembers it"},
		{"schedule", "[add, history ...]", "tasks that run later or regularly", catalogue.Schedules, "",
			[]entryKey{{"ctrl+x", "pauses", "pause", false}, {"ctrl+e", "resumes", "resume", false}, {"delete", "removes", "remove", true}}, "no task is planned: /schedule add --help"},
	}
}

// command runs the slash command. What the catalogue does not do is rein's own command, with all its flags.
func (l entryList) command(u *ui, args []string) tea.Cmd {
	if len(args) > 1 || len(args) == 1 && args[0] != "list" {
		title := "/" + l.name + " " + strings.Replace(strings.Join(args, " "), " -- ", " ", 1)
		own := append([]string{string(l.kind)}, args...)
		if r, ok := catalogue.Parse(l.kind, args); ok {
			return u.do(title, r, own...)
		}
		return u.showRun(title, own...)
	}
	return u.pickEntry(l.kind, func(u *ui, list catalogue.List) {
		if len(list.Entries) == 0 {
			u.hint = l.none
			return
		}
		u.open(l.picker(u.words, list))
	})
}

// pickEntry reads a list and opens it.
func (u *ui) pickEntry(kind catalogue.Kind, open func(*ui, catalogue.List)) tea.Cmd {
	all, ctx := u.o.Catalogue, u.ctx
	return later(func() func(*ui) tea.Cmd {
		list, err := all.List(ctx, kind)
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.wrong(err)
				return nil
			}
			for _, w := range list.Warnings {
				u.note(text.Warn, "! "+w)
			}
			open(u, list)
			return nil
		}
	})
}

func (l entryList) picker(words text.Words, list catalogue.List) *picker {
	var rows []full.Entry
	widest := 0
	for _, e := range list.Entries {
		about := text.Of(text.Plain, text.OneLine(e.About)).Cut(60)
		widest = max(widest, about.Width())
		rows = append(rows, full.Entry{Name: text.OneLine(e.Name), About: about.String(), Value: e})
	}
	on := func(u *ui, verb string, e full.Entry) tea.Cmd {
		id := e.Value.(catalogue.Entry).ID
		return u.do("/"+l.name+" "+verb+" "+id, catalogue.Request{Kind: l.kind, Verb: verb, Name: id})
	}
	p := newPicker(l.name, rows, func(u *ui, e full.Entry) tea.Cmd {
		if l.show == "" {
			u.open(full.NewPager(l.name, entryLines(e, u.width)))
			return nil
		}
		return on(u, l.show, e)
	})
	p.Preview, p.Column = entryLines, widest
	p.other = map[string]func(*ui, full.Entry) tea.Cmd{}
	for _, k := range l.keys {
		p.Help += fmt.Sprintf("%s %s   ", text.KeyWords(k.key), words.Of(k.does))
		p.other[k.key] = func(u *ui, e full.Entry) tea.Cmd {
			if !k.asks {
				return on(u, k.verb, e)
			}
			confirm(u, "/"+l.name+" "+k.verb+": "+e.Name, func(u *ui) tea.Cmd { return on(u, k.verb, e) })
			return nil
		}
	}
	return p
}

// entryLines are the fields of an entry, one on each line.
func entryLines(e full.Entry, width int) (lines []text.Line) {
	for _, f := range e.Value.(catalogue.Entry).Fields {
		lines = append(lines, text.Line{text.In(text.Dim, fmt.Sprintf("%-12s ", f.Name)), text.In(text.Plain, text.OneLine(f.Text))}.Wrap(width, text.Of(text.Plain, strings.Repeat(" ", 13)))...)
	}
	return lines
}

// do shows or changes an entry, and shows what is reported. own is rein's own command for what the catalogue does not do.
func (u *ui) do(title string, r catalogue.Request, own ...string) tea.Cmd {
	all, ctx := u.o.Catalogue, u.ctx
	return later(func() func(*ui) tea.Cmd {
		out, err := all.Do(ctx, r)
		if err != nil && out != "" {
			out = strings.TrimRight(out, "\n") + "\n" + err.Error()
		}
		return func(u *ui) tea.Cmd {
			if errors.Is(err, catalogue.ErrNotThere) && len(own) > 0 {
				return u.showRun(title, own...)
			}
			u.showOutput(title, out, err)
			if err == nil {
				sayReopen(u, string(r.Kind), r.Verb)
			}
			return nil
		}
	})
}

// sayReopen says of a command that changed the tool servers that this chat goes on with those that it has.
func sayReopen(u *ui, command ...string) {
	if !u.o.Place.Elsewhere() && len(command) > 1 && command[0] == string(catalogue.ToolServers) && slices.Contains([]string{"add", "add-json", "import", "enable", "disable", "remove"}, command[1]) {
		u.note(text.Dim, "this chat keeps the tool servers that it began with: leave it, and continue with rein -c")
	}
}
