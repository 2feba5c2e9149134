package schedule

import (
	"strings"
	"testing"
	"time"
)

func TestNext(t *testing.T) {
	rows := []struct{ rule, when, zone, after, want string }{
		{"daily", "@daily", "UTC", "2026-11-22T10:00:00Z", "2026-11-23T00:00:00Z 2026-11-24T00:00:00Z"},
		{"every", "@every 90m", "UTC", "2026-11-22T10:00:00Z", "2026-11-22T11:30:00Z 2026-11-22T13:00:00Z"},
		{"an instant", "2026-12-24T18:00", "Europe/Berlin", "2026-11-22T10:00:00Z", "2026-12-24T18:00:00+01:00 "},
		{"in the zone", "30 9 * * 1-5", "Asia/Shanghai", "2026-11-20T10:00:00Z", "2026-11-23T09:30:00+08:00 2026-11-24T09:30:00+08:00"},
		{"day of the month or of the week", "0 0 1 * 1", "UTC", "2026-11-24T00:00:00Z", "2026-11-30T00:00:00Z 2026-12-01T00:00:00Z"},
		{"Sunday is 7 too", "0 0 * * 7", "UTC", "2026-11-23T00:00:00Z", "2026-11-29T00:00:00Z 2026-12-06T00:00:00Z"},
		{"a time that spring leaves out", "30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T03:00:00+02:00 2026-03-30T02:30:00+02:00"},
		{"a gap of half an hour", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", "2026-10-04T02:30:00+11:00 2026-10-05T02:15:00+11:00"},
		{"a time that comes twice", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T02:30:00+02:00 2026-10-26T02:30:00+01:00"},
		{"twice, half an hour apart", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z", "2026-04-05T01:45:00+11:00 2026-04-06T01:45:00+10:30"},
		{"each hour of a change", "0 * * * *", "Europe/Berlin", "2026-10-25T00:30:00+02:00", "2026-10-25T01:00:00+02:00 2026-10-25T02:00:00+02:00"},
		{"29 February", "0 12 29 2 *", "UTC", "2026-11-22T00:00:00Z", "2028-02-29T12:00:00Z 2032-02-29T12:00:00Z"},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			zone, err := time.LoadLocation(row.zone)
			if err != nil {
				t.Skip(err)
			}
			after, err := time.Parse(time.RFC3339, row.after)
			if err != nil {
				t.Fatal(err)
			}
			w, err := parseWhen(row.when, zone, after)
			if err != nil {
				t.Fatal(err)
			}
			first := w.Next(after)
			got := first.Format(time.RFC3339) + " "
			if second := w.Next(first); !second.IsZero() {
				got += second.Format(time.RFC3339)
			}
			if got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

func TestRefusedExpressions(t *testing.T) {
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for when, says := range map[string]string{
		"": "expected five", "* * * *": "fields (4)", "* * * * * *": "fields (6)", "0 0 31 2 *": "never comes", "61 * * * *": "61", "@every 1s": "@every",
		"@every -5m": "@every", "@every x": "@every", "@noon": "not known", "2020-01-01T00:00": "in the past", "TZ=UTC 0 0 * *": "expected five",
		"a b c d e": "a b c d e", strings.Repeat("1,", 1<<19) + "1 * * * *": "at most 200", "*/0 * * * *": "*/0",
	} {
		began := time.Now()
		if _, err := parseWhen(when, time.UTC, now); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.30q: %v", when, err)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%.30q took %v", when, took)
		}
	}
}
