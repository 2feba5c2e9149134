// Package mcp is the commands about tool servers (MCP): which there are, and rein as a server of its own tools.
package mcp

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/harness"
	"rein/harness/settings"
	"rein/harness/toolservers"
	"rein/kit/mcp"
)

// New is the command rein mcp.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Tool servers (MCP): use those of others, and offer rein's tools to other programs",
		Long: `Tool servers of the Model Context Protocol. Sessions use the servers of your settings, of the project's .mcp.json (after
rein trust) and of --mcp-config. A server's program runs in the sandbox; each call needs a rule or an approval.
With "rein mcp serve" other programs use rein's tools, under rein's rules.`,
	}
	cmd.AddCommand(newAdd(), newAddJSON(), newList(), newGet(), newRemove(), newEnable(true), newEnable(false), newTest(), newLogs(),
		newLogin(), newLogout(), newImport(), newServe(), newProxy())
	return cmd
}

// withServers runs do with the tool servers of the current directory, of which none is started before do uses it.
func withServers(cmd *cobra.Command, do func(*harness.Harness, *toolservers.Servers) error) error {
	h, err := harness.Open(cmd.Context(), harness.Options{Version: cli.Version(), Warn: cli.Warn(cmd)})
	if err != nil {
		return err
	}
	servers, err := h.ToolServers()
	if err == nil {
		err = errors.Join(do(h, servers), servers.Close())
	}
	return errors.Join(err, h.Close(cmd.Context()))
}

// find returns the entry of that name.
func find(entries []mcp.ServerEntry, name string) (mcp.ServerEntry, error) {
	var names []string
	for _, e := range entries {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	if len(names) == 0 {
		return mcp.ServerEntry{}, cli.Fail(cli.ExitInput, errors.New("there are no tool servers here: see rein mcp add"))
	}
	return mcp.ServerEntry{}, cli.Fail(cli.ExitInput, fmt.Errorf("there is no tool server %q; there are: %s", name, strings.Join(names, ", ")))
}

// userFile is the user's settings file.
func userFile() string { return filepath.Join(settings.DefaultDirs().Config, "settings.json") }

func newList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the tool servers; none is started", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withServers(cmd, func(_ *harness.Harness, servers *toolservers.Servers) error {
				type row struct {
					Name   string    `json:"name"`
					Scope  mcp.Scope `json:"scope"`
					Source string    `json:"source"`
					Tools  int       `json:"tools"`
					mcp.ServerEntry
				}
				var rows []row
				for _, e := range servers.Entries() {
					r := row{Name: e.Name, Scope: e.Scope, Source: e.Source, ServerEntry: e.Shown()}
					if s := servers.Server(e.Name); s != nil {
						r.Tools = len(s.Tools())
					}
					rows = append(rows, r)
				}
				if asJSON {
					return cli.PrintLines(cmd, rows)
				}
				if len(rows) == 0 {
					fmt.Fprintln(cmd.ErrOrStderr(), "There are no tool servers: see rein mcp add --help.")
				}
				table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
				for _, r := range rows {
					state := fmt.Sprintf("tools known: %d", r.Tools)
					if r.Tools == 0 {
						state = "never used"
					}
					if r.Disabled {
						state = "disabled"
					}
					fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", r.Name, r.Scope, r.Kind(), state, target(r.ServerEntry))
				}
				return table.Flush()
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "a JSON object in each line")
	return cmd
}

// target is what an entry starts or reaches, in a line.
func target(e mcp.ServerEntry) string {
	if e.URL != "" {
		return e.URL
	}
	return strings.Join(append([]string{e.Command}, e.Args...), " ")
}

func newGet() *cobra.Command {
	return &cobra.Command{
		Use: "get NAME", Short: "Show a tool server: what it may use, and its tools as they were pinned", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(cmd, func(h *harness.Harness, servers *toolservers.Servers) error {
				e, err := find(servers.Entries(), args[0])
				if err != nil {
					return err
				}
				out := cmd.OutOrStdout()
				fmt.Fprintf(out, "%s (%s, from %s)\n", e.Name, e.Scope, e.Source)
				if err := cli.PrintJSON(out, e.Shown()); err != nil {
					return err
				}
				for _, line := range permissions(e, h.Root()) {
					fmt.Fprintln(out, line)
				}
				server := servers.Server(e.Name)
				if server == nil {
					_, err := fmt.Fprintln(out, "disabled")
					return err
				}
				for _, t := range server.Tools() {
					first, _, _ := strings.Cut(t.Description, "\n")
					fmt.Fprintf(out, "%s: %s\n", t.Name, first)
					if q, _ := server.Question(t.Name); q != "" {
						fmt.Fprintf(out, "  needs your approval before a call: %s\n", strings.ReplaceAll(q, "\n", "\n    "))
					}
				}
				return nil
			})
		},
	}
}

