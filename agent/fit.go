package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"rein/agent/compact"
	"rein/agent/history"
	"rein/event"
	"rein/hook"
	"rein/model"
)

// Compaction says when and how a conversation is compacted. The zero value has the defaults.
type Compaction struct {
	compact.Options
	// Model writes the summaries. Nil: the agent's own, which has the conversation in its cache.
	Model model.Model
	// Timeout bounds the request for a summary; 0 means DefaultSummaryTimeout.
	Timeout time.Duration
}

// DefaultSummaryTimeout bounds the request for a summary when Compaction.Timeout is 0.
const DefaultSummaryTimeout = 2 * time.Minute

// ErrFull means that the conversation was compacted several times within a few requests and is full again: what the model
// reads does not fit its window.
var ErrFull = errors.New("the conversation does not fit the window of the model")

// fitting is the part of a session that keeps its conversation legal and within the window.
type fitting struct {
	checker     history.Checker
	windows     map[string]int // by model: what a refusal named as its window
	asked       time.Time      // the last request
	askedModel  string
	cache       cached
	compactions []int // the requests before which messages were replaced, for the last message of the user
}

// The thrash breaker: this many compactions within so many requests stop the session.
const (
	mostCompactions   = 3
	compactionsWithin = 10
	cacheLife         = 5 * time.Minute // after which a provider has forgotten the conversation
	leastColdFree     = 8_000           // tokens that references must free when that costs nothing
	summaryAllowance  = 16_000          // tokens of thinking beside a summary
)

// Why a conversation is compacted.
const (
	becauseFull     = "full"
	becauseCold     = "cold cache"
	becauseOverflow = "overflow"
	becauseUser     = "user"
	becauseLarge    = "large result"
)

// limits are the sizes for the model that is asked.
func (w *work) limits() compact.Limits { return w.limitsOf(w.model().Info()) }

func (s *Session) limitsOf(info model.Info) compact.Limits {
	window := info.Context
	if learned := s.windows[info.String()]; learned > 0 && (window == 0 || learned < window) {
		window = learned
	}
	return s.agent.Compact.LimitsFor(window, info.MaxInput, info.MaxOutput)
}

// fit compacts the conversation where the next request needs it, the cheapest stage first.
func (w *work) fit() error {
	name := w.model().Info().String()
	changed := w.history.Asked() != name
	if changed {
		w.mu.Lock()
		w.history.Base(name, w.agent.System, w.specs)
		w.mu.Unlock()
	}
	l := w.limits()
	if l.Window == 0 || w.agent.Compact.Off {
		return nil
	}
	if refs := w.history.Oversize(l, changed); len(refs) > 0 {
		if err := w.compact(event.Compaction{Stage: event.ByReference, Reason: becauseLarge, References: refs, Window: l.Window}, nil, nil); err != nil {
			return err
		}
	}
	cold := !w.asked.IsZero() && (time.Since(w.asked) > cacheLife || w.askedModel != "" && w.askedModel != name)
	if n := w.history.Tokens(); cold || n >= l.References {
		if err := w.refer(l, cold && n < l.References); err != nil {
			return err
		}
	}
	if w.history.Tokens() >= l.Summary {
		done, err := w.summarise(l, becauseFull, "")
		if err != nil || done {
			return err
		}
	}
	if w.history.Tokens() >= l.Cut {
		return w.cut(l, becauseFull, l.Usable*60/100)
	}
	return nil
}

// refer replaces old results by references, when that frees enough.
func (w *work) refer(l compact.Limits, cold bool) error {
	refs, freed := w.history.References(l, w.keeps)
	least, reason := l.MustFree, becauseFull
	if cold {
		least, reason = min(max(leastColdFree, l.Window/10), l.MustFree), becauseCold
	}
	if freed < least {
		return nil
	}
	return w.compact(event.Compaction{Stage: event.ByReference, Reason: reason, References: refs, Window: l.Window}, nil, nil)
}

// keeps reports whether the result of a call stays whole: its tool wants that.
func (w *work) keeps(p model.Part) bool {
	t := w.tools.Get(p.Name)
	return t != nil && t.Keep
}

