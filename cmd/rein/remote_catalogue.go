package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rein/app/catalogue"
	"rein/app/client"
	"rein/app/extend"
	"rein/app/schedule"
	"rein/app/server/api"
	"rein/guard"
	"rein/kit/tools/memory"
)

// remoteCatalogue is the catalogue of a server, with the rights of the one who is signed in.
type remoteCatalogue struct{ *remotePlace }

// List implements catalogue.Catalogue.
func (f remoteCatalogue) List(ctx context.Context, kind catalogue.Kind) (list catalogue.List, err error) {
	switch kind {
	case catalogue.Agents:
		return f.listAgents(ctx)
	case catalogue.Skills:
		return f.listSkills(ctx)
	case catalogue.ToolServers:
		all, err := f.client.ToolServers(ctx, f.dirNow())
		for _, s := range all {
			list.Entries = append(list.Entries, remoteToolServer(s))
		}
		return list, err
	case catalogue.Hooks:
		return f.listHooks(ctx)
	case catalogue.Memory:
		all, err := f.memory(ctx, client.MemoryQuery{Dir: f.dirNow(), Limit: 1000})
		return catalogue.MemoryList(all), err
	case catalogue.Schedules:
		return f.listTasks(ctx)
	case catalogue.Rules:
		all, err := f.client.Rules(ctx, f.dirNow())
		var rules []catalogue.Rule
		for _, r := range all.Rules {
			rules = append(rules, catalogue.Rule(r))
		}
		return catalogue.RuleList(rules), err
	}
	return list, catalogue.ErrNotThere
}

// Do implements catalogue.Catalogue.
func (f remoteCatalogue) Do(ctx context.Context, r catalogue.Request) (string, error) {
	switch string(r.Kind) + " " + r.Verb {
	case "agents show", "skills show", "mcp get":
		return f.show(ctx, r.Kind, r.Name)
	case "sessions delete":
		return doneUnless(f.client.DeleteSession(ctx, r.Name), "Deleted %s\n", r.Name)
	case "mcp test":
		s, err := f.client.TryToolServer(ctx, f.dirNow(), r.Name)
		return doneUnless(err, "%s", remoteToolServer(s).Text)
	case "memory add":
		m := api.MemoryText{Dir: f.dirNow(), Text: r.Name, Category: "knowledge", Scope: memory.Project}
		if r.Everywhere {
			m.Scope = memory.User
		}
		return "", f.client.AddMemory(ctx, m)
	case "memory search":
		all, err := f.memory(ctx, client.MemoryQuery{Dir: f.dirNow(), Words: r.Name})
		return catalogue.MemoryLines(all), err
	case "memory show", "memory forget", "memory confirm", "cron pause", "cron resume", "cron remove", "cron history":
		id, ok := memory.ParseName(r.Name)
		if !ok {
			return "", fmt.Errorf("%s is not a number", r.Name)
		}
		return f.doNumbered(ctx, r, id)
	case "rules explain":
		return f.explainCall(ctx, r)
	case "rules check":
		return f.checkRules(ctx)
	case "rules remove":
		return f.removeRule(ctx, r)
	case "tools list":
		return f.listTools(ctx)
	case "settings list":
		return f.listSettings(ctx)
	}
	return "", catalogue.ErrNotThere
}

// doNumbered does something with what is remembered, or with a task.
func (f remoteCatalogue) doNumbered(ctx context.Context, r catalogue.Request, id int64) (string, error) {
	switch r.Verb {
	case "show":
		return f.show(ctx, r.Kind, strconv.FormatInt(id, 10))
	case "forget":
		return doneUnless(f.client.DeleteMemory(ctx, f.dirNow(), id), "entry %d is forgotten\n", id)
	case "confirm":
		return doneUnless(f.client.ConfirmMemory(ctx, f.dirNow(), id), "sessions see entry %d from now on\n", id)
	case "pause":
		return doneUnless(f.client.PauseSchedule(ctx, id, api.Paused{Paused: true}), "task %d is paused\n", id)
	case "resume":
		return doneUnless(f.client.PauseSchedule(ctx, id, api.Paused{}), "task %d continues\n", id)
	case "remove":
		return doneUnless(f.client.DeleteSchedule(ctx, id), "task %d is removed\n", id)
	}
	all, err := f.client.Runs(ctx, id)
	var runs []schedule.Run
	for _, v := range all {
		runs = append(runs, schedule.Run{Job: id, Due: v.Due.Local(), State: v.State, Session: v.Session, Text: v.Text})
	}
	return catalogue.RunLines(runs), err
}

