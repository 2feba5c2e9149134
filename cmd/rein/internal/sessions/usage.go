package sessions

import (
	"fmt"
	"iter"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/cmd/rein/internal/console"
	"rein/event"
	"rein/harness/stats"
)

// showUsage prints what a session used.
func showUsage(cmd *cobra.Command, events iter.Seq2[event.Event, error], asJSON bool) error {
	var u stats.Use
	for e, err := range events {
		if err != nil {
			return cli.Fail(cli.ExitInput, err)
		}
		u.See(e)
	}
	if asJSON {
		return cli.PrintLines(cmd, []stats.Use{u})
	}
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "message\trequests\tin\tout\tcached\tto cache\tmoney\tmodel\t")
	for _, m := range u.Messages {
		printSpent(out, fmt.Sprint(m.Seq), m)
	}
	printSpent(out, "all", u.Total)
	fmt.Fprintln(out, "\ntool\tcalls\tfailed\ttime\tbytes\t")
	for _, t := range u.Tools {
		fmt.Fprintf(out, "%s\t%d\t%d\t%v\t%d\t\n", t.Name, t.Calls, t.Failed, t.Time.Round(time.Millisecond), t.Bytes)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, m := range u.Messages {
		if len(m.Missed) > 0 {
			fmt.Fprintf(cmd.OutOrStdout(), "not in the cache, message %d: %s\n", m.Seq, console.OneLine(strings.Join(m.Missed, "; "), 200))
		}
	}
	return nil
}

func printSpent(out *tabwriter.Writer, name string, s stats.Spent) {
	money := "-" // the price is not known
	if s.Usage.Cost > 0 {
		money = fmt.Sprintf("$%.4f", s.Usage.Cost)
	}
	fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%v\t\n", name, s.Requests, s.Usage.Input, s.Usage.Output, s.Usage.CacheRead, s.Usage.CacheWrite, money, s.Model.Round(time.Millisecond))
}