// summarise replaces the older messages by notes with a summary by the model. done is false when the summary failed or
// freed too little: then nothing has changed.
func (w *work) summarise(l compact.Limits, reason, focus string) (done bool, err error) {
	if err := w.thrashing(reason); err != nil {
		return false, err
	}
	c, ok := w.history.Tail(l, l.Tail)
	if !ok {
		c, err = w.history.CutTo(l, 0)
	}
	if err != nil || c.To == 0 {
		return false, err
	}
	if !w.mayCompact(reason, focus) {
		return false, nil
	}
	w.live(event.Notice, "the conversation is long: the model writes a summary of its older part")
	text, usage, err := w.summary(l, focus)
	if err != nil {
		if w.ctx.Err() != nil {
			return false, context.Cause(w.ctx)
		}
		w.live(event.Notice, "the summary failed: "+err.Error())
		return false, nil
	}
	notes := model.UserText(w.ledger.Notes(compact.Bound(text, l.SummaryOut*3/2), l.Anchors, l.Prompts))
	e := event.Compaction{Stage: event.BySummary, Reason: reason, Focus: focus, To: c.To, References: c.References, Window: l.Window}
	after := w.history.Clone()
	after.Apply(event.Event{Compaction: &e}, notes)
	if free := w.history.Tokens() - after.Tokens(); free < l.MustFree && reason != becauseUser || free <= 0 {
		w.spend(usage)
		w.live(event.Notice, fmt.Sprintf("the summary would free only %d tokens", max(free, 0)))
		return false, nil
	}
	return true, w.compact(e, notes, &usage)
}

// summary asks a model for the summary. The request is the conversation with one message more, so that it is read from the
// provider's cache.
func (w *work) summary(l compact.Limits, focus string) (string, event.Usage, error) {
	m, all := w.model(), w.history.Messages()
	need := w.history.Tokens() + l.SummaryOut*2
	if other := w.agent.Compact.Model; other != nil {
		m = other
	}
	window := l.Window
	if n := m.Info().Context; n > 0 && m != w.model() {
		window = n
	}
	if need > window {
		all = w.history.Newest(window - (need - w.history.Tokens()))
	}
	if len(all) == 0 {
		return "", event.Usage{}, errors.New("the conversation leaves no room for it")
	}
	timeout := w.agent.Compact.Timeout
	if timeout <= 0 {
		timeout = DefaultSummaryTimeout
	}
	ctx, cancel := context.WithTimeoutCause(w.ctx, timeout, fmt.Errorf("no summary within %v", timeout))
	defer cancel()
	most := l.SummaryOut * 2
	if w.agent.Effort != "" && w.agent.Effort != "none" {
		most += summaryAllowance
	}
	messages, _ := w.checker.Legal(append(all, model.UserText(compact.Ask(focus, l.SummaryOut))), m.Info())
	held, _ := w.most()
	if w.account.Take(ctx, held) != nil {
		return "", event.Usage{}, errors.New("the budget has no room for it")
	}
	done, err := model.Ask(ctx, m, &model.Request{System: w.agent.System, Messages: messages, Tools: w.specs, Effort: w.agent.Effort, Session: w.o.ID, MaxTokens: most})
	usage := usageOf(done.Usage)
	w.paid(held, usage)
	if err != nil {
		return "", event.Usage{}, err
	}
	if compact.Empty(done.Message.Text()) {
		w.spend(usage)
		return "", usage, errors.New("the model wrote none")
	}
	return done.Message.Text(), usage, nil
}

// cut replaces the older messages by notes without a summary. It needs no model.
func (w *work) cut(l compact.Limits, reason string, aim int) error {
	if err := w.thrashing(reason); err != nil {
		return err
	}
	for {
		c, err := w.history.CutTo(l, aim)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
		notes := model.UserText(w.ledger.Notes("", c.Notes, min(l.Prompts, c.Notes)))
		e := event.Compaction{Stage: event.ByCut, Reason: reason, To: c.To, References: c.References, Window: l.Window}
		after := w.history.Clone()
		after.Apply(event.Event{Compaction: &e}, notes)
		if aim <= 0 || after.Tokens() <= l.Usable {
			return w.compact(e, notes, nil)
		}
		aim = 0 // everything goes
	}
}

// thrashing fails when the conversation was compacted too often: the model reads what does not fit again and again.
func (w *work) thrashing(reason string) error {
	recent := 0
	for _, turn := range w.compactions {
		if turn > w.turn-compactionsWithin {
			recent++
		}
	}
	if recent < mostCompactions-1 || reason == becauseUser {
		return nil
	}
	return fmt.Errorf("%w: it was compacted %d times within %d requests and is full again (%s). Ask for less at once, or use a model with a larger window",
		ErrFull, recent, compactionsWithin, w.history.Largest())
}

