package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	store "rein/app/sessions"
	"rein/event"
)

// showUsage prints what a session used.
func showUsage(cmd *cobra.Command, s *store.Store, id string, asJSON bool) error {
	u, err := s.Use(id)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	if asJSON {
		return printJSONLines(cmd, []any{u})
	}
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	const columns = "requests\tin\tout\tcached\tto cache\tmoney\ttime\t"
	fmt.Fprintln(out, "message\t"+columns)
	for _, m := range u.Messages {
		printSpent(out, fmt.Sprint(m.Seq), m.Requests, m.Usage, m.Model)
	}
	printSpent(out, "all", u.Total.Requests, u.Total.Usage, u.Total.Model)
	if len(u.Models) > 1 {
		fmt.Fprintln(out, "\nmodel\t"+columns)
		for _, m := range u.Models {
			printSpent(out, oneLine(m.Text, 60), m.Requests, m.Usage, m.Model)
		}
	}
	fmt.Fprintln(out, "\ntool\tcalls\tfailed\ttime\tbytes\t")
	for _, t := range u.Tools {
		fmt.Fprintf(out, "%s\t%d\t%d\t%v\t%d\t\n", t.Name, t.Calls, t.Failed, t.Time.Round(time.Millisecond), t.Bytes)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, m := range u.Messages {
		if len(m.Missed) > 0 {
			fmt.Fprintf(cmd.OutOrStdout(), "not in the cache, message %d: %s\n", m.Seq, oneLine(strings.Join(m.Missed, "; "), 200))
		}
	}
	return nil
}

func printSpent(out *tabwriter.Writer, name string, requests int, u event.Usage, took time.Duration) {
	money := "-" // the price is not known
	if u.Cost > 0 {
		money = fmt.Sprintf("$%.4f", u.Cost)
	}
	fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%v\t\n", name, requests, u.Input, u.Output, u.CacheRead, u.CacheWrite, money, took.Round(time.Millisecond))
}
