package harness

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rein/app/extend"
	"rein/guard"
	"rein/kit/mcp"
)

// What the user takes from a server by hand: a prompt as the slash command /server:prompt, a resource as @server:uri.

// waitForUser is how long a command of the user waits for a server that was never used.
const waitForUser = 10 * time.Second

// Commands returns the prompts that are known as slash commands.
func (s *ToolServers) Commands() (all []extend.Command) {
	for _, server := range s.list {
		for _, p := range server.Offers().Prompts {
			all = append(all, s.command(server, p))
		}
	}
	return all
}

// Learn asks a server for its prompts before the user's command of that name is looked up, when nothing is known of it.
func (s *ToolServers) Learn(ctx context.Context, command string) {
	name, _, ok := strings.Cut(command, ":")
	server := s.Server(name)
	if !ok || server == nil || !server.Offers().Empty() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, waitForUser)
	defer cancel()
	_, _ = server.List(ctx) // the error is logged, and there is no such command then
}

func (s *ToolServers) command(server *mcp.Server, p mcp.Prompt) extend.Command {
	c := extend.Command{Name: withoutBlanks(server.Name()) + ":" + withoutBlanks(p.Name), About: cmp.Or(p.About, p.Name), From: "tool server"}
	var hints []string
	for _, a := range p.Arguments {
		c.Names = append(c.Names, a.Name)
		hint := a.Name
		if !a.Required {
			hint = "[" + hint + "]"
		}
		hints = append(hints, hint)
	}
	c.Hint = strings.Join(hints, " ")
	c.Expand = func(ctx context.Context, args string, run extend.CommandRunner) (string, error) {
		given, err := promptArguments(p, args)
		if err != nil {
			return "", err
		}
		return run(ctx, resourcesName, resourceArgs{Server: server.Name(), Prompt: p.Name, Arguments: given})
	}
	return c
}

// withoutBlanks is a name of a server without blanks: a command ends at the first one.
func withoutBlanks(name string) string { return strings.Join(strings.Fields(name), "_") }

// promptArguments returns the words of a command to the arguments of a prompt: NAME=value by name, others by position. The last one
// takes all that is left.
func promptArguments(p mcp.Prompt, line string) (map[string]string, error) {
	given := map[string]string{}
	var rest []string
	for _, w := range extend.SplitArguments(line) {
		name, value, ok := strings.Cut(w, "=")
		if ok && slices.ContainsFunc(p.Arguments, func(a mcp.Argument) bool { return a.Name == name }) {
			given[name] = value
			continue
		}
		rest = append(rest, w)
	}
	open := slices.DeleteFunc(slices.Clone(p.Arguments), func(a mcp.Argument) bool { _, ok := given[a.Name]; return ok })
	for i, a := range open {
		switch {
		case len(rest) == 0:
		case i == len(open)-1:
			given[a.Name], rest = strings.Join(rest, " "), nil
		default:
			given[a.Name], rest = rest[0], rest[1:]
		}
		if a.Required && given[a.Name] == "" {
			return nil, fmt.Errorf("the argument %s is missing", a.Name)
		}
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("the prompt takes no arguments; it got %q", strings.Join(rest, " "))
	}
	return given, nil
}

// mostMentions bounds the resources of one message.
const mostMentions = 20

// Mention is a resource that a message names.
type Mention struct {
	Text string // as it is written, with the @
	Args any    // of the tool resourcesName that reads it
}

// Mentions returns the resources that a message of the user names, each once. Words with an unknown server are no mentions. What
// ends a sentence is no part of a URI, unless a resource is known with it.
func (s *ToolServers) Mentions(message string) (all []Mention) {
	seen := map[string]bool{}
	for _, w := range strings.Fields(message) {
		name, ok := strings.CutPrefix(strings.TrimLeft(w, `("'`), "@")
		name, uri, colon := strings.Cut(name, ":")
		i := slices.IndexFunc(s.list, func(server *mcp.Server) bool { return withoutBlanks(server.Name()) == name })
		if !ok || !colon || i < 0 {
			continue
		}
		if !slices.ContainsFunc(s.list[i].Offers().Resources, func(r mcp.Resource) bool { return r.URI == uri }) {
			uri = strings.TrimRight(uri, `.,;:!?)"'`)
		}
		text := "@" + name + ":" + uri
		if uri == "" || seen[text] || len(all) == mostMentions {
			continue
		}
		seen[text] = true
		all = append(all, Mention{text, resourceArgs{Server: s.list[i].Name(), URI: uri}})
	}
	return all
}

// Names returns what the user may mention, without the @: the resources that are known. A nil ToolServers has none.
func (s *ToolServers) Names() (all []string) {
	if s == nil {
		return nil
	}
	for _, server := range s.list {
		for _, r := range server.Offers().Resources {
			if !strings.ContainsAny(r.URI, " \t\n\"'") {
				all = append(all, withoutBlanks(server.Name())+":"+r.URI)
			}
		}
	}
	return all
}

// Approve approves what the user asks of a server by hand: see slash.ByUser. It answers nothing that only a person may answer.
func (s *ToolServers) Approve(_ context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	if c.Call.Name == resourcesName && extend.IsCallByUser(c.Call.ID) && v.Decision == guard.Ask && !v.PersonOnly {
		return guard.Answer{Choice: guard.Approved, By: guard.ByPolicy("the user's own command")}, nil
	}
	return guard.Answer{Choice: guard.Abstain}, nil
}