// compact records a compaction and applies it.
func (w *work) compact(c event.Compaction, notes *model.Message, usage *event.Usage) error {
	e := event.Event{Kind: event.Compacted, Compaction: &c, Usage: usage}
	after := w.history.Clone()
	after.Apply(e, notes)
	c.Before, c.After = w.history.Tokens(), after.Tokens()
	e.Text = fmt.Sprintf("the conversation was compacted: %d → %d tokens (%s)", c.Before, c.After, c.Stage)
	if notes != nil {
		encoded, err := json.Marshal(notes)
		if err != nil {
			return err
		}
		e.Message = encoded
	}
	if _, err := w.record(e); err != nil {
		return err
	}
	if usage != nil {
		w.spend(*usage)
	}
	w.replace(e, notes, w.turn)
	w.cache.replaced = true
	if c.Stage != event.ByReference {
		w.hooks(hook.PostCompact, hook.Input{Why: trigger(c.Reason), Text: notes.Text()})
	}
	return nil
}

// replace applies a compaction that is recorded.
func (s *Session) replace(e event.Event, notes *model.Message, turn int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history.Apply(e, notes)
	if e.Compaction.Stage != event.ByReference {
		s.compactions = append(s.compactions[:len(s.compactions):len(s.compactions)], turn)
	}
}

// compacted applies a compaction of the journal.
func (p *past) compacted(e event.Event) {
	if e.Compaction == nil {
		return
	}
	if e.Usage != nil {
		p.counted(*e.Usage, 1)
	}
	var notes *model.Message
	if len(e.Message) > 0 {
		notes = new(model.Message)
		if err := json.Unmarshal(e.Message, notes); err != nil {
			p.notices = append(p.notices, "the notes of a compaction cannot be read: the older messages are sent again")
			return
		}
	}
	p.replace(e, notes, e.Turn)
}

// Compact replaces the older part of the conversation by a summary now; focus says what must be kept. It gives events as Send
// does. It fails while calls wait for an approval.
func (s *Session) Compact(ctx context.Context, focus string) iter.Seq2[event.Event, error] {
	return s.loop(ctx, func(w *work) error {
		l := w.limits()
		switch {
		case s.open != nil:
			return ErrWaiting
		case s.history.Len() == 0:
			return errors.New("there is nothing to compact")
		case l.Window == 0: // unknown: what there is now must become less
			l = s.agent.Compact.LimitsFor(max(s.history.Tokens(), assumedWindow), 0, 0)
		}
		done, err := w.summarise(l, becauseUser, focus)
		if err == nil && !done {
			err = w.cut(l, becauseUser, min(l.Aim, s.history.Tokens()/2))
		}
		if err == nil {
			err = ended{event.Done}
		}
		return err
	})
}

// assumedWindow is what a model takes at least, where nobody knows its window: the system prompt and the tools have room in it.
const assumedWindow = 32_000

// Context is what fills the window of the model.
type Context struct {
	Model  string `json:"model"`
	Window int    `json:"window"` // tokens; 0: unknown
	// Assumed: nothing is known of the model, and Window is a cautious guess.
	Assumed bool `json:"assumed,omitempty"`

	Usable int            `json:"usable"` // of it for a request
	Tokens int            `json:"tokens"` // of the next request, as estimated
	Parts  []compact.Part `json:"parts"`
	Limits compact.Limits `json:"limits"`
}

// Window returns the tokens of the model's window; 0: not known.
func (s *Session) Window() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.agent.Model == nil {
		return 0
	}
	return s.limitsOf(s.agent.Model.Info()).Window
}

// Context returns what the next request takes, by part. It may be called at any time.
func (s *Session) Context() Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.agent.Model == nil {
		return Context{}
	}
	h := s.history.Clone()
	info := s.agent.Model.Info()
	h.Base(info.String(), s.agent.System, s.specs)
	l := s.limitsOf(info)
	return Context{Model: info.String(), Window: l.Window, Assumed: info.Assumed, Usable: l.Usable, Tokens: h.Tokens(), Parts: h.Parts(s.agent.System), Limits: l}
}
