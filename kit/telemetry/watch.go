package telemetry

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"rein/event"
	"rein/tool"
)

// session is what is open of one session.
type session struct {
	agent  *span // the message that it works on; nil: none
	chat   *span // the request to the model
	kind   string
	model  string
	parent spanContext // of the call that a sub-agent serves
	class  string      // why the last request failed: see Model
	finish string      // why the last answer stopped
	open   map[string]bool
}

// Watch reports an event of a session or a sub-agent. Live events are ignored.
func (t *Telemetry) Watch(e event.Event) {
	if t == nil || e.Kind.Live() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sessions[e.Session]
	if s == nil {
		if e.Kind == event.Stopped || len(t.sessions) >= mostOpen {
			return
		}
		s = &session{open: map[string]bool{}}
		t.sessions[e.Session] = s
	}
	switch e.Kind {
	case event.Started, event.Changed:
		if e.Start != nil {
			s.model = e.Start.Model
		}
	case event.Prompted:
		t.prompted(s, e)
	case event.Requested:
		t.requested(s, e)
	case event.Responded:
		t.responded(s, e)
	case event.Compacted:
		if c := e.Compaction; c != nil {
			t.counts.add(mCompactions, 1, attr{"stage", string(c.Stage)})
			t.note(s.agent, e.Time, compactionEvent, attr{"rein.stage", string(c.Stage)}, attr{"rein.reason", c.Reason}, attr{"rein.tokens.before", int64(c.Before)}, attr{"rein.tokens.after", int64(c.After)})
		}
	case event.SubAgentStarted:
		t.started(s, e)
	case event.Hooked:
		t.hooked(s, e)
	case event.Stopped:
		t.stop(e.Session, s, e.Time, e.Stop, e.Text)
	default:
		if e.Call != nil {
			t.call(s, e)
		}
	}
}

// prompted begins the work on a message, unless the agent is at work: then the message comes in between.
func (t *Telemetry) prompted(s *session, e event.Event) {
	if s.agent != nil {
		t.note(s.agent, e.Time, messageEvent)
		return
	}
	t.work(s, e)
	if t.content {
		s.agent.attrs = append(s.agent.attrs, attr{inputMessages, t.messages("user", e.Text, nil)})
	}
}

// work begins the span of the agent where there is none.
func (t *Telemetry) work(s *session, e event.Event) {
	if s.agent != nil {
		return
	}
	parent := s.parent
	if parent.trace == (traceID{}) {
		if c := t.calls[callKey{e.Parent, e.ParentCall}]; c != nil {
			parent = c.spanContext
		} else {
			parent = t.above(e.Session)
		}
	}
	name := cmp.Or(s.kind, mainName)
	s.agent = t.begin(parent, opAgent+" "+name, kindIn, e.Time, attr{operationName, opAgent}, attr{agentName, name}, attr{conversation, e.Session})
	if t.options.Version != "" {
		s.agent.attrs = append(s.agent.attrs, attr{agentVersion, t.options.Version})
	}
	if e.Parent != "" {
		s.agent.attrs = append(s.agent.attrs, attr{agentID, e.Session})
	}
}

// above is the parent of what has none in this process.
func (t *Telemetry) above(id string) spanContext {
	if c, ok := t.joined[id]; ok {
		delete(t.joined, id)
		return c
	}
	return t.remote
}

// started notes what a sub-agent serves: it may go on when the call has its result.
func (t *Telemetry) started(s *session, e event.Event) {
	if e.SubAgent == nil || e.Child == "" || len(t.sessions) >= mostOpen {
		return
	}
	child := t.sessions[e.Child]
	if child == nil {
		child = &session{open: map[string]bool{}}
		t.sessions[e.Child] = child
	}
	child.kind = e.SubAgent.Agent
	if c := t.callOf(e); c != nil {
		child.parent = c.spanContext
	} else if s.agent != nil {
		child.parent = s.agent.spanContext
	}
}

// modelAttrs name a model, provider/name.
func modelAttrs(ref string) []attr {
	provider, name, ok := strings.Cut(ref, "/")
	if !ok {
		name = ref
	}
	return []attr{{operationName, opChat}, {providerName, cmp.Or(providers[provider], provider)}, {requestModel, name}}
}

func (t *Telemetry) requested(s *session, e event.Event) {
	t.work(s, e)
	if e.Request != nil {
		s.model = e.Request.Model
	}
	t.lost(s, e.Time) // the model that failed, where another one takes over
	attrs := append(modelAttrs(s.model), attr{conversation, e.Session})
	s.class, s.finish = "", ""
	s.chat = t.begin(s.agent.spanContext, opChat+" "+attrs[2].value.(string), kindOut, e.Time, attrs...)
}

// lost ends a request that got no answer.
func (t *Telemetry) lost(s *session, at time.Time) {
	if s.chat == nil {
		return
	}
	class := cmp.Or(s.class, "_OTHER")
	t.fail(s.chat, class, "")
	t.counts.record(mChat, at.Sub(s.chat.start).Seconds(), append(modelAttrs(s.model), attr{errorType, class})...)
	t.finish(s.chat, at)
	s.chat = nil
}

