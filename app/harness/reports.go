package harness

import (
	"rein/event"
	"rein/kit/telemetry"
)

// Reports report what sessions do as OpenTelemetry has it: see package telemetry. nil reports nothing.
type Reports = telemetry.Telemetry

// CountingReports are those of several harnesses. They count for WritePrometheus, whatever the environment says.
func CountingReports(version string, mask func(string) string, warn func(string)) *Reports {
	return telemetry.Open(telemetry.Options{Count: true, Version: version, Mask: mask, Warn: warn})
}

// reporting returns what sees recorded events: the reports, and after them the watcher of the session.
func reporting(r *Reports, watch func(event.Event)) func(event.Event) {
	switch {
	case r == nil:
		return watch
	case watch == nil:
		return r.Watch
	}
	return func(e event.Event) {
		r.Watch(e)
		watch(e)
	}
}

// Join makes a call that comes next, by its id, a part of the trace of who asks for it, as W3C Trace Context writes it; "" changes
// nothing.
func (s *Session) Join(call, traceparent string) { s.h.reports.Join(call, traceparent) }

// trace names a call to what serves it, so that what that reports belongs to the call; "" is the session. It is "" where nothing is
// reported.
func (c *confined) trace(call string) string { return c.h.reports.Traceparent(c.id, call) }

// traceEnv is the trace as a program finds it in its environment.
func (c *confined) traceEnv(call string) []string {
	if parent := c.trace(call); parent != "" {
		return []string{"TRACEPARENT=" + parent}
	}
	return nil
}
