package tool

import (
	"encoding/json"
	"errors"
	"io"
	"sync"

	"rein/internal/bound"
)

// Reply is what a tool writes its answer to. What is written is bounded at once: the first and the last part are
// kept for the model, the middle is counted, the whole goes to a spill file. It may be used by several goroutines.
type Reply struct {
	call   string
	depth  int
	mu     sync.Mutex
	out    bound.Writer
	notes  []string
	detail json.RawMessage
	live   func(piece []byte)
	mask   io.WriteCloser // nil: none
	closed bool
}

// ReplyOptions are the bounds of a reply; the zero value keeps bound.DefaultLimit bytes and spills nothing.
type ReplyOptions struct {
	Call  string             // id of the call
	Depth int                // 0 when the user's own session calls, 1 for its delegates, …
	Limit int                // bytes kept for the model; 0 means bound.DefaultLimit
	Spill *bound.Store       // where the whole goes when it does not fit; nil: it is dropped
	Live  func(piece []byte) // sees every piece as it is written; must not keep it; may be nil

	// Mask stands in front of all that is written, so that neither Live nor the spill file sees a secret. Its Close
	// writes what it held back. It may be nil.
	Mask func(io.Writer) io.WriteCloser
}

// NewReply makes an empty reply.
func NewReply(o ReplyOptions) *Reply {
	r := &Reply{call: o.Call, depth: o.Depth, out: bound.Writer{Limit: o.Limit, Spill: o.Spill}, live: o.Live}
	if o.Mask != nil {
		r.mask = o.Mask((*unmasked)(r))
	}
	return r
}

// unmasked is the reply behind its mask; r.mu is held.
type unmasked Reply

func (r *unmasked) Write(p []byte) (int, error) {
	if r.live != nil {
		r.live(p)
	}
	return r.out.Write(p)
}

var errClosed = errors.New("the call has ended")

// Write adds to the text that the model reads. It never blocks for long and fails only after the call has ended.
func (r *Reply) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, errClosed
	}
	if r.mask != nil {
		return r.mask.Write(p)
	}
	return (*unmasked)(r).Write(p)
}

// WriteString is Write for a string.
func (r *Reply) WriteString(s string) (int, error) { return r.Write([]byte(s)) }

// Note adds a line of the harness's own words, shown before the output: what was mended, guessed or left out.
func (r *Reply) Note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.notes = append(r.notes, text)
	}
}

// Call gives the id of the call that is being answered.
func (r *Reply) Call() string { return r.call }

// Depth gives how many delegates stand between the user's session and this call.
func (r *Reply) Depth() int { return r.depth }

// Show sets the detail for the screen, encoded as JSON; the model does not see it. A detail that cannot be encoded
// is dropped.
func (r *Reply) Show(detail any) {
	encoded, err := json.Marshal(detail)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.detail = encoded
	}
}

// Close ends the reply and gives what was written; later writes fail. Text is valid UTF-8 and bounded.
func (r *Reply) Close() (text string, cut *Cut, notes []string, detail json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mask != nil && !r.closed {
		r.mask.Close()
	}
	r.closed = true
	kept := r.out.Close()
	if kept.Cut() {
		cut = &Cut{Lines: kept.CutLines, Bytes: kept.CutBytes, Total: kept.Total, Ref: kept.Ref}
	}
	return kept.Text, cut, r.notes, r.detail
}