func (t *Telemetry) responded(s *session, e event.Event) {
	if s.chat == nil || e.Request == nil {
		return
	}
	r, c, base := e.Request, s.chat, modelAttrs(s.model)
	t.counts.record(mChat, r.Duration.Seconds(), base...)
	if r.FirstToken > 0 {
		t.counts.record(mFirstChunk, r.FirstToken.Seconds(), base...)
		c.attrs = append(c.attrs, attr{firstChunk, r.FirstToken.Seconds()})
	}
	if r.Retries > 0 {
		t.counts.add(mRetries, float64(r.Retries), base[1:]...)
		t.note(c, e.Time, retryEvent, attr{"rein.count", int64(r.Retries)})
	}
	if r.CacheMiss != "" {
		reason, _, _ := strings.Cut(r.CacheMiss, ":") // what follows names tools
		t.counts.add(mMisses, 1, append(base[1:], attr{"reason", reason})...)
		t.note(c, e.Time, cacheMissEvent, attr{"rein.reason", reason})
	}
	if e.Usage != nil {
		c.attrs = append(c.attrs, usageAttrs(*e.Usage)...)
		t.used(*e.Usage, base)
	}
	if reason := cmp.Or(s.finish, string(e.Stop)); reason != "" {
		c.attrs = append(c.attrs, attr{finishReasons, []string{reason}})
	}
	if t.content {
		c.attrs = append(c.attrs, attr{outMessages, t.messages("assistant", e.Text, e.Message)})
	}
	t.finish(c, e.Time)
	s.chat = nil
}

// usageAttrs are the tokens of a request, or of a whole message, and what they cost.
func usageAttrs(u event.Usage) []attr {
	attrs := []attr{{inputTokens, u.Input}, {outputTokens, u.Output}}
	for _, a := range []attr{{cacheRead, u.CacheRead}, {cacheWrite, u.CacheWrite}, {reasoning, u.Thinking}} {
		if a.value.(int64) > 0 {
			attrs = append(attrs, a)
		}
	}
	if u.Cost > 0 {
		attrs = append(attrs, attr{"rein.cost", u.Cost})
	}
	return attrs
}

// used counts the tokens of a request.
func (t *Telemetry) used(u event.Usage, base []attr) {
	t.counts.record(mTokens, float64(u.Input), append(base, attr{tokenType, "input"})...)
	t.counts.record(mTokens, float64(u.Output), append(base, attr{tokenType, "output"})...)
	for m, n := range map[int]int64{mInput: u.Input, mOutput: u.Output, mCacheRead: u.CacheRead, mCacheWrite: u.CacheWrite, mReasoning: u.Thinking} {
		t.counts.add(m, float64(n), append(base, attr{"gen_ai.token.modality", "unknown"})...)
	}
	t.counts.add(mCost, u.Cost, base[1:]...)
}

func (t *Telemetry) hooked(s *session, e event.Event) {
	h := e.Hook
	if h == nil {
		return
	}
	in := s.agent
	if c := t.callOf(e); c != nil {
		in = c
	}
	t.note(in, e.Time, hookEvent, attr{"rein.hook.event", h.Event}, attr{"rein.hook.decision", h.Decision}, attr{"rein.hook.failed", h.Error != ""}, attr{"rein.hook.duration", h.Duration.Seconds()})
}

// stop ends what is open of a session. stop is "" where the program ends before the session.
func (t *Telemetry) stop(id string, s *session, at time.Time, stop event.Stop, why string) {
	t.lost(s, at)
	for call := range s.open {
		key := callKey{id, call}
		c := t.calls[key]
		delete(t.calls, key)
		t.finish(c, at, attr{"rein.outcome", "open"})
	}
	if s.agent != nil {
		t.counts.record(mAgent, at.Sub(s.agent.start).Seconds(), attr{operationName, opAgent}, attr{agentName, cmp.Or(s.kind, mainName)})
		if stop == event.Failed {
			t.fail(s.agent, cmp.Or(s.class, "_OTHER"), why)
		}
		t.finish(s.agent, at, attr{"rein.stop", string(stop)})
	}
	delete(t.sessions, id)
}

// messages is what was said, as the conventions write it in JSON. message is a model.Message, or nil.
func (t *Telemetry) messages(role, text string, message json.RawMessage) string {
	parts := []map[string]any{}
	if text != "" {
		parts = append(parts, map[string]any{"type": "text", "content": t.text(text)})
	}
	var m struct {
		Parts []struct {
			Call *tool.Call `json:"call"`
		} `json:"parts"`
	}
	if json.Unmarshal(message, &m) == nil {
		for _, p := range m.Parts {
			if p.Call != nil {
				parts = append(parts, map[string]any{"type": "tool_call", "id": p.Call.ID, "name": p.Call.Name, "arguments": t.text(string(p.Call.Args))})
			}
		}
	}
	out, err := json.Marshal([]map[string]any{{"role": role, "parts": parts}})
	if err != nil {
		return "[]"
	}
	return string(out)
}
