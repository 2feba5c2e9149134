package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rein/app/catalogue"
	"rein/app/settings"
	"rein/kit/mcp"
)

func newMCPAdd() *cobra.Command {
	var e mcp.ServerEntry
	scope := "user"
	var given entryFlags
	cmd := &cobra.Command{
		Use:   "add NAME URL | add NAME [flags] -- COMMAND [ARG…]",
		Short: "Add a tool server to your settings, or to the project's .mcp.json",
		Long: `Add a tool server. A program runs in the sandbox: without --network it reaches no host, and it writes only the
workspace and its own caches. Values of keys are better references: -e 'TOKEN=${TOKEN}' is read from your environment
when the server starts, and is never stored or shown.`,
		Example: `  rein mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  rein mcp add docs https://mcp.example.com/mcp --header 'Authorization: Bearer ${DOCS_TOKEN}'
  rein mcp add npm --network registry.npmjs.org -- npx -y some-server`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			e.Name = args[0]
			if cmd.ArgsLenAtDash() != 1 && len(args) == 2 && (strings.HasPrefix(args[1], "https://") || strings.HasPrefix(args[1], "http://")) {
				e.URL = args[1]
			} else {
				e.Command, e.Args = args[1], args[2:]
			}
			if err := given.set(&e); err != nil {
				return withExitCode(exitUsage, err)
			}
			return saveServer(cmd, e, scope)
		},
	}
	f := cmd.Flags()
	f.VarP(choiceFlag(&e.Type, "stdio", "http", "streamable-http", "sse"), "transport", "t", "stdio, http or sse (default: by what follows)")
	given.add(f, &e)
	f.Var(choiceFlag(&e.Start, "lazy", "eager", "required"), "start", "lazy, eager or required (default lazy)")
	f.VarP(choiceFlag(&scope, "user", "project"), "scope", "s", "user: your settings; project: .mcp.json here")
	return cmd
}

// entryFlags are flags with what an entry gives its server.
type entryFlags struct{ env, headers []string }

func (g *entryFlags) add(f *pflag.FlagSet, e *mcp.ServerEntry) {
	f.StringArrayVarP(&g.env, "env", "e", nil, "NAME=VALUE for the program (repeat)")
	f.StringArrayVarP(&g.headers, "header", "H", nil, "'Name: value' for each request (repeat)")
	f.StringSliceVar(&e.Network, "network", nil, "a host that the program may contact (repeat)")
	f.StringSliceVar(&e.Write, "write", nil, "a directory that the program may write (repeat)")
	f.StringSliceVar(&e.Read, "read", nil, "a place that the program may read (repeat)")
}

// set puts what needs reading into the entry.
func (g *entryFlags) set(e *mcp.ServerEntry) (err error) {
	if e.Env, err = parsePairs(g.env, "="); err == nil {
		e.Headers, err = parsePairs(g.headers, ":")
	}
	return err
}

func newMCPAddJSON() *cobra.Command {
	scope := "user"
	cmd := &cobra.Command{
		Use: "add-json NAME JSON", Short: "Add a tool server as an object, as in .mcp.json", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := mcp.ParseServerEntry(args[0], []byte(args[1]))
			if err != nil {
				return withExitCode(exitUsage, err)
			}
			return saveServer(cmd, e, scope)
		},
	}
	cmd.Flags().VarP(choiceFlag(&scope, "user", "project"), "scope", "s", "user: your settings; project: .mcp.json here")
	return cmd
}

