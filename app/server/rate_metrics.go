package server

import (
	"fmt"
	"io"
)

// serverMetrics are the figures of a server for a user.
type serverMetrics struct {
	States   []string       // of sessions, in their order
	Sessions map[string]int // the newest ones, by state
	Most     int            // how many of a workspace are counted
	Pending  int            // approval requests that wait
	Streams  int            // open event streams
	Answers  func(class int) int64
}

// Write writes the text format of Prometheus. Here no label has a value that a client or a model chooses.
func (m serverMetrics) Write(w io.Writer) error {
	var err error
	line := func(format string, values ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format, values...)
		}
	}
	begin := func(name, kind, help string) { line("# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	begin("rein_sessions", "gauge", fmt.Sprintf("The newest sessions by state, at most %d of a workspace.", m.Most))
	for _, state := range m.States {
		line("rein_sessions{state=%q} %d\n", state, m.Sessions[state])
	}
	begin("rein_approval_requests", "gauge", "Approval requests that wait.")
	line("rein_approval_requests %d\n", m.Pending)
	begin("rein_event_streams", "gauge", "Open event streams.")
	line("rein_event_streams %d\n", m.Streams)
	begin("rein_http_answers_total", "counter", "Answers by the class of their status.")
	for class := 2; class <= 5; class++ {
		line("rein_http_answers_total{class=\"%dxx\"} %d\n", class, m.Answers(class))
	}
	return err
}
