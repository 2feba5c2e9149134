package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/app/harness"
	"rein/tool"
)

func newTools() *cobra.Command {
	var o callFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools that a model gets; those with a star only when it searches for them",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := harness.Open(cmd.Context(), o.Harness(cmd, nil))
			if err != nil {
				return err
			}
			defer h.Close(cmd.Context())
			tools, err := h.Tools()
			if err != nil {
				return err
			}
			if asJSON {
				return toolsJSON(cmd, tools)
			}
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
			for _, t := range tools.All() {
				first, _, _ := strings.Cut(t.Description, "\n")
				first, _, _ = strings.Cut(first, ". ")
				name := t.Name
				if tools.Deferred(name) {
					name += " *"
				}
				fmt.Fprintf(table, "%s\t%s\t%s\n", name, t.Effect, strings.TrimSuffix(first, "."))
			}
			for _, line := range doctorMissing() {
				fmt.Fprintln(cmd.ErrOrStderr(), line)
			}
			return table.Flush()
		},
	}
	o.Add(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "with descriptions and schemas, as JSON")
	cmd.AddCommand(newToolsCost())
	return cmd
}

// toolListing is a tool as `rein tools --json` prints it.
type toolListing struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Effect      string          `json:"effect"`
	Deferred    bool            `json:"deferred,omitempty"` // a model sees it only when it searched for it
	Input       json.RawMessage `json:"input_schema"`
}

func toolsJSON(cmd *cobra.Command, tools tool.Set) error {
	var all []toolListing
	for _, t := range tools.All() {
		all = append(all, toolListing{t.Name, t.Description, t.Effect.String(), tools.Deferred(t.Name), t.Input.Raw()})
	}
	enc := json.NewEncoder(newJSONWriter(cmd.OutOrStdout()))
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(all)
}
