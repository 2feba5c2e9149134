package task

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rein/cmd/rein/internal/console"
	"rein/server/api"
)

// farCommands are those of rein's own commands that a server answers, by their first words. They print what rein prints, or JSON where
// rein's command has "--json". The rights are those of the one who is signed in.
func farCommands() map[string]func(*far, context.Context, []string) (string, error) {
	return map[string]func(*far, context.Context, []string) (string, error){
		"tools": (*far).listTools, "settings list": (*far).listSettings,
		"agents list": (*far).listAgents, "agents show": (*far).showAgent, "skills list": (*far).listSkills, "skills show": (*far).showSkill,
		"mcp list": (*far).listToolServers, "mcp get": (*far).showToolServer, "mcp test": (*far).tryToolServer, "hooks list": (*far).listHooks,
		"memory list": (*far).listMemory, "memory search": (*far).searchMemory, "memory show": (*far).showMemory, "memory add": (*far).addMemory,
		"memory forget": (*far).forgetMemory, "memory confirm": (*far).confirmMemory,
		"cron list": (*far).listTasks, "cron pause": (*far).pauseTask, "cron resume": (*far).resumeTask, "cron remove": (*far).removeTask, "cron history": (*far).taskHistory,
		"rules list": (*far).listRules, "rules explain": (*far).explainCall, "rules allow": (*far).addRule, "rules ask": (*far).addRule, "rules deny": (*far).addRule,
		"rules remove": (*far).removeRule,
	}
}

// errNotFar means that a server has no such command.
var errNotFar = errors.New("not over a server. Use its page, or rein on its machine")

// Command answers one of rein's own commands as the server has it.
func (f *far) Command(ctx context.Context, args ...string) (string, error) {
	all := farCommands()
	for n := min(2, len(args)); n > 0; n-- {
		if do := all[strings.Join(args[:n], " ")]; do != nil {
			return do(f, ctx, args[n-1:])
		}
	}
	return "", errNotFar
}

// split returns the flags and the words behind a command. What follows "--" is no flag.
func split(args []string) (flags, words []string) {
	for i, a := range args[1:] {
		switch {
		case a == "--":
			return flags, append(words, args[i+2:]...)
		case strings.HasPrefix(a, "--"):
			flags = append(flags, a)
		default:
			words = append(words, a)
		}
	}
	return flags, words
}

// rest returns the words behind a command as one text.
func rest(args []string) string {
	_, words := split(args)
	return strings.Join(words, " ")
}

func has(args []string, flag string) bool {
	flags, _ := split(args)
	return slices.Contains(flags, flag)
}

// did returns what a command reports, unless it failed.
func did(err error, format string, args ...any) (string, error) {
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(format, args...), nil
}

// named returns the one word behind a command.
func named(args []string, what string) (string, error) {
	if _, words := split(args); len(words) == 1 {
		return words[0], nil
	}
	return "", errors.New("name " + what)
}

func numbered(args []string) (int64, error) {
	word, err := named(args, "one by its number")
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number", word)
	}
	return n, nil
}

// find returns the one of a list that a command names.
func find[T any](args []string, what string, all []T, err error, is func(T, string) bool) (one T, _ error) {
	name, wrong := named(args, what)
	if err = cmp.Or(err, wrong); err != nil {
		return one, err
	}
	i := slices.IndexFunc(all, func(t T) bool { return is(t, name) })
	if i < 0 {
		return one, fmt.Errorf("there is no %s", name)
	}
	return all[i], nil
}

func asJSON(v any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// fields lays out pairs of a name and a value, without those that are empty.
func fields(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(&b, "%-12s %s\n", pairs[i], console.Printable(pairs[i+1]))
		}
	}
	return b.String()
}

func (f *far) listTools(ctx context.Context, _ []string) (string, error) {
	all, err := f.client.Tools(ctx, f.dirNow())
	var b strings.Builder
	for _, t := range all {
		first, _, _ := strings.Cut(t.Description, ".")
		fmt.Fprintf(&b, "%-26s %s\n", t.Name, console.Printable(first))
	}
	return b.String(), err
}