// saveServer checks the entry, writes it, and says what the server may use.
func saveServer(cmd *cobra.Command, e mcp.ServerEntry, scope string) error {
	file := catalogue.UserFile()
	e.Scope = mcp.Scope(scope)
	switch e.Scope {
	case mcp.UserScope:
	case mcp.ProjectScope:
		file = mcp.ProjectFile
	default:
		return withExitCode(exitUsage, fmt.Errorf("no such scope: %q (expected user or project)", scope))
	}
	if err := e.Check(); err != nil {
		return withExitCode(exitUsage, err)
	}
	was, err := settings.Put(file, e, "mcpServers", e.Name)
	if err != nil {
		return err
	}
	what := "added to"
	if was {
		what = "replaced in"
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	errs := cmd.ErrOrStderr()
	fmt.Fprintf(errs, "%s is %s %s.\n", e.Name, what, file)
	for _, line := range catalogue.Permissions(e, root) {
		fmt.Fprintln(errs, line)
	}
	for _, name := range secretValues(e) {
		fmt.Fprintf(errs, "rein: warning: the value of %s is in the file as it is; ${%s} would read it from your environment\n", name, strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
	}
	if e.Scope == mcp.ProjectScope {
		fmt.Fprintln(errs, "Sessions use it after: rein trust --yes")
	}
	return nil
}

func newMCPImport() *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "import [PROGRAM | FILE]…",
		Short: "Import the tool servers of Claude Code, Codex, Gemini CLI, VS Code, Cursor, opencode, crush or Zed",
		Long: `Import tool servers from the files of other programs: claude, codex, gemini, vscode, cursor, opencode, crush, zed, or a
file. Without arguments, show what there is. What a file says about skipping approvals is not imported, and an entry that
would run a command for a value is imported as disabled. Entries that you have already stay as they are.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			root, err := os.Getwd()
			if err != nil {
				return err
			}
			found, err := chosenConfigs(args, settings.HomeDir(), root)
			if err != nil {
				return withExitCode(exitInput, err)
			}
			n := 0
			for _, f := range found {
				text, err := settings.ReadFile(f.Path)
				if errors.Is(err, os.ErrNotExist) {
					continue
				}
				if err != nil {
					return err
				}
				if err := takeServers(cmd, f, text, root, dry || len(args) == 0, &n); err != nil {
					return err
				}
			}
			if n == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "No tool servers were found.")
			} else if len(args) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "To import them, name the programs: rein mcp import claude codex …")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be imported")
	return cmd
}

// chosenConfigs are the files that the arguments mean.
func chosenConfigs(args []string, home, root string) (found []mcp.FoundConfig, err error) {
	all := mcp.ConfigFiles(home, root)
	if len(args) == 0 {
		return all, nil
	}
	for _, a := range args {
		before := len(found)
		for _, f := range all {
			if f.Program == a {
				found = append(found, f)
			}
		}
		if len(found) > before {
			continue
		}
		if _, err := os.Stat(a); err != nil {
			return nil, err
		}
		f := mcp.FoundConfig{Program: "other", Path: a}
		for _, known := range all {
			if filepath.Base(known.Path) == filepath.Base(a) && (filepath.Base(a) != "settings.json" && filepath.Base(a) != "mcp.json" || filepath.Base(filepath.Dir(known.Path)) == filepath.Base(filepath.Dir(a))) {
				f.Program = known.Program
			}
		}
		found = append(found, f)
	}
	return found, nil
}

// takeServers takes the servers of one file over, or shows them.
func takeServers(cmd *cobra.Command, f mcp.FoundConfig, text []byte, root string, dry bool, n *int) error {
	entries, warnings, err := mcp.ImportServers(f.Program, f.Path, text, root)
	if err != nil {
		return err
	}
	for _, line := range warnings {
		warningsTo(cmd)(f.Path + ": " + line)
	}
	have, err := serverNames(catalogue.UserFile())
	if err != nil {
		return err
	}
	for _, e := range entries {
		*n++
		state := ""
		switch {
		case slices.Contains(have, e.Name):
			state = " (you have one of this name already)"
		case dry:
		default:
			if _, err := settings.Put(catalogue.UserFile(), e, "mcpServers", e.Name); err != nil {
				return err
			}
			state = " (imported)"
		}
		if e.Disabled {
			state += " (disabled)"
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\t%s%s\n", f.Path, e.Name, catalogue.Target(e), state)
	}
	return nil
}

// serverNames are the servers of a settings file.
func serverNames(file string) (names []string, err error) {
	layer := settings.Layer{Name: "user", Path: file}
	text, err := settings.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		_, err = layer.Parse(text)
	}
	if err != nil || len(layer.MCPServers) == 0 {
		return nil, err
	}
	var servers map[string]json.RawMessage
	err = json.Unmarshal(layer.MCPServers, &servers)
	for name := range servers {
		names = append(names, name)
	}
	return names, err
}