// doneUnless returns what is reported, unless it failed.
func doneUnless(err error, format string, args ...any) (string, error) {
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(format, args...), nil
}

// show shows an entry of a list.
func (f remoteCatalogue) show(ctx context.Context, kind catalogue.Kind, id string) (string, error) {
	list, err := f.List(ctx, kind)
	found := list.Named(id)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("there is no %s", id)
	}
	return catalogue.JoinTexts(found), err
}

func (f remoteCatalogue) listAgents(ctx context.Context) (catalogue.List, error) {
	all, err := f.client.Agents(ctx, f.dirNow())
	var list []extend.AgentFile
	for _, v := range all {
		a := extend.AgentFile{Notes: v.Notes, Untrusted: v.State == "untrusted"}
		a.Name, a.Description, a.Source, a.Background, a.Isolation = v.Name, v.Description, v.Source, v.Background, v.Isolation
		a.Tools, a.Without, a.Mode, a.Model, a.Effort, a.MaxTurns, a.Budget, a.Skills, a.Prompt = v.Tools, v.Without, v.Mode, v.Model, v.Effort, v.MaxTurns, v.Budget, v.Skills, v.Prompt
		switch v.State {
		case "broken":
			a.Problem = v.Why
		case "hidden":
			a.HiddenBy = v.Why
		}
		list = append(list, a)
	}
	return catalogue.AgentList(list), err
}

func (f remoteCatalogue) listSkills(ctx context.Context) (list catalogue.List, err error) {
	all, err := f.client.Skills(ctx, f.dirNow())
	for _, k := range all.Skills {
		known := catalogue.Fields("name", k.Name, "for", k.About, "from", k.From, "directory", k.Dir, "arguments", k.Hint, "warnings", strings.Join(k.Warnings, "; "))
		list.Entries = append(list.Entries, catalogue.Entry{ID: k.Name, Name: k.Name, About: k.From + "   " + k.About, Fields: known, Text: catalogue.Lines(12, known) + "\n" + k.Text, Value: k})
	}
	return list, err
}

// remoteToolServer is what a server knows of a tool server.
func remoteToolServer(s api.ToolServer) catalogue.Entry {
	e := catalogue.Entry{ID: s.Name, Name: s.Name, About: s.Kind + "   " + s.Target, Value: s,
		Fields: catalogue.Fields("name", s.Name, "type", s.Kind, "runs", s.Target, "state", s.State, "about", s.About, "from", s.Source, "log", s.Log)}
	if s.Disabled {
		e.About += "   disabled"
	}
	e.Text = catalogue.Lines(12, e.Fields)
	for _, t := range s.Tools {
		first, _, _ := strings.Cut(t.Description, ".")
		e.Text += catalogue.Lines(12, catalogue.Fields("  "+t.Name, first))
	}
	return e
}

// listHooks returns the hooks that the settings of the server's machine have.
func (f remoteCatalogue) listHooks(ctx context.Context) (list catalogue.List, err error) {
	all, err := f.client.Settings(ctx, f.dirNow())
	for _, v := range all.Values {
		if v.Names[0] == "hooks" {
			value, _ := json.Marshal(v.Value) // it came as JSON
			event := strings.Join(v.Names[1:], ".")
			list.Entries = append(list.Entries, catalogue.Entry{ID: event, Name: event, About: string(value), Fields: catalogue.Fields("event", event, "command", string(value), "source", v.Source), Value: v})
		}
	}
	return list, err
}

func (f remoteCatalogue) memory(ctx context.Context, q client.MemoryQuery) (list []memory.Entry, err error) {
	all, err := f.client.Memory(ctx, q)
	for _, m := range all {
		list = append(list, memory.Entry{ID: m.ID, Scope: m.Scope, Category: m.Category, Text: m.Text, Importance: m.Importance, Tags: m.Tags, Created: m.Created, Expires: m.Expires,
			Source: m.Session, Proposed: m.Proposed, Why: m.Why})
	}
	return list, err
}

