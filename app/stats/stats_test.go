package stats

import (
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/tool"
)

func TestCounts(t *testing.T) {
	call := func(id string) *tool.Call { return &tool.Call{ID: id, Name: "bash"} }
	by := func(who string) *event.Answer { return &event.Answer{Choice: "approved", By: who} }
	review := func(id, verdict string) event.Event {
		return event.Event{Kind: event.Reviewed, Call: call(id), Review: &event.Review{Verdict: verdict}, Usage: &event.Usage{Input: 10}}
	}
	var c Counter
	c.Begin()
	for _, e := range []event.Event{
		{Kind: event.Prompted}, {Kind: event.Requested}, {Kind: event.Responded, Usage: &event.Usage{Input: 5, Output: 2}, Request: &event.Request{CacheMiss: "the tools changed: +x"}},
		{Kind: event.Called, Call: call("1")}, {Kind: event.ApprovalRequested, Call: call("1")}, review("1", "approved"), {Kind: event.Granted, Call: call("1"), Answer: by("reviewer x/y")},
		{Kind: event.Called, Call: call("2")}, {Kind: event.ApprovalRequested, Call: call("2")}, {Kind: event.ApprovalRequested, Call: call("2")}, review("2", "left"), {Kind: event.Granted, Call: call("2"), Answer: by("user Mei")},
		{Kind: event.Called, Call: call("3")}, review("3", "left"), {Kind: event.Refused, Call: call("3"), Answer: &event.Answer{Choice: "denied", By: "user"}},
		{Kind: event.Called, Call: call("4")}, review("4", "unavailable"), {Kind: event.Granted, Call: call("4"), Answer: by("user")},
		{Kind: event.Called, Call: call("5")}, {Kind: event.Replied, Call: call("5"), Result: &tool.Result{Failed: true}, Verdict: &event.Verdict{Decision: "deny"}},
		{Kind: event.Replied, Call: call("3"), Result: &tool.Result{Failed: true}},
		{Kind: event.SubAgentStarted, SubAgent: &event.SubAgent{Agent: "explore"}},
		{Kind: event.FilesUndone, Files: &event.Files{Steps: []string{"1", "2"}}}, {Kind: event.FilesUndone, Files: &event.Files{Steps: []string{"1"}}},
		{Kind: event.Hooked, Hook: &event.Hook{Decision: "deny"}}, {Kind: event.Hooked, Hook: &event.Hook{Error: "x", Decision: "deny"}},
	} {
		c.See(e)
	}
	r := c.Review
	if r.Approved != 1 || r.Left != 2 || r.Unavailable != 1 || r.Overruled != 1 || r.Undone != 1 || r.Usage.Input != 40 {
		t.Errorf("review %+v", r)
	}
	if c.Messages != 1 || c.Requests != 1 || c.Usage.Output != 2 || c.Missed["the tools changed"] != 1 || c.Tools["bash"].Calls != 5 || c.Asked != 2 || c.Approvals["user"] != 2 || c.Approvals["reviewer"] != 1 ||
		c.Refusals["user"] != 1 || c.Failed != 2 || c.Tools["bash"].Failed != 2 || c.Tools["bash"].Denied != 2 || c.Denied != 1 || c.Hooks["deny"] != 1 || c.Hooks["failed"] != 1 {
		t.Errorf("%+v", c.Stats)
	}
}

