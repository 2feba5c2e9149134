// Package telemetry reports what sessions do as OpenTelemetry traces, metrics and logs, over OTLP, with the names of the GenAI
// semantic conventions. The variables OTEL_* of the environment say where to; without them nothing is sent and nothing runs.
//
// It makes everything from the events of sessions, so that one line is enough:
//
//	s := a.Start(agent.SessionOptions{Watch: telemetry.Open(telemetry.Options{}).Watch})
//
// One message of the user is one trace: invoke_agent, below it the requests to the model (chat) and the calls (execute_tool), and
// below a call the sub-agent or the program that serves it.
package telemetry

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strings"
	"sync"
	"time"

	"rein/redact"
)

// Options say how telemetry is opened. The zero value takes all from the environment.
type Options struct {
	Getenv  func(string) string // nil: os.Getenv
	Count   bool                // metrics are counted for WritePrometheus, whatever the environment says
	Version string              // of the program
	Mask    func(string) string // hides secrets in content; nil hides well-known shapes of keys
	Warn    func(string)        // receives lines for the operator: a wrong variable, the first failure to send; nil drops them
}

// Telemetry reports the events of sessions. A nil *Telemetry is switched off: all its methods work and do nothing. It may be used by
// several goroutines at once.
type Telemetry struct {
	options Options
	env     environment
	remote  spanContext // of TRACEPARENT; zero: none
	content bool        // what messages, arguments and results say is reported
	counts  *metrics

	mu       sync.Mutex
	sessions map[string]*session
	calls    map[callKey]*span      // that are open
	joined   map[string]spanContext // parents that came with a call or a session, by its id
	out      exporter
}

