package catalogue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"rein/app/harness"
	"rein/app/settings"
	"rein/kit/mcp"
)

// toolServerRow is a tool server as "rein mcp list --json" prints it.
type toolServerRow struct {
	Name   string    `json:"name"`
	Scope  mcp.Scope `json:"scope"`
	Source string    `json:"source"`
	Tools  int       `json:"tools"`
	mcp.ServerEntry
}

// WithToolServers runs do with the tool servers of the directory, of which none is started before do uses it.
func (l Local) WithToolServers(ctx context.Context, do func(*harness.Harness, *harness.ToolServers) error) error {
	return l.with(ctx, func(h *harness.Harness) error {
		servers, err := h.ToolServers()
		if err != nil {
			return err
		}
		return errors.Join(do(h, servers), servers.Close())
	})
}

func (l Local) listToolServers(ctx context.Context) (list List, err error) {
	err = l.WithToolServers(ctx, func(_ *harness.Harness, servers *harness.ToolServers) error {
		for _, e := range servers.Entries() {
			r := toolServerRow{Name: e.Name, Scope: e.Scope, Source: e.Source, ServerEntry: e.Shown()}
			if s := servers.Server(e.Name); s != nil {
				r.Tools = len(s.Tools())
			}
			list.Entries = append(list.Entries, toolServerEntry(r))
		}
		return nil
	})
	return list, err
}

func toolServerEntry(r toolServerRow) Entry {
	state, about := fmt.Sprintf("tools known: %d", r.Tools), r.Kind()+"   "+Target(r.ServerEntry)
	switch {
	case r.Disabled:
		state, about = "disabled", about+"   disabled"
	case r.Tools == 0:
		state = "never used"
	}
	return Entry{ID: r.Name, Name: r.Name, About: about, Value: r,
		Fields: Fields("name", r.Name, "scope", string(r.Scope), "type", r.Kind(), "state", state, "runs", Target(r.ServerEntry), "source", r.Source)}
}

// Target is what an entry of a tool server starts or reaches, in a line.
func Target(e mcp.ServerEntry) string {
	if e.URL != "" {
		return e.URL
	}
	return strings.Join(append([]string{e.Command}, e.Args...), " ")
}

// FindToolServer returns the entry of that name.
func FindToolServer(entries []mcp.ServerEntry, name string) (mcp.ServerEntry, error) {
	var names []string
	for _, e := range entries {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	if len(names) == 0 {
		return mcp.ServerEntry{}, inputError("there are no tool servers here: see rein mcp add")
	}
	return mcp.ServerEntry{}, inputError("there is no tool server %q; there are: %s", name, strings.Join(names, ", "))
}

func (l Local) doToolServer(ctx context.Context, r Request) (text string, err error) {
	if r.Verb == "remove" {
		return "", removeToolServer(r.Name)
	}
	err = l.WithToolServers(ctx, func(h *harness.Harness, servers *harness.ToolServers) error {
		e, err := FindToolServer(servers.Entries(), r.Name)
		if err != nil {
			return err
		}
		switch r.Verb {
		case "get":
			text, err = showToolServer(servers, e, h.Root())
		case "test":
			text, err = testToolServer(ctx, servers, e.Name)
		case "logs":
			if server := servers.Server(e.Name); server != nil {
				text = h.Mask().String(server.Kept())
			}
		case "logout":
			var was bool
			if was, err = servers.Logout(e.Name); err == nil && !was {
				err = inputError("you are not signed in to %s", e.Name)
			}
		default:
			err = switchToolServer(e, r.Verb == "enable")
		}
		return err
	})
	return text, err
}

func showToolServer(servers *harness.ToolServers, e mcp.ServerEntry, root string) (string, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s (%s, from %s)\n", e.Name, e.Scope, e.Source)
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(e.Shown()); err != nil {
		return "", err
	}
	for _, line := range Permissions(e, root) {
		fmt.Fprintln(&out, line)
	}
	server := servers.Server(e.Name)
	if server == nil {
		return out.String() + "disabled\n", nil
	}
	for _, t := range server.Tools() {
		first, _, _ := strings.Cut(t.Description, "\n")
		fmt.Fprintf(&out, "%s: %s\n", t.Name, first)
		if q, _ := server.Question(t.Name); q != "" {
			fmt.Fprintf(&out, "  needs your approval before a call: %s\n", strings.ReplaceAll(q, "\n", "\n    "))
		}
	}
	return out.String(), nil
}

// Permissions says what a tool server may use, in words.
func Permissions(e mcp.ServerEntry, root string) []string {
	if e.Kind() != "stdio" {
		return []string{"rein connects to the host and port of its address, and to no other; redirects too"}
	}
	if e.Sandbox == "off" {
		return []string{"the program runs without a sandbox: it may do all that you may"}
	}
	hosts := "no network"
	if len(e.Network) > 0 {
		hosts = "the hosts " + strings.Join(e.Network, ", ")
	}
	return []string{
		"the program runs in the sandbox with " + hosts,
		"it may write: " + strings.Join(append([]string{root}, e.Write...), ", "),
		"it may read beside that: " + strings.Join(append([]string{"what the system offers"}, e.Read...), ", "),
	}
}

// testToolServer connects a server and lists its tools. Beside an error it returns what the server logged.
func testToolServer(ctx context.Context, servers *harness.ToolServers, name string) (string, error) {
	server := servers.Server(name)
	if server == nil {
		return "", inputError("it is disabled: see rein mcp enable")
	}
	if err := server.Connect(ctx); err != nil {
		return server.Stderr(), err
	}
	out := fmt.Sprintf("%s answers: %s\n", name, server.About())
	for _, t := range server.Tools() {
		first, _, _ := strings.Cut(t.Description, "\n")
		out += fmt.Sprintf("%s: %s\n", t.Name, first)
	}
	return out, nil
}

// UserFile is the user's settings file.
func UserFile() string { return filepath.Join(settings.DefaultDirs().Config, "settings.json") }

func removeToolServer(name string) error {
	was, err := settings.Put(UserFile(), nil, "mcpServers", name)
	if err == nil && !was {
		err = inputError("%s has no tool server %q", UserFile(), name)
	}
	return err
}

// switchToolServer switches a server on or off, and keeps its entry.
func switchToolServer(e mcp.ServerEntry, on bool) error {
	if e.Scope != mcp.UserScope || e.Source != UserFile() {
		return inputError("the entry is in %s, not in your settings: change it there", e.Source)
	}
	var value any
	if !on {
		value = true
	}
	_, err := settings.Put(UserFile(), value, "mcpServers", e.Name, "disabled")
	return err
}