// permissions says what the server may use, in words.
func permissions(e mcp.ServerEntry, root string) []string {
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

func newTest() *cobra.Command {
	return &cobra.Command{
		Use: "test NAME", Short: "Start or reach a tool server and list its tools", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(cmd, func(_ *harness.Harness, servers *toolservers.Servers) error {
				if _, err := find(servers.Entries(), args[0]); err != nil {
					return err
				}
				server := servers.Server(args[0])
				if server == nil {
					return cli.Fail(cli.ExitInput, errors.New("it is disabled: see rein mcp enable"))
				}
				if err := server.Connect(cmd.Context()); err != nil {
					if log := server.Stderr(); log != "" {
						fmt.Fprint(cmd.ErrOrStderr(), log)
					}
					return err
				}
				out := cmd.OutOrStdout()
				fmt.Fprintf(out, "%s answers: %s\n", args[0], server.About())
				for _, t := range server.Tools() {
					first, _, _ := strings.Cut(t.Description, "\n")
					fmt.Fprintf(out, "%s: %s\n", t.Name, first)
				}
				return nil
			})
		},
	}
}

func newLogs() *cobra.Command {
	return &cobra.Command{
		Use: "logs NAME", Short: "Show what a tool server wrote to stderr and logged, when it was last used", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(cmd, func(h *harness.Harness, servers *toolservers.Servers) error {
				if _, err := find(servers.Entries(), args[0]); err != nil {
					return err
				}
				if server := servers.Server(args[0]); server != nil {
					fmt.Fprint(cmd.OutOrStdout(), h.Mask().String(server.Kept()))
				}
				return nil
			})
		},
	}
}

func newLogin() *cobra.Command {
	return &cobra.Command{
		Use: "login NAME", Short: "Sign in to a tool server on the network, in your browser", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(cmd, func(_ *harness.Harness, servers *toolservers.Servers) error {
				if _, err := find(servers.Entries(), args[0]); err != nil {
					return err
				}
				err := servers.Login(cmd.Context(), args[0], func(address string) {
					fmt.Fprintf(cmd.ErrOrStderr(), "Open this address in your browser, on this machine:\n%s\n", address)
				})
				if err == nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "You are signed in to %s.\n", args[0])
				}
				return err
			})
		},
	}
}

func newLogout() *cobra.Command {
	return &cobra.Command{
		Use: "logout NAME", Short: "Forget the sign-in to a tool server", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(cmd, func(_ *harness.Harness, servers *toolservers.Servers) error {
				was, err := servers.Logout(args[0])
				if err == nil && !was {
					err = cli.Fail(cli.ExitInput, fmt.Errorf("you are not signed in to %s", args[0]))
				}
				return err
			})
		},
	}
}

func newRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Aliases: []string{"rm"}, Short: "Remove a tool server from your settings", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			was, err := settings.Put(userFile(), nil, "mcpServers", args[0])
			if err == nil && !was {
				err = cli.Fail(cli.ExitInput, fmt.Errorf("%s has no tool server %q", userFile(), args[0]))
			}
			return err
		},
	}
}

func newEnable(on bool) *cobra.Command {
	name, short := "disable", "Switch a tool server off, and keep its entry"
	if on {
		name, short = "enable", "Switch a tool server on again"
	}
	return &cobra.Command{
		Use: name + " NAME", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(cmd, func(_ *harness.Harness, servers *toolservers.Servers) error {
				e, err := find(servers.Entries(), args[0])
				if err != nil {
					return err
				}
				if e.Scope != mcp.UserScope || e.Source != userFile() {
					return cli.Fail(cli.ExitInput, fmt.Errorf("the entry is in %s, not in your settings: change it there", e.Source))
				}
				var value any
				if !on {
					value = true
				}
				_, err = settings.Put(userFile(), value, "mcpServers", e.Name, "disabled")
				return err
			})
		},
	}
}

// pairs reads texts of a name, a separator and a value.
func pairs(list []string, sep string) (map[string]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	table := map[string]string{}
	for _, one := range list {
		name, value, ok := strings.Cut(one, sep)
		if !ok || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("%q: expected NAME%sVALUE", one, sep)
		}
		table[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return table, nil
}

// looksSecret reports values that should be references: a file would have them in plain text.
func looksSecret(e mcp.ServerEntry) (names []string) {
	for _, m := range []map[string]string{e.Env, e.Headers} {
		for name, value := range m {
			upper := strings.ToUpper(name)
			if !strings.Contains(value, "${") && value != "" && slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD", "AUTHORIZATION"}, func(w string) bool { return strings.Contains(upper, w) }) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