func TestUse(t *testing.T) {
	at := time.Now()
	call := &tool.Call{ID: "1", Name: "bash"}
	usage := &event.Usage{Input: 100, Output: 10, CacheRead: 50, Cost: 0.5}
	var u Use
	for _, e := range []event.Event{
		{Kind: event.Started}, {Kind: event.Prompted, Seq: 2, Text: "first\nmore"}, {Kind: event.Requested},
		{Kind: event.Responded, Usage: usage, Request: &event.Request{Duration: time.Second, CacheMiss: "compacted"}},
		{Kind: event.Called, Call: call}, {Kind: event.Called, Call: call}, {Kind: event.Granted, Call: call, Time: at}, {Kind: event.Replied, Call: call, Time: at.Add(time.Minute), Result: &tool.Result{Text: "12345", Failed: true}},
		{Kind: event.Requested}, {Kind: event.Responded, Usage: usage, Request: &event.Request{Model: "a/b", Duration: time.Second}},
		{Kind: event.Prompted, Seq: 9, Text: "second"}, {Kind: event.Compacted, Usage: usage}, {Kind: event.SubAgentStopped, Usage: usage},
	} {
		u.See(e)
	}
	if u.Total.Usage.Input != 400 || u.Total.Requests != 2 || u.Total.Model != 2*time.Second || len(u.Messages) != 2 {
		t.Fatalf("%+v", u)
	}
	first, second := u.Messages[0], u.Messages[1]
	if first.Seq != 2 || first.Text != "first" || first.Requests != 2 || first.Usage.Output != 20 || len(first.Missed) != 1 || second.Usage.Cost != 1 || second.Requests != 0 {
		t.Errorf("%+v", u.Messages)
	}
	if len(u.Models) != 2 || u.Models[1].Text != "a/b" || u.Models[1].Requests != 1 || u.Models[1].Usage.Cost != 0.5 {
		t.Errorf("%+v", u.Models)
	}
	if want := (ToolUse{Name: "bash", Calls: 1, Failed: 1, Time: time.Minute, Bytes: 5}); len(u.Tools) != 1 || u.Tools[0] != want {
		t.Errorf("%+v", u.Tools)
	}
}

func TestRows(t *testing.T) {
	at := time.Date(2026, 11, 22, 23, 0, 0, 0, time.UTC)
	call := func(id string) *tool.Call { return &tool.Call{ID: id, Name: "bash"} }
	start := &event.Start{Terms: event.Terms{Model: "a/b", Dir: "/src/app"}}
	var c Counter
	see := func(all ...event.Event) {
		c.Begin()
		for _, e := range all {
			if e.Time.IsZero() {
				e.Time = at
			}
			c.See(e)
		}
	}
	see( // the sub-agent, which is listed before its parent
		event.Event{Kind: event.Started, Session: "child", Parent: "s", Start: start}, event.Event{Kind: event.Requested, Session: "child", Parent: "s", Request: &event.Request{Model: "c/d"}},
		event.Event{Kind: event.Responded, Session: "child", Parent: "s", Usage: &event.Usage{Input: 7}, Request: &event.Request{Duration: time.Second}})
	see(event.Event{Kind: event.Started, Session: "s", Start: start}, event.Event{Kind: event.Changed, Session: "s", Start: start},
		event.Event{Kind: event.Called, Call: call("1")}, event.Event{Kind: event.ApprovalRequested, Call: call("1")},
		event.Event{Kind: event.Called, Call: call("1")}, event.Event{Kind: event.ApprovalRequested, Call: call("1"), Time: at.Add(time.Minute)},
		event.Event{Kind: event.Granted, Call: call("1"), Time: at.Add(2 * time.Minute), Answer: &event.Answer{}},
		event.Event{Kind: event.Replied, Call: call("1"), Time: at.Add(2 * time.Hour), Result: &tool.Result{Duration: 3 * time.Second}},
		event.Event{Kind: event.SubAgentStarted, Child: "child", SubAgent: &event.SubAgent{Agent: "explore"}})
	see(event.Event{Kind: event.Started, Session: "other", Parent: "gone", Start: start})
	s := c.Sum()
	bash := Row{Calls: 1, Asked: 1, Waited: time.Minute, Ran: 3 * time.Second}
	explore := Row{Sessions: 1, Requests: 1, Answered: time.Second, Usage: event.Usage{Input: 7}}
	if s.Tools["bash"] != bash || s.Models["a/b"] != bash || s.Agents["explore"] != explore || s.Agents["sub-agent"].Sessions != 1 || len(s.Agents) != 3 || s.Agents["rein"].Calls != 1 {
		t.Errorf("%+v", s)
	}
	if p := s.Projects["/src/app"]; p.Sessions != 3 || p.Calls != 1 || p.Usage.Input != 7 || s.Days["2026-11-22"].Calls != 1 || s.Days["2026-11-23"].Ran != 3*time.Second || s.Models["c/d"].Requests != 1 {
		t.Errorf("%+v %+v", s.Projects, s.Days)
	}
	var text strings.Builder
	if err := WriteCSV(&text, s.Tables()); err != nil || !strings.Contains(text.String(), "\ntool,bash,0,0,1,0,0,1,60,3,0,0,0,0,0.000000\n") || strings.Count(text.String(), "\n") != 10 {
		t.Errorf("%v\n%s", err, text.String())
	}
}