func (f remoteCatalogue) listTasks(ctx context.Context) (list catalogue.List, err error) {
	all, err := f.client.Schedules(ctx)
	var jobs []schedule.Job
	for _, s := range all {
		j := schedule.Job{ID: s.ID, Name: s.Name, When: s.When, Zone: s.Zone, Prompt: s.Prompt, Source: s.Source, Overlap: s.Overlap, Missed: s.Missed, Paused: s.Paused}
		j.Dir, j.Mode, j.Model, j.Allow, j.MaxUSD = s.Dir, s.Mode, s.Model, s.Allow, s.MaxUSD
		jobs = append(jobs, j)
	}
	return catalogue.ScheduleList(jobs), err
}

// checkRules reports what is wrong with the rules that hold.
func (f remoteCatalogue) checkRules(ctx context.Context) (string, error) {
	all, err := f.client.Rules(ctx, f.dirNow())
	out := ""
	for _, w := range all.Warnings {
		out += strings.TrimPrefix(w.Source+": "+w.Text, ": ") + "\n"
	}
	return doneUnless(err, "%srules: %d, warnings: %d\n", out, len(all.Rules), len(all.Warnings))
}

func (f remoteCatalogue) explainCall(ctx context.Context, r catalogue.Request) (string, error) {
	x, err := f.client.Explain(ctx, api.ExplainCall{Dir: f.dirNow(), Call: r.Name, Mode: r.Mode, Allowed: r.Allowed})
	return doneUnless(err, "%s", catalogue.Lines(12, catalogue.Fields("call of", x.Tool, "effects", strings.Join(x.Effects, ", "), "decision", x.Decision, "allowed by", x.By,
		"without it", x.Guards, "severity", x.Severity, "checks", strings.Join(x.Checks, " "), "reason", x.Reason, "rule at", x.RuleAt, "held", x.Held)))
}

// removeRule takes a rule out of the user's own settings on the server's machine.
func (f remoteCatalogue) removeRule(ctx context.Context, asked catalogue.Request) (string, error) {
	all, err := f.client.Rules(ctx, f.dirNow())
	if err != nil {
		return "", err
	}
	decisions, rule := catalogue.NamedRule(asked.Name)
	i := slices.IndexFunc(all.Rules, func(r api.Rule) bool {
		return r.Mine && !(asked.Everywhere && r.Here) && r.Rule == rule && slices.Contains(decisions, r.Decision)
	})
	if i < 0 {
		return "", fmt.Errorf("the user's settings on the server have no rule %s", asked.Name)
	}
	r := all.Rules[i]
	c := api.RuleChange{Dir: f.dirNow(), Decision: r.Decision, Rule: r.Rule, Scope: "project", Remove: true, High: r.High}
	if !r.Here {
		c.Scope = string(guard.Always)
	}
	_, err = f.client.ChangeRule(ctx, c)
	return doneUnless(err, "removed: %s %s; it holds from the next session\n", r.Decision, r.Rule)
}

func (f remoteCatalogue) listTools(ctx context.Context) (string, error) {
	all, err := f.client.Tools(ctx, f.dirNow())
	var rows []catalogue.Field
	for _, t := range all {
		first, _, _ := strings.Cut(t.Description, ".")
		rows = append(rows, catalogue.Field{Name: t.Name, Text: first})
	}
	return catalogue.Lines(26, rows), err
}

// listSettings shows what the files of the server's machine set.
func (f remoteCatalogue) listSettings(ctx context.Context) (string, error) {
	all, err := f.client.Settings(ctx, f.dirNow())
	var rows []catalogue.Field
	for _, v := range all.Values {
		value, _ := json.Marshal(v.Value) // it came as JSON
		rows = append(rows, catalogue.Field{Name: strings.Join(v.Names, "."), Text: fmt.Sprintf("%s   %s: %s", value, v.Layer, v.Source)})
	}
	return doneUnless(err, "%s", cmp.Or(catalogue.Lines(24, rows), "no file sets anything: all is as by default\n"))
}
