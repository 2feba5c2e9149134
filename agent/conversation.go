package agent

import (
	"fmt"
	"time"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// conversation is what the model gets, and what is known to keep it legal and within the window of the model.
type conversation struct {
	history measuredHistory
	open    *openAnswer      // the last answer while its calls have no results
	ledger  compactionLedger // what survives a compaction
	checker checker

	windows     map[string]int // by model: what a refusal named as its window
	compactions []int          // the requests before which messages were replaced, for the last message of the user
	lastAsked   time.Time      // the last request
	lastModel   string         // which got it
	cache       cached
}

// add adds a message, and the calls in it that are to be run. seq is the number of its event.
func (c *conversation) add(m *model.Message, seq int64) {
	c.history.Add(m, seq)
	if len(m.Calls()) > 0 {
		c.open = &openAnswer{message: m, seq: seq, results: map[string]tool.Result{}}
	}
}

// close ends the open answer with the results that it has.
func (c *conversation) close() {
	if results := c.open.parts(); len(results) > 0 {
		c.history.Add(model.Answer(c.open.message, results...), c.open.seq)
	}
	c.open = nil
}

// replace applies a compaction that is recorded.
func (c *conversation) replace(e event.Event, notes *model.Message, turn int) {
	c.history.Apply(e, notes)
	if e.Compaction.Stage != event.ByReference {
		c.compactions = append(c.compactions[:len(c.compactions):len(c.compactions)], turn)
	}
}

// limitsFor are the sizes for a model.
func (c *conversation) limitsFor(info model.Info, o Compaction) CompactionLimits {
	window := info.Context
	if learned := c.windows[info.String()]; learned > 0 && (window == 0 || learned < window) {
		window = learned
	}
	l := o.LimitsFor(window, info.MaxInput, info.MaxOutput)
	if taken := c.history.fix[c.history.asked].apply(c.history.base); l.Window > 0 && taken > l.Window/4 {
		l = l.beside(taken)
	}
	return l
}

// thrashing fails when the conversation was compacted too often: the model reads what does not fit again and again.
func (c *conversation) thrashing(reason string, turn int) error {
	recent := 0
	for _, before := range c.compactions {
		if before > turn-compactionsWithin {
			recent++
		}
	}
	if recent < mostCompactions-1 || reason == becauseUser {
		return nil
	}
	return fmt.Errorf("%w: it was compacted %d times within %d requests and is full again (%s). Ask for less at once, or use a model with a larger window",
		ErrFull, recent, compactionsWithin, c.history.Largest())
}

// openAnswer is an answer of the model whose calls are not all done.
type openAnswer struct {
	message *model.Message
	seq     int64                  // of its event
	results map[string]tool.Result // of the calls that are done, by id
	lost    []string               // of these, the calls whose result is that the outcome is unknown, and is not recorded yet
}

// remaining are the calls that have no result.
func (o *openAnswer) remaining() (calls []tool.Call) {
	for _, p := range o.message.Calls() {
		if _, done := o.results[p.ID]; !done {
			calls = append(calls, tool.Call{ID: p.ID, Name: p.Name, Args: []byte(p.Args), Truncated: p.Truncated})
		}
	}
	return calls
}

// nameOf returns the name of a call.
func (o *openAnswer) nameOf(call string) (name string) {
	for _, p := range o.message.Calls() {
		if p.ID == call {
			name = p.Name
		}
	}
	return name
}

// parts are the results so far, as the model gets them.
func (o *openAnswer) parts() (parts []model.Part) {
	for _, p := range o.message.Calls() {
		if r, ok := o.results[p.ID]; ok {
			parts = append(append(parts, model.Result(p.ID, r.Text, r.Failed)), attached(r)...)
		}
	}
	return parts
}

// attached are the images and documents of a result, for the model. Its links are in the text.
func attached(r tool.Result) (parts []model.Part) {
	for _, p := range r.Parts {
		switch p.Kind {
		case tool.ImagePart:
			parts = append(parts, model.Part{Kind: model.ImageKind, ID: r.ID, MediaType: p.MediaType, Data: p.Data})
		case tool.DocumentPart:
			parts = append(parts, model.Part{Kind: model.DocumentKind, ID: r.ID, MediaType: p.MediaType, Data: p.Data, Name: p.Name})
		}
	}
	return parts
}

// closeAnswer adds the message with the results of the open answer.
func (r *run) closeAnswer() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close()
}

// recordLost records the results of calls whose outcome is unknown.
func (r *run) recordLost() error {
	for _, id := range r.open.lost {
		result := r.open.results[id]
		if _, err := r.record(event.Event{Kind: event.Replied, Call: &tool.Call{ID: id, Name: result.Name}, Result: &result}); err != nil {
			return err
		}
	}
	r.open.lost = nil
	return nil
}
