package main

import (
	"fmt"
	"io"
	"time"

	"rein/app/harness"
	"rein/app/tui/text"
)

// listJobs shows what runs in the background.
func listJobs(show *plainScreen, s *harness.Session) {
	for _, job := range s.Jobs().Running() {
		since := time.Since(job.Started).Round(time.Second)
		fmt.Fprintln(show.Out, " ", show.Own.Of("%s runs since %v: %s", job.ID, since, oneLine(s.Mask().String(job.Command), 100)))
	}
}

// showEndingJobs shows which background jobs end with the session.
func showEndingJobs(out io.Writer, s *harness.Session, own text.Words) {
	for _, job := range s.Jobs().Running() {
		fmt.Fprintln(out, own.Of("%s ends with the session: %s", job.ID, oneLine(s.Mask().String(job.Command), 100)))
	}
}
