package tui

import (
	"strings"
	"testing"
	"time"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if k, v, _ := strings.Cut(p, "="); k == name {
				return v
			}
		}
		return ""
	}
}

func TestDetect(t *testing.T) {
	rows := []struct {
		env      string
		way      callWay
		progress bool
	}{
		{"TERM=xterm-256color", notifyBell, false},
		{"TERM=xterm-kitty", osc99, false},
		{"TERM_PROGRAM=iTerm.app", osc9, true},
		{"TERM_PROGRAM=ghostty", osc777, true},
		{"TERM=foot", osc777, false},
		{"WT_SESSION=1", notifyBell, true},
		{"TERM_PROGRAM=ghostty TMUX=/tmp/tmux-0/default,1,0", notifyBell, false},
	}
	for _, row := range rows {
		getenv := env(strings.Fields(row.env)...)
		if way, progress := detectWay(getenv), showsProgress(getenv); way != row.way || progress != row.progress {
			t.Errorf("%s: %s, progress %v", row.env, way, progress)
		}
	}
}

func TestSequences(t *testing.T) {
	rows := []struct {
		way  callWay
		tmux bool
		want string
	}{
		{notifyOff, false, ""},
		{notifyBell, false, "\a"},
		{osc9, false, "\x1b]9;rein; x: a[2J;b\a"},
		{osc99, false, "\x1b]99;i=rein:d=0:o=unfocused;rein; x\a\x1b]99;i=rein:p=body:o=unfocused;a[2J;b\a"},
		{osc777, false, "\x1b]777;notify;rein, x;a[2J;b\a"},
		{osc777, true, "\x1bPtmux;\x1b\x1b]777;notify;rein, x;a[2J;b\a\x1b\\"},
	}
	for _, row := range rows {
		if got := row.way.sequence("rein; x", "a\x1b[2J;b\n\a\u009c", row.tmux); got != row.want {
			t.Errorf("%s: %q", row.way, got)
		}
	}
	if got := osc9.sequence("", strings.Repeat("€", 1000), false); len(got) > mostText+10 || !strings.HasSuffix(got, "€\a") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func TestCaller(t *testing.T) {
	begin := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	rows := []struct {
		rule  string
		do    func(*userCaller)
		after time.Duration // since the last key
		calls bool
	}{
		{"who looks at it is not called", func(c *userCaller) { c.Focus(true); c.Request("", "") }, time.Hour, false},
		{"who looks elsewhere is called at once", func(c *userCaller) { c.Focus(false); c.Request("", "") }, 0, true},
		{"who comes back is not called", func(c *userCaller) { c.Focus(false); c.Request("", ""); c.Focus(true) }, time.Hour, false},
		{"focus is not known, a key was pressed just now", func(c *userCaller) { c.Request("", "") }, notifyIdle - 1, false},
		{"focus is not known, no key for a while", func(c *userCaller) { c.Request("", "") }, notifyIdle, true},
		{"a key takes the call back", func(c *userCaller) { c.Request("", ""); c.Key(begin) }, time.Hour, false},
		{"an answer takes the call back", func(c *userCaller) { c.Request("", ""); c.Cancel() }, time.Hour, false},
		{"one call for what comes together", func(c *userCaller) { c.Focus(false); c.Request("", ""); c.Take(begin); c.Request("", "") }, gap - 1, false},
		{"a further one later", func(c *userCaller) { c.Focus(false); c.Request("", ""); c.Take(begin); c.Request("", "") }, gap, true},
	}
	for _, row := range rows {
		c := userCaller{Way: notifyBell}
		c.Key(begin)
		row.do(&c)
		if got := c.Take(begin.Add(row.after)); (got != "") != row.calls {
			t.Errorf("%s: %q", row.rule, got)
		}
		if got := c.Take(begin.Add(100 * time.Hour)); row.calls && got != "" {
			t.Errorf("%s: called twice", row.rule)
		}
	}
}
