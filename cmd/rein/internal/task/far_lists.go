package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rein/client"
	"rein/cmd/rein/internal/console"
	"rein/guard"
	"rein/server/api"
)

func (f *far) listMemory(ctx context.Context, _ []string) (string, error) {
	return asJSON(f.client.Memory(ctx, client.MemoryQuery{Dir: f.dirNow()}))
}

func (f *far) searchMemory(ctx context.Context, args []string) (string, error) {
	all, err := f.client.Memory(ctx, client.MemoryQuery{Dir: f.dirNow(), Words: rest(args)})
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "m%d  %s\n", m.ID, console.Printable(m.Text))
	}
	return b.String(), err
}

func (f *far) showMemory(ctx context.Context, args []string) (string, error) {
	all, err := f.client.Memory(ctx, client.MemoryQuery{Dir: f.dirNow(), Limit: 1000})
	m, err := find(args, "an entry", all, err, func(m api.Memory, id string) bool { return fmt.Sprint(m.ID) == id })
	if err != nil {
		return "", err
	}
	proposed := ""
	if m.Proposed {
		proposed = cmp.Or(m.Why, "yes") + " (no session sees it until a user confirms it)"
	}
	return fields("for", m.Scope, "category", m.Category, "tags", strings.Join(m.Tags, " "), "since", m.Created.Local().Format("2 Jan 2006 15:04"), "proposed", proposed) + "\n" + m.Text, nil
}

func (f *far) addMemory(ctx context.Context, args []string) (string, error) {
	m := api.MemoryText{Dir: f.dirNow(), Text: rest(args), Category: "knowledge", Scope: "project"}
	if has(args, "--user") {
		m.Scope = "user"
	}
	if strings.TrimSpace(m.Text) == "" {
		return "", errors.New("name what to remember")
	}
	return "", f.client.AddMemory(ctx, m)
}

func (f *far) forgetMemory(ctx context.Context, args []string) (string, error) {
	id, err := numbered(args)
	if err != nil {
		return "", err
	}
	return did(f.client.DeleteMemory(ctx, f.dirNow(), id), "entry %d is forgotten\n", id)
}

func (f *far) confirmMemory(ctx context.Context, args []string) (string, error) {
	id, err := numbered(args)
	if err != nil {
		return "", err
	}
	return did(f.client.ConfirmMemory(ctx, f.dirNow(), id), "sessions see entry %d from now on\n", id)
}

// listTasks returns the planned tasks with the fields that rein cron list has.
func (f *far) listTasks(ctx context.Context, _ []string) (string, error) {
	all, err := f.client.Schedules(ctx)
	rows := []map[string]any{}
	for _, s := range all {
		next := "paused"
		if len(s.Next) > 0 {
			next = s.Next[0].Local().Format("2 Jan 15:04")
		}
		rows = append(rows, map[string]any{"id": s.ID, "name": cmp.Or(s.Name, s.Prompt), "schedule": s.When, "next": next, "directory": s.Dir, "prompt": s.Prompt})
	}
	return asJSON(rows, err)
}

func (f *far) pauseTask(ctx context.Context, args []string) (string, error) {
	return f.setPaused(ctx, args, true, "task %d is paused\n")
}

func (f *far) resumeTask(ctx context.Context, args []string) (string, error) {
	return f.setPaused(ctx, args, false, "task %d continues\n")
}

func (f *far) setPaused(ctx context.Context, args []string, paused bool, report string) (string, error) {
	id, err := numbered(args)
	if err != nil {
		return "", err
	}
	return did(f.client.PauseSchedule(ctx, id, api.Paused{Paused: paused}), report, id)
}

func (f *far) removeTask(ctx context.Context, args []string) (string, error) {
	id, err := numbered(args)
	if err != nil {
		return "", err
	}
	return did(f.client.DeleteSchedule(ctx, id), "task %d is removed\n", id)
}

func (f *far) taskHistory(ctx context.Context, args []string) (string, error) {
	id, err := numbered(args)
	if err != nil {
		return "", err
	}
	all, err := f.client.Runs(ctx, id)
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, "%s  %-8s %s\n", r.Due.Local().Format("2 Jan 15:04"), r.State, console.Printable(r.Text))
	}
	return b.String(), err
}

func (f *far) listRules(ctx context.Context, _ []string) (string, error) {
	all, err := f.client.Rules(ctx, f.dirNow())
	return asJSON(all.Rules, err)
}

func (f *far) explainCall(ctx context.Context, args []string) (string, error) {
	call := api.ExplainCall{Dir: f.dirNow(), Call: rest(args)}
	if len(args) > 2 && args[1] == "--mode" {
		call.Mode, call.Call = args[2], rest(args[2:])
	}
	x, err := f.client.Explain(ctx, call)
	if err != nil {
		return "", err
	}
	return fields("call of", x.Tool, "effects", strings.Join(x.Effects, ", "), "decision", x.Decision, "allowed by", x.By, "without it", x.Guards, "severity", x.Severity,
		"checks", strings.Join(x.Checks, " "), "reason", x.Reason, "rule at", x.RuleAt, "held", x.Held), nil
}

// addRule adds a rule to the user's settings on the server's machine, for this workspace, or for all with --everywhere.
func (f *far) addRule(ctx context.Context, args []string) (string, error) {
	c := api.RuleChange{Dir: f.dirNow(), Decision: args[0], Rule: rest(args), Scope: "project"}
	if has(args, "--everywhere") {
		c.Scope = string(guard.Always)
	}
	if c.Rule == "" {
		return "", errors.New("name a rule, such as bash(go test:*); with --everywhere for all workspaces")
	}
	kept, err := f.client.ChangeRule(ctx, c)
	out := fmt.Sprintf("%s %s is kept\n", c.Decision, c.Rule)
	if c.Decision != "allow" {
		out += "it holds from the next session: /clear begins one\n"
	}
	for _, w := range kept.Warnings {
		out += "! " + console.Printable(w.Text) + "\n"
	}
	return did(err, "%s", out)
}

// removeRule takes a rule out of the user's own settings on the server's machine.
func (f *far) removeRule(ctx context.Context, args []string) (string, error) {
	name := rest(args)
	all, err := f.client.Rules(ctx, f.dirNow())
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(all.Rules, func(r api.Rule) bool { return r.Mine && r.Rule == name })
	if i < 0 {
		return "", fmt.Errorf("the user's settings on the server have no rule %s", name)
	}
	r := all.Rules[i]
	c := api.RuleChange{Dir: f.dirNow(), Decision: r.Decision, Rule: r.Rule, Scope: "project", Remove: true, High: r.High}
	if !r.Here {
		c.Scope = string(guard.Always)
	}
	_, err = f.client.ChangeRule(ctx, c)
	return did(err, "removed: %s %s; it holds from the next session\n", r.Decision, r.Rule)
}
