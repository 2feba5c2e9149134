package main

import (
	"strings"
	"testing"
	"time"

	"rein/app/stats"
	"rein/event"
)

func TestAPictureOfRows(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	days := map[string]stats.Row{"2026-11-19": {Calls: 8}, "2026-11-20": {Calls: 1}, "2026-11-22": {Calls: 4}, "2026-01-01": {Calls: 99}}
	if line, since := sparkline(days, now, func(r stats.Row) float64 { return float64(r.Calls) }); line != "█▁·▄" || since != "2026-11-19" {
		t.Errorf("%q since %s", line, since)
	}
	for n, want := range map[float64]string{0: "", 0.001: "▏", 0.5: strings.Repeat("█", 10), 1: strings.Repeat("█", 20)} {
		if got := bar(n, 1); got != want {
			t.Errorf("%v: %q", n, got)
		}
	}
	var out strings.Builder
	rows := map[string]stats.Row{"a/b": {Calls: 3, Asked: 1, Waited: 90 * time.Second, Requests: 2, Usage: event.Usage{Input: 100, Output: 5, CacheRead: 50, Cost: 1.5}}, "a\x1b[2Jc": {Requests: 1}}
	if err := showRows(&out, stats.Table{By: "model", Rows: rows}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[0], "waited") || !strings.Contains(lines[1], "1m30s") || !strings.Contains(lines[1], "50 %  $1.50") || !strings.HasSuffix(lines[1], "█") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("%s", out.String())
	}
	out.Reset()
	if err := showRows(&out, stats.Table{By: "tool", Rows: map[string]stats.Row{"bash": {Calls: 1}}}); err != nil || strings.Contains(out.String(), "money") {
		t.Errorf("%v %s", err, out.String())
	}
}
