package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/sessions"
	"rein/app/stats"
)

// newStats returns the command "stats".
func newStats() *cobra.Command {
	var dir string
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count requests, calls, approvals and reviews of recorded sessions",
		Long: `Count what the recorded sessions of this directory did: requests and tokens, calls, who approved and denied
them, what hooks did, and how often the reviewer of the mode auto was overruled. Overruled means that the
reviewer left a call to you and you approved it; undone means that the reviewer approved it and you undid it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter := sessions.Filter{SubAgents: true}
			if !all {
				real, err := realDir(dir)
				if err != nil {
					return err
				}
				filter.Dir = real
			}
			store := openStore(cmd)
			defer store.Close()
			list, _, err := store.List(cmd.Context(), filter)
			if err != nil {
				return err
			}
			var c stats.Counter
			for _, s := range list {
				c.Begin()
				for e, err := range store.Events(s.ID, 0) {
					if err != nil {
						warningsTo(cmd)(fmt.Sprintf("session %s: %v", s.ID, err))
						break
					}
					c.See(e)
				}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), c.Stats)
			}
			return showStats(cmd.OutOrStdout(), c.Stats)
		},
	}
	cmd.Flags().StringVarP(&dir, "cwd", "C", ".", "sessions of this directory")
	cmd.Flags().BoolVar(&all, "all", false, "sessions of all directories")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func showStats(out io.Writer, s stats.Stats) error {
	fmt.Fprintf(out, "sessions   %d (those of sub-agents too); messages: %d\n", s.Sessions, s.Messages)
	fmt.Fprintf(out, "requests   %d, %d tokens in, %d out", s.Requests, s.Usage.Input, s.Usage.Output)
	if s.Usage.Cost > 0 {
		fmt.Fprintf(out, ", $%.2f", s.Usage.Cost)
	}
	if s.Usage.Input > 0 {
		fmt.Fprintf(out, "\ncache      %d %% of the input was read from it; missed: %s", 100*s.Usage.CacheRead/s.Usage.Input, listCounts(s.Missed))
	}
	fmt.Fprintf(out, "\ncalls      %s; %d failed, %d of them denied by the guard\n", listCounts(s.Calls), s.Failed, s.Denied)
	fmt.Fprintf(out, "approvals  requested: %d; approved: %s; denied: %s\n", s.Asked, listCounts(s.Approvals), listCounts(s.Refusals))
	fmt.Fprintf(out, "hooks      %s\n", listCounts(s.Hooks))
	r := s.Review
	_, err := fmt.Fprintf(out, "reviewer   approved %d (%d undone), left %d to you (%d overruled), unavailable %d; %d tokens\n",
		r.Approved, r.Undone, r.Left, r.Overruled, r.Unavailable, r.Usage.Input+r.Usage.Output)
	return err
}

// listCounts lists what was counted, the most first.
func listCounts(all map[string]int) string {
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		if all[a] != all[b] {
			return all[b] - all[a]
		}
		return strings.Compare(a, b)
	})
	for i, n := range names {
		names[i] = fmt.Sprintf("%d %s", all[n], printable(n))
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
