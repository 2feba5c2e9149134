package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/catalogue"
)

// newAgents is the command rein agents.
func newAgents() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "Show the kinds of sub-agents to which a model can give tasks",
		Long: `Show the kinds of sub-agents to which a model can give tasks: those that are built in, and those of the files in
.rein/agents, .agents/agents and .claude/agents of the folder and of your home directory. Files of the folder count only while
you trust their content: see rein trust.`,
	}
	var options callFlags
	entries := entryCommands{Kind: catalogue.Agents, Row: agentRow, Local: func(cmd *cobra.Command) catalogue.Local {
		return catalogue.Local{Options: options.Harness(cmd, nil)}
	}}
	list := entries.List(&cobra.Command{Use: "list", Short: "List the kinds of sub-agents, also those that do not count"}, "as JSON")
	show := newAgentsShow(entries)
	for _, c := range []*cobra.Command{list, show} {
		c.Flags().StringVarP(&options.Dir, "cwd", "C", ".", "in this directory")
	}
	cmd.AddCommand(list, show, newCopies(&options))
	return cmd
}

// agentRow is a kind in the list. What is said of its use is cut short.
func agentRow(e catalogue.Entry) []string {
	about := fmt.Sprintf("%.80s", strings.Join(strings.Fields(e.About), " "))
	if state := e.Field("state"); state != "" {
		about = "(" + state + ") " + about
	}
	return []string{e.Name, e.Field("source"), about}
}

// newAgentsShow is the command that shows one kind.
func newAgentsShow(entries entryCommands) *cobra.Command {
	var asJSON bool
	cmd := entries.Do(&cobra.Command{Use: "show NAME", Short: "Show one kind of sub-agent: rights, limits and prompt"}, "show")
	asText := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !asJSON {
			return asText(cmd, args)
		}
		l := entries.Local(cmd)
		if _, err := l.Do(cmd.Context(), catalogue.Request{Kind: catalogue.Agents, Verb: "show", Name: args[0]}); err != nil {
			return err // there is none of this name
		}
		l.Options.Warn = nil // what is wrong with files is said once
		list, err := l.List(cmd.Context(), catalogue.Agents)
		if err != nil {
			return err
		}
		for _, e := range list.Named(args[0]) {
			if err := printJSON(cmd.OutOrStdout(), e.Value); err != nil {
				return err
			}
		}
		return nil
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}
