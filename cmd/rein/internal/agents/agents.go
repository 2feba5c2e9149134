// Package agents is the command that shows the kinds of sub-agents of a directory.
package agents

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/harness"
	"rein/harness/agents"
)

// New is the command rein agents.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "Show the kinds of sub-agents to which a model can give tasks",
		Long: `Show the kinds of sub-agents to which a model can give tasks: those that are built in, and those of the files in
.rein/agents, .agents/agents and .claude/agents of the folder and of your home directory. Files of the folder count only while
you trust their content: see rein trust.`,
	}
	var options cli.Options
	var asJSON bool
	load := func(cmd *cobra.Command) ([]agents.Agent, error) {
		h, err := harness.Open(cmd.Context(), options.Harness(cmd, nil))
		if err != nil {
			return nil, err
		}
		defer h.Close(cmd.Context())
		return h.Agents()
	}
	list := &cobra.Command{
		Use: "list", Short: "List the kinds of sub-agents, also those that do not count", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := load(cmd)
			switch {
			case err != nil:
				return err
			case asJSON:
				return cli.PrintLines(cmd, all)
			}
			return table(cmd.OutOrStdout(), all)
		},
	}
	show := showing(load, &asJSON)
	for _, c := range []*cobra.Command{list, show} {
		c.Flags().StringVarP(&options.Dir, "cwd", "C", ".", "in this directory")
		c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	}
	cmd.AddCommand(list, show, copies(&options))
	return cmd
}

// showing is the command that shows one kind.
func showing(load func(*cobra.Command) ([]agents.Agent, error), asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show one kind of sub-agent: rights, limits and prompt", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := load(cmd)
			if err != nil {
				return err
			}
			found := false
			for _, a := range all {
				if a.Name != args[0] {
					continue
				}
				found = true
				if *asJSON {
					err = cli.PrintJSON(cmd.OutOrStdout(), a)
				} else {
					err = one(cmd.OutOrStdout(), a)
				}
				if err != nil {
					return err
				}
			}
			if !found {
				return cli.Fail(cli.ExitInput, fmt.Errorf("there is no agent %q: rein agents list", args[0]))
			}
			return nil
		},
	}
}

// state says whether an agent counts, and why not.
func state(a agents.Agent) string {
	switch {
	case a.Problem != "":
		return "not usable: " + a.Problem
	case a.Untrusted:
		return "not trusted"
	case a.HiddenBy != "":
		return "hidden by " + a.HiddenBy
	}
	return ""
}

func source(a agents.Agent) string {
	if a.Source == "" {
		return "built in"
	}
	return a.Source
}

func table(out io.Writer, all []agents.Agent) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, a := range all {
		about := fmt.Sprintf("%.80s", strings.Join(strings.Fields(a.Description), " "))
		if s := state(a); s != "" {
			about = "(" + s + ") " + about
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", cli.Shown(a.Name), cli.Shown(source(a)), cli.Shown(about))
	}
	return w.Flush()
}

func one(out io.Writer, a agents.Agent) error {
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(out, "%-12s %s\n", name, cli.Shown(value))
		}
	}
	line("name", a.Name)
	line("source", source(a))
	line("state", state(a))
	line("when", a.Description)
	tools := "all of its parent"
	if a.Tools != nil {
		tools = strings.Join(a.Tools, ", ")
	}
	line("tools", tools)
	line("without", strings.Join(a.Without, ", "))
	line("only", strings.Join(a.Only, ", "))
	line("denied", strings.Join(a.Deny, ", "))
	line("asks", strings.Join(a.Ask, ", "))
	line("mode", a.Mode)
	line("model", a.Model)
	line("effort", a.Effort)
	line("isolation", a.Isolation)
	line("skills", strings.Join(a.Skills, ", "))
	if a.MaxTurns > 0 {
		line("max turns", fmt.Sprint(a.MaxTurns))
	}
	if a.Budget > 0 {
		line("budget", fmt.Sprintf("%d tokens", a.Budget))
	}
	if a.Background {
		line("background", "yes")
	}
	for _, note := range a.Notes {
		line("note", note)
	}
	_, err := fmt.Fprintf(out, "\n%s\n\n", cli.Shown(a.Prompt))
	return err
}
