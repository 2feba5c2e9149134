package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"rein/app/stats"
)

// callsOf are the calls of each row.
func callsOf(rows map[string]stats.Row) map[string]int {
	all := map[string]int{}
	for name, r := range rows {
		all[name] = r.Calls
	}
	return all
}

// showRows prints a table with a bar in each row: of the tokens, or of the calls where there are none.
func showRows(out io.Writer, t stats.Table) error {
	value := func(r stats.Row) float64 { return float64(r.Tokens()) }
	most := 0.0
	for _, r := range t.Rows {
		most = max(most, value(r))
	}
	if most == 0 {
		value = func(r stats.Row) float64 { return float64(r.Calls) }
		for _, r := range t.Rows {
			most = max(most, value(r))
		}
	}
	asks := slices.ContainsFunc(t.Names(), func(name string) bool { return t.Rows[name].Requests > 0 })
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	heading := "calls\tfailed\tdenied\tasked\twaited\tran\t"
	if asks {
		heading += "requests\tin\tout\tcached\tmoney\t"
	}
	fmt.Fprintf(table, "%s\t%s\n", t.By, heading)
	for _, name := range t.Names() {
		r := t.Rows[name]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%s\t%s\t", oneLine(printable(name), 40), r.Calls, r.Failed, r.Denied, r.Asked, shortTime(r.Waited), shortTime(r.Ran))
		if asks {
			fmt.Fprintf(table, "%d\t%d\t%d\t%s\t%s\t", r.Requests, r.Usage.Input, r.Usage.Output,
				orDash(r.Usage.Input > 0, "%d %%", 100*r.Usage.CacheRead/max(1, r.Usage.Input)), orDash(r.Usage.Cost > 0, "$%.2f", r.Usage.Cost))
		}
		fmt.Fprintf(table, "  %s\n", bar(value(r), most))
	}
	return table.Flush()
}

func orDash(there bool, format string, value any) string {
	if !there {
		return "-"
	}
	return fmt.Sprintf(format, value)
}

func shortTime(d time.Duration) string {
	switch {
	case d == 0:
		return "-"
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// barWidth is the length of the longest bar.
const barWidth = 20

// bar draws a part of the most, to an eighth of a character. What is not zero is seen.
func bar(n, most float64) string {
	if n <= 0 || most <= 0 {
		return ""
	}
	eighths := max(1, int(n/most*barWidth*8))
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

// mostDays is how many days a line shows.
const mostDays = 30

// sparkline draws one character for each of the last days up to now, from the first one that has a row; "" where there is none.
func sparkline(rows map[string]stats.Row, now time.Time, value func(stats.Row) float64) (line, since string) {
	var all []float64
	most := 0.0
	for i := mostDays - 1; i >= 0; i-- {
		day := now.AddDate(0, 0, -i).Format(time.DateOnly)
		r, ok := rows[day]
		if len(all) == 0 {
			if !ok {
				continue
			}
			since = day
		}
		all = append(all, value(r))
		most = max(most, value(r))
	}
	for _, n := range all {
		level := 0
		if n > 0 {
			level = 1 + int(n/most*7)
		}
		line += string([]rune("·▁▂▃▄▅▆▇█")[level])
	}
	return line, since
}