// listSettings shows what the files of the server's machine set.
func (f *far) listSettings(ctx context.Context, _ []string) (string, error) {
	all, err := f.client.Settings(ctx, f.dirNow())
	var b strings.Builder
	for _, v := range all.Values {
		value, _ := json.Marshal(v.Value) // it came as JSON
		fmt.Fprintf(&b, "%-24s %s   %s: %s\n", strings.Join(v.Names, "."), console.Printable(string(value)), v.Layer, console.Printable(v.Source))
	}
	return did(err, "%s", cmp.Or(b.String(), "no file sets anything: all is as by default\n"))
}

func (f *far) listAgents(ctx context.Context, _ []string) (string, error) {
	return asJSON(f.client.Agents(ctx, f.dirNow()))
}

func (f *far) showAgent(ctx context.Context, args []string) (string, error) {
	all, err := f.client.Agents(ctx, f.dirNow())
	a, err := find(args, "a kind of sub-agent", all, err, func(a api.Agent, name string) bool { return a.Name == name })
	if err != nil {
		return "", err
	}
	return fields("name", a.Name, "for", a.Description, "state", a.State, "why", a.Why, "from", cmp.Or(a.Source, "built in"), "tools", strings.Join(a.Tools, " "),
		"without", strings.Join(a.Without, " "), "mode", a.Mode, "model", a.Model) + "\n" + a.Prompt, nil
}

func (f *far) listSkills(ctx context.Context, _ []string) (string, error) {
	all, err := f.client.Skills(ctx, f.dirNow())
	return asJSON(all.Skills, err)
}

func (f *far) showSkill(ctx context.Context, args []string) (string, error) {
	all, err := f.client.Skills(ctx, f.dirNow())
	k, err := find(args, "a skill", all.Skills, err, func(k api.Skill, name string) bool { return k.Name == name })
	if err != nil {
		return "", err
	}
	return fields("name", k.Name, "for", k.About, "from", k.From, "directory", k.Dir, "arguments", k.Hint, "warnings", strings.Join(k.Warnings, "; ")) + "\n" + k.Text, nil
}

// listToolServers returns the servers of tools with the fields that rein mcp list has.
func (f *far) listToolServers(ctx context.Context, _ []string) (string, error) {
	all, err := f.client.ToolServers(ctx, f.dirNow())
	rows := []map[string]any{}
	for _, s := range all {
		rows = append(rows, map[string]any{"name": s.Name, "type": s.Kind, "command": s.Target, "disabled": s.Disabled, "state": s.State, "source": s.Source})
	}
	return asJSON(rows, err)
}

func (f *far) showToolServer(ctx context.Context, args []string) (string, error) {
	all, err := f.client.ToolServers(ctx, f.dirNow())
	s, err := find(args, "a tool server", all, err, func(s api.ToolServer, name string) bool { return s.Name == name })
	return did(err, "%s", shownToolServer(s))
}

func (f *far) tryToolServer(ctx context.Context, args []string) (string, error) {
	name, err := named(args, "a tool server")
	if err != nil {
		return "", err
	}
	s, err := f.client.TryToolServer(ctx, f.dirNow(), name)
	return did(err, "%s", shownToolServer(s))
}

func shownToolServer(s api.ToolServer) string {
	out := fields("name", s.Name, "type", s.Kind, "runs", s.Target, "state", s.State, "about", s.About, "from", s.Source, "log", s.Log)
	for _, t := range s.Tools {
		first, _, _ := strings.Cut(t.Description, ".")
		out += fields("  "+t.Name, first)
	}
	return out
}

// listHooks returns the hooks that the settings of the server's machine have.
func (f *far) listHooks(ctx context.Context, _ []string) (string, error) {
	all, err := f.client.Settings(ctx, f.dirNow())
	rows := []map[string]any{}
	for _, v := range all.Values {
		if v.Names[0] == "hooks" {
			value, _ := json.Marshal(v.Value) // it came as JSON
			rows = append(rows, map[string]any{"event": strings.Join(v.Names[1:], "."), "command": string(value), "source": v.Source})
		}
	}
	return asJSON(rows, err)
}
