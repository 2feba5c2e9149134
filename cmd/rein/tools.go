package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/guard"
)

func newTools() *cobra.Command {
	var o options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools that a model gets",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := wire(o, guard.Nobody{}, func(string) {})
			if err != nil {
				return err
			}
			defer w.close(cmd.Context())
			if asJSON {
				return w.toolsJSON(cmd)
			}
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
			for _, t := range w.runner.Tools.All() {
				first, _, _ := strings.Cut(t.Description, "\n")
				first, _, _ = strings.Cut(first, ". ")
				fmt.Fprintf(table, "%s\t%s\t%s\n", t.Name, t.Effect, strings.TrimSuffix(first, "."))
			}
			return table.Flush()
		},
	}
	o.add(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "with descriptions and schemas, as JSON")
	return cmd
}

// toolListing is a tool as `rein tools --json` prints it.
type toolListing struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Effect      string          `json:"effect"`
	Input       json.RawMessage `json:"input_schema"`
}

func (w *wired) toolsJSON(cmd *cobra.Command) error {
	var all []toolListing
	for _, t := range w.runner.Tools.All() {
		all = append(all, toolListing{t.Name, t.Description, t.Effect.String(), t.Input.Raw()})
	}
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(all)
}
