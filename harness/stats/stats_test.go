package stats

import (
	"testing"

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
		{Kind: event.FilesUndone, Files: &event.Files{Steps: []string{"1", "2"}}}, {Kind: event.FilesUndone, Files: &event.Files{Steps: []string{"1"}}},
		{Kind: event.Hooked, Hook: &event.Hook{Decision: "deny"}}, {Kind: event.Hooked, Hook: &event.Hook{Error: "x", Decision: "deny"}},
	} {
		c.See(e)
	}
	r := c.Review
	if r.Approved != 1 || r.Left != 2 || r.Unavailable != 1 || r.Overruled != 1 || r.Undone != 1 || r.Usage.Input != 40 {
		t.Errorf("review %+v", r)
	}
	if c.Messages != 1 || c.Requests != 1 || c.Usage.Output != 2 || c.Missed["the tools changed"] != 1 || c.Calls["bash"] != 5 || c.Asked != 2 || c.Approvals["user"] != 2 || c.Approvals["reviewer"] != 1 ||
		c.Refusals["user"] != 1 || c.Failed != 1 || c.Denied != 1 || c.Hooks["deny"] != 1 || c.Hooks["failed"] != 1 {
		t.Errorf("%+v", c.Stats)
	}
}
