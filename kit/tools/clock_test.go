package tools

import (
	"context"
	"strings"
	"testing"
	"time"

	"rein/lab/testkit"
)

type zone struct{ name string }

func (z *zone) Get() *time.Location { at, _ := time.LoadLocation(z.name); return at }
func (z *zone) Set(name string) error {
	z.name = name
	return nil
}

func TestClock(t *testing.T) {
	z := &zone{"UTC"}
	usage := func(context.Context) (SessionUsage, error) {
		return SessionUsage{Requests: 2, Input: 100, Output: 20, CacheRead: 50, Cost: 0.01, SubAgents: 30, Limit: 110}, nil
	}
	rows := []struct{ rule, got, want string }{
		{"the user's zone", call(t, z, "current_time", `{}`), "time zone UTC (UTC+00:00)"},
		{"another zone", call(t, z, "current_time", `{"timezone":"Asia/Shanghai"}`), "time zone Asia/Shanghai (UTC+08:00)"},
		{"no zone", call(t, z, "current_time", `{"timezone":"Mars/Olympus"}`), `bad_arguments: There is no time zone "Mars/Olympus".`},
		{"a path", call(t, z, "current_time", `{"timezone":"../../etc/passwd"}`), "bad_arguments: There is no time zone"},
		{"set", call(t, z, "set_timezone", `{"timezone":"Asia/Tokyo"}`), "time zone Asia/Tokyo"},
		{"set none", call(t, z, "set_timezone", `{"timezone":"x"}`), "bad_arguments"},
	}
	for _, row := range rows {
		if !strings.Contains(row.got, row.want) {
			t.Errorf("%s: %q", row.rule, row.got)
		}
	}
	if z.name != "Asia/Tokyo" {
		t.Errorf("the zone is %q", z.name)
	}
	got, _ := testkit.Call(t, TokenUsage(usage), `{}`)
	for _, want := range []string{"requests: 2; 100 tokens in (50 from the cache", "sub-agents: 30", "$0.0100", "left of the budget: 0 of 110"} {
		if !strings.Contains(got, want) {
			t.Errorf("usage: %q", got)
		}
	}
}

func call(t *testing.T, z Zone, name, args string) string {
	tl := CurrentTime(z)
	if name == "set_timezone" {
		tl = SetTimezone(z)
	}
	got, _ := testkit.Call(t, tl, args)
	return got
}
