package telemetry

import (
	"cmp"
	"strings"

	"rein/event"
	"rein/tool"
)

// call reports an event of a call.
func (t *Telemetry) call(s *session, e event.Event) {
	c := t.callOf(e)
	if c == nil {
		switch e.Kind {
		case event.Called, event.Granted, event.Refused, event.ApprovalRequested: // the last ones in a session that was resumed
			c = t.called(s, e)
		}
	}
	if c == nil {
		return
	}
	switch e.Kind {
	case event.ApprovalRequested:
		c.asked = e.Time
		t.counts.add(mVerdicts, 1, attr{"decision", "ask"})
		t.note(c, e.Time, requestedEvent, verdictAttrs(e.Verdict)...)
	case event.Granted, event.Refused:
		t.answered(c, e)
	case event.Reviewed:
		if r := e.Review; r != nil {
			t.note(c, e.Time, reviewEvent, attr{"rein.review.verdict", r.Verdict}, attr{requestModel, r.Model})
		}
	case event.Replied:
		t.replied(s, c, e)
	}
}

// called begins the span of a call: below the call that made it, the agent, or what the caller named.
func (t *Telemetry) called(s *session, e event.Event) *span {
	if len(t.calls) >= mostOpen {
		return nil
	}
	var parent spanContext
	if c := t.calls[callKey{e.Session, e.Within}]; c != nil {
		parent = c.spanContext
	} else if s.agent != nil {
		parent = s.agent.spanContext
	} else {
		parent = t.above(e.Call.ID)
	}
	name := e.Call.Name[:min(len(e.Call.Name), mostName)]
	c := t.begin(parent, opTool+" "+name, kindIn, e.Time, attr{operationName, opTool}, attr{toolName, name}, attr{toolCall, e.Call.ID}, attr{conversation, e.Session})
	c.tool = name
	c.attrs = append(c.attrs, kindOf(name)...)
	if t.content && len(e.Call.Args) > 0 {
		c.attrs = append(c.attrs, attr{toolArguments, t.text(string(e.Call.Args))})
	}
	t.calls[callKey{e.Session, e.Call.ID}] = c
	s.open[e.Call.ID] = true
	return c
}

// callOf is the open call that an event is about, or nil.
func (t *Telemetry) callOf(e event.Event) *span {
	if e.Call == nil {
		return nil
	}
	return t.calls[callKey{e.Session, e.Call.ID}]
}

// kindOf says what a tool is, where the conventions tell it apart.
func kindOf(name string) []attr {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		server, _, _ := strings.Cut(rest, "__")
		return []attr{{toolType, "extension"}, {mcpMethod, "tools/call"}, {"rein.mcp.server", server}}
	}
	return []attr{{toolType, "function"}}
}

// verdictAttrs are a verdict without its words, which may tell content.
func verdictAttrs(v *event.Verdict) []attr {
	if v == nil {
		return nil
	}
	attrs := []attr{{"rein.decision", v.Decision}}
	if v.Severity != "" {
		attrs = append(attrs, attr{"rein.severity", v.Severity})
	}
	if len(v.Rules) > 0 {
		attrs = append(attrs, attr{"rein.rules", v.Rules})
	}
	if v.RuleAt != "" {
		attrs = append(attrs, attr{"rein.rule.at", v.RuleAt})
	}
	return attrs
}

// answered reports how a call came to be granted or refused, and how long it waited.
func (t *Telemetry) answered(c *span, e event.Event) {
	if e.Kind == event.Granted {
		c.granted = e.Time
	}
	a := e.Answer
	if a == nil {
		t.counts.add(mVerdicts, 1, attr{"decision", "allow"})
		t.note(c, e.Time, verdictEvent, verdictAttrs(e.Verdict)...)
		return
	}
	by, rule, _ := strings.Cut(a.By, " ")
	attrs := []attr{{"rein.approval.answer", a.Choice}, {"rein.approval.by", by}}
	switch by {
	case "rule", "hook", "reviewer": // not the name of a person
		attrs = append(attrs, attr{"rein.rule", rule})
	}
	if e.Verdict != nil {
		attrs = append(attrs, verdictAttrs(e.Verdict)[1:]...)
	}
	if a.From != "" {
		attrs = append(attrs, attr{"rein.approval.from", a.From})
	}
	if a.Scope != "" {
		attrs = append(attrs, attr{"rein.approval.scope", a.Scope})
	}
	if !c.asked.IsZero() {
		wait := e.Time.Sub(c.asked).Seconds()
		attrs = append(attrs, attr{"rein.approval.waited", wait})
		t.counts.record(mWait, wait, attr{"answer", a.Choice}, attr{"by", by})
	}
	t.note(c, e.Time, approvalEvent, attrs...)
}

func (t *Telemetry) replied(s *session, c *span, e event.Event) {
	delete(t.calls, callKey{e.Session, e.Call.ID})
	delete(s.open, e.Call.ID)
	r := e.Result
	if r == nil {
		r = &tool.Result{}
	}
	if r.Kind == tool.UnknownTool { // the name is the model's
		c.tool = "unknown"
	}
	outcome := "ok"
	base := []attr{{operationName, opTool}, {toolName, c.tool}}
	if r.Failed {
		outcome = "failed"
		class := string(cmp.Or(r.Kind, tool.Failed))
		if r.Kind == tool.Denied || r.Kind == tool.Unapproved {
			outcome = "denied"
		}
		if e.Verdict != nil && e.Verdict.Decision == "deny" {
			t.counts.add(mVerdicts, 1, attr{"decision", "deny"})
			t.note(c, e.Time, verdictEvent, verdictAttrs(e.Verdict)...)
		}
		t.fail(c, class, r.Text)
		base = append(base, attr{errorType, class})
	}
	if !c.granted.IsZero() {
		t.counts.record(mTool, r.Duration.Seconds(), base...)
	}
	t.counts.add(mCalls, 1, attr{toolName, c.tool}, attr{"outcome", outcome})
	c.attrs = append(c.attrs, attr{"rein.outcome", outcome})
	if t.content && r.Text != "" {
		c.attrs = append(c.attrs, attr{toolResult, t.text(r.Text)})
	}
	t.finish(c, e.Time)
}
