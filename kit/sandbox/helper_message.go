//go:build linux

package sandbox

// startOrder names the program to start after the calls.
type startOrder struct {
	Path, Dir string
	Argv, Env []string
	Terminal  bool // make stdin the controlling terminal
	Probe     bool // start nothing: the attempts were all
}

const (
	flagTerminal = 1 << iota
	flagProbe
)

// mostMessage is the most bytes that a message to process 1 may have.
const mostMessage = 8 << 20

// Encode makes the message that a helper reads: the calls, and what to start.
func (p *callProgram) Encode(o startOrder) []byte {
	b := p.encode(nil)
	flags := uint32(0)
	if o.Terminal {
		flags |= flagTerminal
	}
	if o.Probe {
		flags |= flagProbe
	}
	b = putBytes(putBytes(put32(b, flags), o.Path), o.Dir)
	return putStrings(putStrings(b, o.Argv), o.Env)
}

// Framed makes the same message for process 1, which reads from a stream: behind its length.
func (p *callProgram) Framed(o startOrder) []byte { return putBytes(nil, p.Encode(o)) }

// decode reads a message. It is false for bytes that Encode did not make.
func decode(b []byte) (*callProgram, startOrder, bool) {
	r := &reader{rest: b}
	p, ok := decodeProgram(r)
	if !ok {
		return nil, startOrder{}, false
	}
	flags := r.u32()
	o := startOrder{Path: r.string(), Dir: r.string(), Argv: r.strings(), Env: r.strings()}
	o.Terminal, o.Probe = flags&flagTerminal != 0, flags&flagProbe != 0
	return p, o, !r.short && len(r.rest) == 0
}