// Open returns what reports as the environment says; nil where it names no place to report to, or has OTEL_SDK_DISABLED. Close it at
// the end.
func Open(o Options) *Telemetry {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Mask == nil {
		o.Mask = (*redact.Filter)(nil).String
	}
	env := readEnvironment(o.Getenv, o.Version, o.Warn)
	if !o.Count && !env.sends() {
		return nil
	}
	t := &Telemetry{options: o, env: env, sessions: map[string]*session{}, calls: map[callKey]*span{}, joined: map[string]spanContext{}}
	t.remote = parseTraceparent(o.Getenv("TRACEPARENT"))
	t.remote.state = o.Getenv("TRACESTATE")
	t.content = strings.EqualFold(o.Getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"), "true")
	t.counts = newMetrics(env.delta)
	t.out = newExporter(t)
	return t
}

// Close sends what is left, for at most three seconds, and ends.
func (t *Telemetry) Close(ctx context.Context) {
	if t == nil {
		return
	}
	t.mu.Lock()
	now := time.Now()
	for id, s := range t.sessions {
		t.stop(id, s, now, "", "")
	}
	t.mu.Unlock()
	t.out.close(ctx)
}

// Traceparent returns the context of a call as W3C Trace Context writes it, for a program or a server that serves the call; of the
// session where the call is not known or "". It is "" where neither is traced.
func (t *Telemetry) Traceparent(session, call string) string {
	if t == nil || !t.env.traces.sends() {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.calls[callKey{session, call}]; s != nil {
		return s.spanContext.traceparent()
	}
	for key, s := range t.calls { // of a sub-agent
		if key.call == call {
			return s.spanContext.traceparent()
		}
	}
	if s := t.sessions[session]; s != nil && s.agent != nil {
		return s.agent.spanContext.traceparent()
	}
	return ""
}

// Join makes what comes next for a session or a call, by its id, a child of the span that traceparent names. It is forgotten when that
// has ended. A traceparent that cannot be read is ignored.
func (t *Telemetry) Join(id, traceparent string) {
	if t == nil {
		return
	}
	if c := parseTraceparent(traceparent); c.trace != (traceID{}) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if len(t.joined) < mostOpen {
			t.joined[id] = c
		}
	}
}

// mostOpen is how many sessions, and how many calls, are followed at once. What comes beyond is counted and not traced.
const mostOpen = 10_000

// callKey names a call: its id is unique in its session.
type callKey struct{ session, call string }

type (
	traceID [16]byte
	spanID  [8]byte
)

// spanContext names a span for its children.
type spanContext struct {
	trace   traceID
	id      spanID
	state   string // tracestate
	dropped bool   // it is not sampled
}

// traceparent is the context as the header of that name.
func (c spanContext) traceparent() string {
	flags := "-01"
	if c.dropped {
		flags = "-00"
	}
	return "00-" + hex.EncodeToString(c.trace[:]) + "-" + hex.EncodeToString(c.id[:]) + flags
}

// parseTraceparent reads a traceparent; the zero context where it is none.
func parseTraceparent(text string) (c spanContext) {
	parts := strings.Split(strings.TrimSpace(text), "-")
	if len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || len(parts[1]) != 32 || len(parts[2]) != 16 || len(parts[3]) != 2 {
		return spanContext{}
	}
	_, wrongTrace := hex.Decode(c.trace[:], []byte(parts[1]))
	_, wrongSpan := hex.Decode(c.id[:], []byte(parts[2]))
	flags, err := hex.DecodeString(parts[3])
	if cmp.Or(wrongTrace, wrongSpan, err) != nil || c.trace == (traceID{}) || c.id == (spanID{}) {
		return spanContext{}
	}
	c.dropped = flags[0]&1 == 0
	return c
}

// span is one span while it is open.
type span struct {
	spanContext
	parent     spanID
	name       string
	kind       int
	start, end time.Time
	attrs      []attr
	events     []occurrence
	dropped    int // events that are left out
	failed     bool
	why        string // it failed

	asked   time.Time // when a call last needed an approval
	granted time.Time
	tool    string
}

// occurrence is one thing that happened in a span.
type occurrence struct {
	at    time.Time
	name  string
	attrs []attr
}

// The bounds of a span.
const (
	mostEvents = 128
	mostText   = 16 << 10 // bytes of content in one attribute
	mostName   = 128      // bytes of the name of a tool
)

// begin starts a span below a parent; the zero parent begins a trace.
func (t *Telemetry) begin(parent spanContext, name string, kind int, at time.Time, attrs ...attr) *span {
	s := &span{name: name, kind: kind, start: at, attrs: attrs, parent: parent.id}
	s.trace, s.state, s.spanContext.dropped = parent.trace, parent.state, parent.dropped
	if s.trace == (traceID{}) {
		rand.Read(s.trace[:])
		s.spanContext.dropped = !t.env.sampled(binary.BigEndian.Uint64(s.trace[8:]), nil)
	} else if parent == t.remote {
		s.spanContext.dropped = !t.env.sampled(binary.BigEndian.Uint64(s.trace[8:]), &parent)
	}
	rand.Read(s.id[:])
	return s
}

// note adds what happened in a span, and reports it as a log record.
func (t *Telemetry) note(s *span, at time.Time, name string, attrs ...attr) {
	if s == nil {
		return
	}
	e := occurrence{at, name, attrs}
	t.out.log(e, s)
	if len(s.events) < mostEvents {
		s.events = append(s.events, e)
	} else {
		s.dropped++
	}
}

// finish ends a span and hands it over.
func (t *Telemetry) finish(s *span, at time.Time, attrs ...attr) {
	s.end, s.attrs = at, append(s.attrs, attrs...)
	t.out.span(s)
}

// fail marks a span as failed. The reason may tell content and is only there where that is wanted.
func (t *Telemetry) fail(s *span, class, why string) {
	s.failed = true
	s.attrs = append(s.attrs, attr{errorType, class})
	if t.content {
		s.why = t.text(why)
	}
}

// text is content without secrets, bounded.
func (t *Telemetry) text(s string) string {
	s = t.options.Mask(s)
	if len(s) > mostText {
		s = strings.ToValidUTF8(s[:mostText], "") + " …"
	}
	return s
}
