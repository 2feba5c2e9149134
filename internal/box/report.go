//go:build linux

package box

import "unsafe"

// Report is what the child tells the parent, one at a time.
type Report struct {
	Kind   uint32
	Index  int32 // of the call, for Failed and Attempted; the process number, for Started by a warden
	Errno  int32
	Status uint32 // the wait status of the program, for Ended; the last result, for Probed by a warden
	CPU    int64  // nanoseconds, for Ended
	ID     uint32 // of the run, from a warden
}

// The kinds of reports.
const (
	Failed    = 1 + iota // a call failed and nothing was started
	Attempted            // an attempt was made; Errno 0 means that it was allowed
	Started              // the program runs
	Ended                // the program has ended
	File                 // an open file comes with this report
	Probed               // the attempts are over
)

// ReportSize is the length of a report in bytes.
const ReportSize = int(unsafe.Sizeof(Report{}))

// Bytes gives the report as it is sent.
func (r *Report) Bytes() []byte { return unsafe.Slice((*byte)(unsafe.Pointer(r)), ReportSize) }
