package main

import (
	"fmt"
	"io"
	"time"

	"rein/app/harness"
)

// listJobs shows what runs in the background.
func listJobs(out io.Writer, s *harness.Session) {
	for _, job := range s.Jobs().Running() {
		fmt.Fprintf(out, "  %s runs since %v: %s\n", job.ID, time.Since(job.Started).Round(time.Second), oneLine(s.Mask().String(job.Command), 100))
	}
}

// showEndingJobs shows which background jobs end with the session.
func showEndingJobs(out io.Writer, s *harness.Session) {
	for _, job := range s.Jobs().Running() {
		fmt.Fprintf(out, "%s ends with the session: %s\n", job.ID, oneLine(s.Mask().String(job.Command), 100))
	}
}
