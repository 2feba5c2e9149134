package api

import (
	"encoding/csv"
	"fmt"
	"io"

	"rein/app/stats"
)

// WriteCSV writes what was used as a table with a heading, for a spreadsheet. Text that a spreadsheet would take for a formula has
// an apostrophe before it.
func WriteCSV(w io.Writer, all []Spent) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"day", "dir", "model", "sessions", "calls", "failed", "input_tokens", "output_tokens", "cached_tokens", "usd"}}
	for _, s := range all {
		row := []string{s.Day, stats.Plain(s.Dir), stats.Plain(s.Model)}
		for _, n := range []any{s.Sessions, s.Calls, s.Failed, s.Usage.Input, s.Usage.Output, s.Usage.CacheRead} {
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, append(row, fmt.Sprintf("%.6f", s.Usage.Cost)))
	}
	return out.WriteAll(rows)
}
