package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rein/app/sessions"
	"rein/app/stats"
)

// newStats returns the command "stats".
func newStats() *cobra.Command {
	var dir, by string
	var all, asJSON, asCSV bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count requests, calls, approvals, tokens and money of recorded sessions",
		Long: `Count what the recorded sessions of this directory did: requests and tokens, calls, who approved and denied
them, what hooks did, and how often the reviewer of the mode auto was overruled. Overruled means that the
reviewer left a call to you and you approved it; undone means that the reviewer approved it and you undid it.

With --by there is one row for each tool, model, agent, project or day: calls, failures and denials, how often and how long calls
waited for an approval, how long they ran, tokens, the share of the input from the provider's cache, and money.`,
		Example: `  rein stats
  rein stats --by tool
  rein stats --all --by day --csv > days.csv`,
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
			return printStats(cmd.OutOrStdout(), c.Sum(), by, asJSON, asCSV)
		},
	}
	cmd.Flags().StringVarP(&dir, "cwd", "C", ".", "sessions of this directory")
	cmd.Flags().BoolVar(&all, "all", false, "sessions of all directories")
	cmd.Flags().Var(choiceFlag(&by, "tool", "model", "agent", "project", "day"), "by", "a row for each: tool, model, agent, project or day")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().BoolVar(&asCSV, "csv", false, "the rows as a table for a spreadsheet; without --by all of them")
	cmd.MarkFlagsMutuallyExclusive("json", "csv")
	return cmd
}

// printStats prints all counts, or with by those of one kind.
func printStats(out io.Writer, s stats.Stats, by string, asJSON, asCSV bool) error {
	tables := s.Tables()
	if by != "" {
		tables = slices.DeleteFunc(tables, func(t stats.Table) bool { return t.By != by })
	}
	switch {
	case asJSON && by != "":
		return printJSON(out, tables[0].Rows)
	case asJSON:
		return printJSON(out, s)
	case asCSV:
		return stats.WriteCSV(out, tables)
	case by != "":
		return showRows(out, tables[0])
	}
	return showStats(out, s)
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
	fmt.Fprintf(out, "\ncalls      %s; %d failed, %d of them denied by the guard\n", listCounts(callsOf(s.Tools)), s.Failed, s.Denied)
	fmt.Fprintf(out, "approvals  requested: %d; approved: %s; denied: %s\n", s.Asked, listCounts(s.Approvals), listCounts(s.Refusals))
	fmt.Fprintf(out, "hooks      %s\n", listCounts(s.Hooks))
	if line, since := sparkline(s.Days, time.Now().UTC(), func(r stats.Row) float64 { return float64(r.Calls) }); line != "" {
		fmt.Fprintf(out, "days       %s calls a day since %s (UTC); --by day, tool, model, agent or project has more\n", line, since)
	}
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
