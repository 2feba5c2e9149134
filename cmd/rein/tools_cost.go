package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/app/harness"
)

// newToolsCost is the command rein tools cost.
func newToolsCost() *cobra.Command {
	var o callFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cost",
		Short: "Show what the definition of each tool and tool server takes in each request, in tokens",
		Long: `Show what the definitions of tools take in each request to a model, estimated in tokens, the largest first. Those that a
model sees only when it searches for them have a star. For tool servers it counts the tools that are known: none is started.
A server's tools are also searched where they are many: see toolSearch in docs/settings.md.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := harness.Open(cmd.Context(), o.Harness(cmd, nil))
			if err != nil {
				return err
			}
			costs, err := toolCosts(h)
			if err = errors.Join(err, h.Close(cmd.Context())); err != nil {
				return err
			}
			sort.SliceStable(costs, func(i, j int) bool { return costs[i].Tokens > costs[j].Tokens })
			if asJSON {
				return printJSONLines(cmd, costs)
			}
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', tabwriter.AlignRight)
			sums, total, searched := map[string]int{}, 0, 0
			for _, c := range costs {
				star := ""
				if c.Deferred {
					star = " *"
					searched += c.Tokens
				} else {
					total += c.Tokens
				}
				fmt.Fprintf(table, "%d\t  %s%s\n", c.Tokens, c.Name, star)
				if c.Server != "" {
					sums[c.Server] += c.Tokens
				}
			}
			for _, name := range slices.Sorted(maps.Keys(sums)) {
				fmt.Fprintf(table, "%d\t  all tools of the server %s\n", sums[name], name)
			}
			fmt.Fprintf(table, "%d\t  all tools in each request\n%d\t  * tools that are found by a search\n", total, searched)
			return table.Flush()
		},
	}
	o.Add(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "a JSON object in each line")
	return cmd
}

// toolCost is what one tool takes in each request.
type toolCost struct {
	Name   string `json:"name"`
	Server string `json:"server,omitempty"` // the tool server that it is from; "": rein's own
	Tokens int    `json:"tokens"`           // estimated

	Deferred bool `json:"deferred,omitempty"` // a model sees it only when it searched for it
}

// toolCosts returns what the tools of a new session take, and those of tool servers that are known.
func toolCosts(h *harness.Harness) (costs []toolCost, err error) {
	own, err := h.Tools()
	if err != nil {
		return nil, err
	}
	for _, t := range own.All() {
		costs = append(costs, toolCost{Name: t.Name, Tokens: t.Tokens(), Deferred: own.Deferred(t.Name)})
	}
	servers, err := h.ToolServers()
	if err != nil {
		return nil, err
	}
	for _, server := range servers.List() {
		for _, t := range server.Tools() {
			costs = append(costs, toolCost{Name: t.Name, Server: server.Name(), Tokens: t.Tokens()})
		}
	}
	return costs, servers.Close()
}
