//go:build linux

package sandbox

// helperReport is a message from a helper to the parent, one at a time.
type helperReport struct {
	Kind   uint32
	Index  int32  // of the call, for reportFailed and reportAttempted; the process number, for reportStarted by a supervisor
	Errno  int32  // for reportFailed and reportAttempted
	Status uint32 // the wait status of the program, for reportEnded
	CPU    int64  // nanoseconds, for reportEnded
	ID     uint32 // of the run, from a supervisor
}

// The kinds of reports.
const (
	reportFailed    = 1 + iota // a call failed and nothing was started
	reportAttempted            // an attempt was made; Errno 0 means that it was allowed
	reportStarted              // the program runs
	reportEnded                // the program has ended
	reportFile                 // an open file comes with this report
	reportProbed               // the attempts are over
)

// reportSize is the length of a report in bytes.
const reportSize = 4*5 + 8

// Encode returns the report as it is sent.
func (r helperReport) Encode() []byte {
	b := put32(make([]byte, 0, reportSize), r.Kind)
	b = put32(put32(put32(b, uint32(r.Index)), uint32(r.Errno)), r.Status)
	return put32(put64(b, uint64(r.CPU)), r.ID)
}

// decodeReport reads reportSize bytes.
func decodeReport(b []byte) helperReport {
	r := &reader{rest: b}
	return helperReport{Kind: r.u32(), Index: int32(r.u32()), Errno: int32(r.u32()), Status: r.u32(), CPU: int64(r.u64()), ID: r.u32()}
}
