package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/catalogue"
	"rein/app/harness"
	"rein/kit/mcp"
)

// newMCP is the command rein mcp.
func newMCP() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Tool servers (MCP): use those of others, and offer rein's tools to other programs",
		Long: `Tool servers of the Model Context Protocol. Sessions use the servers of your settings, of the project's .mcp.json (after
rein trust) and of --mcp-config. A server's program runs in the sandbox; each call needs a rule or an approval.
With "rein mcp serve" other programs use rein's tools, under rein's rules.`,
	}
	e := toolServerCommands()
	cmd.AddCommand(newMCPAdd(), newMCPAddJSON(),
		e.List(&cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List the tool servers; none is started"}, "a JSON object in each line"),
		e.Do(&cobra.Command{Use: "get NAME", Short: "Show a tool server: what it may use, and its tools as they were pinned"}, "get"),
		e.Do(&cobra.Command{Use: "remove NAME", Aliases: []string{"rm"}, Short: "Remove a tool server from your settings"}, "remove"),
		e.Do(&cobra.Command{Use: "enable NAME", Short: "Switch a tool server on again"}, "enable"),
		e.Do(&cobra.Command{Use: "disable NAME", Short: "Switch a tool server off, and keep its entry"}, "disable"),
		e.Do(&cobra.Command{Use: "test NAME", Short: "Start or reach a tool server and list its tools"}, "test"),
		e.Do(&cobra.Command{Use: "logs NAME", Short: "Show what a tool server wrote to stderr and logged, when it was last used"}, "logs"),
		newMCPLogin(),
		e.Do(&cobra.Command{Use: "logout NAME", Short: "Forget the sign-in to a tool server"}, "logout"),
		newMCPImport(), newMCPServe(), newMCPProxy())
	return cmd
}

// toolServerCommands are the tool servers of the current directory.
func toolServerCommands() entryCommands {
	return entryCommands{Kind: catalogue.ToolServers,
		Local: func(cmd *cobra.Command) catalogue.Local {
			return catalogue.Local{Options: harness.Options{Version: programVersion(), Warn: warningsTo(cmd)}}
		},
		None: saysNone("There are no tool servers: see rein mcp add --help."),
		Row: func(e catalogue.Entry) []string {
			return []string{e.Name, e.Field("scope"), e.Field("type"), e.Field("state"), e.Field("runs")}
		},
	}
}

func newMCPLogin() *cobra.Command {
	return &cobra.Command{
		Use: "login NAME", Short: "Sign in to a tool server on the network, in your browser", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return toolServerCommands().Local(cmd).WithToolServers(cmd.Context(), func(_ *harness.Harness, servers *harness.ToolServers) error {
				if _, err := catalogue.FindToolServer(servers.Entries(), args[0]); err != nil {
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

// parsePairs reads texts of a name, a separator and a value.
func parsePairs(list []string, sep string) (map[string]string, error) {
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

// secretValues reports values that should be references: a file would have them in plain text.
func secretValues(e mcp.ServerEntry) (names []string) {
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
