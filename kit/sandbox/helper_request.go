//go:build linux

package sandbox

// helperRequest is what the parent wants of the supervisor. With Start and startZygote the message follows in the same packet;
// with Start the program's three streams come as open files, with startInit the control socket of process 1.
type helperRequest struct {
	Kind   uint32
	ID     uint32 // of the run
	Signal uint32 // for Signal
	Zygote uint32 // the run of the zygote, for startInit and endZygote
	Fresh  bool   // for Start, see below
}

// The kinds of requests.
const (
	// requestStart carries out the calls and starts the program. Fresh does so on a new thread, which serves all that comes after:
	// what the calls restrict is restricted for every later program, and not for the supervisor's other threads.
	requestStart = 1 + iota
	// requestSignal sends a signal to all processes of a run.
	requestSignal
	// requestZygote carries out the calls on a new thread with mounts of its own, from which startInit copies them.
	requestZygote
	// requestInit starts process 1 of a program with process and mount namespaces of its own. It reads its message, and the
	// program's streams, from its control socket.
	requestInit
	// requestEndZygote ends the thread of a zygote. Programs that run are not disturbed.
	requestEndZygote
)

// requestSize is the length of a request's head in bytes.
const requestSize = 4 * 5

// largestRequest is the most that one packet holds.
const largestRequest = 160 << 10

// mostFiles is how many open files come with a message at most: three streams, a control socket, a program, groups.
const mostFiles = 8

// Encode returns the head as it is sent.
func (r helperRequest) Encode() []byte {
	b := put32(make([]byte, 0, requestSize), r.Kind)
	fresh := uint32(0)
	if r.Fresh {
		fresh = 1
	}
	return put32(put32(put32(put32(b, r.ID), r.Signal), r.Zygote), fresh)
}

// decodeRequest reads the head of a packet.
func decodeRequest(b []byte) (helperRequest, bool) {
	r := &reader{rest: b}
	q := helperRequest{Kind: r.u32(), ID: r.u32(), Signal: r.u32(), Zygote: r.u32(), Fresh: r.u32() != 0}
	return q, !r.short
}
