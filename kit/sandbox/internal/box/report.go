//go:build linux

package box

// Report is a message from a helper to the parent, one at a time.
type Report struct {
	Kind   uint32
	Index  int32  // of the call, for Failed and Attempted; the process number, for Started by a supervisor
	Errno  int32  // for Failed and Attempted
	Status uint32 // the wait status of the program, for Ended
	CPU    int64  // nanoseconds, for Ended
	ID     uint32 // of the run, from a supervisor
	Left   uint32 // processes that the program left running and that were ended with it, for Ended
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
const ReportSize = 4*6 + 8

// Encode returns the report as it is sent.
func (r Report) Encode() []byte {
	b := put32(make([]byte, 0, ReportSize), r.Kind)
	b = put32(put32(put32(b, uint32(r.Index)), uint32(r.Errno)), r.Status)
	return put32(put32(put64(b, uint64(r.CPU)), r.ID), r.Left)
}

// DecodeReport reads ReportSize bytes.
func DecodeReport(b []byte) Report {
	r := &reader{rest: b}
	return Report{Kind: r.u32(), Index: int32(r.u32()), Errno: int32(r.u32()), Status: r.u32(), CPU: int64(r.u64()), ID: r.u32(), Left: r.u32()}
}
