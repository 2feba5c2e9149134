package agent

import (
	"fmt"
	"time"

	"rein/agent/compact"
	"rein/event"
	"rein/model"
	"rein/tool"
)

// conversation is what the model gets, and what is known to keep it legal and within the window of the model.
type conversation struct {
	history compact.History
	open    *openAnswer    // the last answer while its calls have no results
	ledger  compact.Ledger // what survives a compaction
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
func (c *conversation) limitsFor(info model.Info, o Compaction) compact.Limits {
	window := info.Context
	if learned := c.windows[info.String()]; learned > 0 && (window == 0 || learned < window) {
		window = learned
	}
	return o.LimitsFor(window, info.MaxInput, info.MaxOutput)
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
