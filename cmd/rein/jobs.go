package main

import (
	"fmt"
	"io"
	"time"
)

// listJobs tells the user what runs in the background.
func (w *wired) listJobs(out io.Writer) {
	for _, job := range w.jobs.Running() {
		fmt.Fprintf(out, "  %s runs since %v: %s\n", job.ID, time.Since(job.Started).Round(time.Second), oneLine(w.mask.String(job.Command), 100))
	}
}

// tellJobsEnd tells what the end of the session ends with it.
func (w *wired) tellJobsEnd(out io.Writer) {
	for _, job := range w.jobs.Running() {
		fmt.Fprintf(out, "%s ends with the session: %s\n", job.ID, oneLine(w.mask.String(job.Command), 100))
	}
}
