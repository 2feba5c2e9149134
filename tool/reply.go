package tool

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"rein/redact"
)

// Reply is what a tool writes its answer to. It is bounded while it is written: the first and the last part are kept for
// the model, the middle is counted, and the whole goes to a spill file. Several goroutines may use it.
type Reply struct {
	call          string
	chosen        *Chosen
	mostParts     int
	mostPartBytes int
	tools         Set
	run           func(context.Context, []Call) ([]Result, error)

	mu        sync.Mutex
	out       OutputWriter
	notes     []string
	detail    json.RawMessage
	parts     []Part
	partBytes int         // of all parts
	live      *liveWriter // nil: nobody watches
	closed    bool
}

// ReplyOptions are the bounds of a reply. The zero value keeps DefaultOutputLimit bytes and spills nothing.
type ReplyOptions struct {
	Call   string             // id of the call
	Chosen *Chosen            // the user's answer to the call's Questions; nil without one
	Limit  int                // bytes of text kept for the model; 0 means DefaultOutputLimit
	Spill  *OutputStore       // where the whole text goes when it does not fit; nil: it is dropped
	Live   func(piece []byte) // sees every piece as it is written; must not keep it; may be nil

	Parts     int // images, documents and links; 0 means DefaultParts
	PartBytes int // bytes of all images and documents together; 0 means DefaultPartBytes

	// Tools are the tools that a tool that nests may call, and Run runs such calls. Nil: it cannot.
	Tools Set
	Run   func(context.Context, []Call) ([]Result, error)

	// Mask hides secrets in the text, in the spilled whole and in what Live sees; nil hides well-known shapes of keys.
	Mask *redact.Filter
}

// mostLive is how many bytes of one output are shown live. What comes after them is only in the result.
const mostLive = 1 << 20

// NewReply makes an empty reply.
func NewReply(o ReplyOptions) *Reply {
	r := &Reply{call: o.Call, chosen: o.Chosen, run: o.Run, tools: o.Tools, mostParts: o.Parts, mostPartBytes: o.PartBytes, out: OutputWriter{Limit: o.Limit, Spill: o.Spill, Mask: o.Mask}}
	if r.mostParts <= 0 {
		r.mostParts = DefaultParts
	}
	if r.mostPartBytes <= 0 {
		r.mostPartBytes = DefaultPartBytes
	}
	if o.Live != nil {
		r.live = &liveWriter{out: o.Mask.Writer(live(o.Live))}
	}
	return r
}

// liveWriter shows the first mostLive bytes of what is written.
type liveWriter struct {
	out   *redact.Writer
	shown int
}

func (l *liveWriter) write(p []byte) {
	if l.shown < mostLive {
		l.shown += len(p)
		l.out.Write(p[max(0, len(p)-mostLive):])
	}
}

// live is a function that sees what is written, as a writer.
type live func(piece []byte)

func (f live) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

var errClosed = errors.New("the call has ended")

// Write adds to the text for the model. It never blocks for long and fails only after the call has ended.
func (r *Reply) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, errClosed
	}
	if r.live != nil {
		r.live.write(p)
	}
	return r.out.Write(p)
}

// WriteString is Write for a string.
func (r *Reply) WriteString(s string) (int, error) { return r.Write([]byte(s)) }

// Progress shows a line live, to who watches the call. It is not part of the answer.
func (r *Reply) Progress(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live != nil && !r.closed {
		r.live.write([]byte(text + "\n"))
	}
}

// Note adds a line of the program's own, shown before the output: what was repaired, guessed or left out.
func (r *Reply) Note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.notes = append(r.notes, text)
	}
}

// Call returns the id of the call that is being answered.
func (r *Reply) Call() string { return r.call }

// Chosen returns the user's answer to the Questions of the call's Intent; nil where the user approved the call without an
// answer, and for a call that asks nothing.
func (r *Reply) Chosen() *Chosen { return r.chosen }

// Tools returns the tools that Run can call.
func (r *Reply) Tools() Set { return r.tools }

// Run runs calls of other tools as part of this one: each takes all steps of the pipeline, in the order and at the same
// time as the calls of one turn. Only a tool with Nests can do this. The ids of the calls are set by the pipeline. After a
// restart the tool runs again and must send the same calls: those that were done have their recorded results. An error
// ends the call; one of the kind Waiting means that a call waits for an approval, and the tool must return it.
func (r *Reply) Run(ctx context.Context, calls []Call) ([]Result, error) {
	if r.run == nil {
		return nil, &Error{Kind: Unsupported, Text: "No other tools can be called here."}
	}
	return r.run(ctx, calls)
}

// Show sets the detail for the screen, encoded as JSON; the model does not see it. A detail that cannot be encoded is
// dropped.
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

// Close ends the reply and returns what was written; later writes fail. Text is valid UTF-8 and bounded.
func (r *Reply) Close() (text string, cut *Cut, notes []string, detail json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live != nil && !r.closed {
		r.live.out.Close()
	}
	r.closed = true
	kept := r.out.Close()
	if kept.Cut() {
		cut = &Cut{Lines: kept.CutLines, Bytes: kept.CutBytes, Total: kept.Total, Ref: kept.Ref}
	}
	return kept.Text, cut, r.notes, r.detail
}
