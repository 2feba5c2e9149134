package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"rein/event"
	"rein/hook"
	"rein/model"
)

// Compaction says when and how a conversation is compacted. The zero value has the defaults.
type Compaction struct {
	CompactionOptions
	// Model writes the summaries. Nil: the agent's own, which has the conversation in its cache.
	Model model.Model
	// Timeout bounds the request for a summary; 0 means DefaultSummaryTimeout.
	Timeout time.Duration
	// HooksElsewhere: another process runs the hooks that see a compaction, in a step of its own.
	HooksElsewhere bool
}

// DefaultSummaryTimeout bounds the request for a summary when Compaction.Timeout is 0.
const DefaultSummaryTimeout = 2 * time.Minute

// ErrFull means that the conversation was compacted several times within a few requests and is full again: what the model
// reads does not fit its window.
var ErrFull = errors.New("the conversation does not fit the window of the model")

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
func (r *run) limits() CompactionLimits { return r.limitsFor(r.model().Info(), r.agent.Compact) }

// fitWindow compacts the conversation where the next request needs it, the cheapest stage first.
func (r *run) fitWindow() error {
	name := r.model().Info().String()
	changed := r.history.Asked() != name
	if changed {
		r.mu.Lock()
		r.history.Base(name, r.agent.System, r.tools.specs)
		r.mu.Unlock()
	}
	l := r.limits()
	if l.Window == 0 || r.agent.Compact.Off {
		return nil
	}
	if refs := r.history.Oversize(l, changed); len(refs) > 0 {
		if err := r.compact(event.Compaction{Stage: event.ByReference, Reason: becauseLarge, References: refs, Window: l.Window}, nil, nil); err != nil {
			return err
		}
	}
	cold := !r.lastAsked.IsZero() && (time.Since(r.lastAsked) > cacheLife || r.lastModel != "" && r.lastModel != name)
	if n := r.history.Tokens(); cold || n >= l.References {
		if err := r.replaceResults(l, cold && n < l.References); err != nil {
			return err
		}
	}
	if r.history.Tokens() >= l.Summary {
		if r.tight(l) {
			return nil
		}
		done, err := r.summarise(l, becauseFull, "")
		if err != nil || done {
			return err
		}
	}
	if r.history.Tokens() >= l.Cut {
		return r.cut(l, becauseFull, l.Usable*60/100)
	}
	return nil
}

// tight reports whether compactions free too little, and the next request fits all the same: it is sent as it is.
func (r *run) tight(l CompactionLimits) bool {
	if r.history.Tokens() >= l.Usable || r.thrashing(becauseFull, r.turn) == nil {
		return false
	}
	if !r.tightNoted {
		r.tightNoted = true
		r.notice("the window of the model is nearly full, and summaries free little of it: " + r.history.Largest())
	}
	return true
}

// replaceResults replaces old results by references, when that frees enough.
func (r *run) replaceResults(l CompactionLimits, cold bool) error {
	refs, freed := r.history.References(l, r.keeps)
	least, reason := l.MustFree, becauseFull
	if cold {
		least, reason = min(max(leastColdFree, l.Window/10), l.MustFree), becauseCold
	}
	if freed < least {
		return nil
	}
	return r.compact(event.Compaction{Stage: event.ByReference, Reason: reason, References: refs, Window: l.Window}, nil, nil)
}

// keeps reports whether the result of a call stays whole: its tool wants that.
func (r *run) keeps(p model.Part) bool {
	t := r.tools.set.Get(p.Name)
	return t != nil && t.Keep
}

// summarise replaces the older messages by notes with a summary by the model. done is false when the summary failed or
// freed too little: then nothing has changed.
func (r *run) summarise(l CompactionLimits, reason, focus string) (done bool, err error) {
	if err := r.thrashing(reason, r.turn); err != nil {
		return false, err
	}
	c, ok := r.history.Tail(l, l.Tail)
	if !ok {
		c, err = r.history.CutTo(l, 0)
	}
	if err != nil || c.To == 0 {
		return false, err
	}
	if may, err := r.mayCompact(reason, focus); err != nil || !may {
		return false, err
	}
	r.notice("the model writes a summary of the older part of the conversation")
	text, usage, err := r.summary(l, focus)
	if err != nil {
		if r.ctx.Err() != nil {
			return false, context.Cause(r.ctx)
		}
		r.notice("the summary failed: " + err.Error())
		return false, nil
	}
	notes := model.UserText(r.ledger.Notes(boundSummary(text, l.SummaryOut*3/2), l.Anchors, l.Prompts))
	e := event.Compaction{Stage: event.BySummary, Reason: reason, Focus: focus, To: c.To, References: c.References, Window: l.Window}
	after := r.history.Clone()
	after.Apply(event.Event{Compaction: &e}, notes)
	if free := r.history.Tokens() - after.Tokens(); free < l.MustFree && reason != becauseUser || free <= 0 {
		r.spend(usage)
		r.notice(fmt.Sprintf("the summary would free only %d tokens", max(free, 0)))
		return false, nil
	}
	return true, r.compact(e, notes, &usage)
}

// summary asks a model for the summary. The request is the conversation with one message more, so that it is read from the
// provider's cache.
func (r *run) summary(l CompactionLimits, focus string) (string, event.Usage, error) {
	m, all := r.model(), r.history.Messages()
	need, window := r.history.Tokens()+l.SummaryOut*2, l.Window
	if other := r.agent.Compact.Model; other != nil {
		m, window = other, cmp.Or(max(other.Info().Context, 0), window)
	}
	if need > window {
		all = r.history.Newest(window - (need - r.history.Tokens()))
	}
	if len(all) == 0 {
		return "", event.Usage{}, errors.New("the conversation leaves no room for it")
	}
	timeout := orDefault(r.agent.Compact.Timeout, DefaultSummaryTimeout)
	ctx, cancel := context.WithTimeoutCause(r.ctx, timeout, fmt.Errorf("no summary within %v", timeout))
	defer cancel()
	most := l.SummaryOut * 2
	if r.agent.Effort != "" && r.agent.Effort != "none" {
		most += summaryAllowance
	}
	messages, _ := r.checker.legal(append(all, model.UserText(askSummary(focus, l.SummaryOut))), m.Info(), r.agent.Shrink)
	held, _ := r.estimate()
	if r.spent.account().Take(ctx, held) != nil {
		return "", event.Usage{}, errors.New("the budget has no room for it")
	}
	done, err := model.Ask(ctx, m, &model.Request{System: r.agent.System, Messages: messages, Tools: r.tools.specs, Effort: r.agent.Effort, Session: r.options.ID, MaxTokens: most})
	usage := done.Usage
	r.countRequest(held, usage)
	if err != nil {
		return "", event.Usage{}, err
	}
	if isEmptySummary(done.Message.Text()) {
		r.spend(usage)
		return "", usage, errors.New("the model wrote none")
	}
	return done.Message.Text(), usage, nil
}

// cut replaces the older messages by notes without a summary. It needs no model. It does nothing where the user asked and it frees nothing.
func (r *run) cut(l CompactionLimits, reason string, aim int) error {
	if err := r.thrashing(reason, r.turn); err != nil {
		return err
	}
	for {
		c, err := r.history.CutTo(l, aim)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
		notes := model.UserText(r.ledger.Notes("", c.Notes, min(l.Prompts, c.Notes)))
		e := event.Compaction{Stage: event.ByCut, Reason: reason, To: c.To, References: c.References, Window: l.Window}
		after := r.history.Clone()
		after.Apply(event.Event{Compaction: &e}, notes)
		if reason == becauseUser && after.Tokens() >= r.history.Tokens() {
			return nil
		}
		if aim <= 0 || after.Tokens() <= l.Usable {
			return r.compact(e, notes, nil)
		}
		aim = 0 // everything goes
	}
}

// compact records a compaction and applies it.
func (r *run) compact(c event.Compaction, notes *model.Message, usage *event.Usage) error {
	e := event.Event{Kind: event.Compacted, Compaction: &c, Usage: usage}
	after := r.history.Clone()
	after.Apply(e, notes)
	c.Before, c.After = r.history.Tokens(), after.Tokens()
	e.Text = fmt.Sprintf("the conversation was compacted: %d → %d tokens (%s)", c.Before, c.After, c.Stage)
	if notes != nil {
		encoded, err := json.Marshal(notes)
		if err != nil {
			return err
		}
		e.Message = encoded
	}
	if _, err := r.record(e); err != nil {
		return err
	}
	if usage != nil {
		r.spend(*usage)
	}
	r.mu.Lock()
	r.replace(e, notes, r.turn)
	r.mu.Unlock()
	r.cache.replaced = true
	switch {
	case c.Stage == event.ByReference:
	case r.part == Asks && r.agent.Compact.HooksElsewhere:
		r.Compacted = trigger(c.Reason)
	default:
		r.hooks(hook.PostCompact, hook.Input{Why: trigger(c.Reason), Text: notes.Text()})
	}
	return nil
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
	return s.run(ctx, func(r *run) error {
		l := r.limits()
		switch {
		case s.open != nil:
			return ErrWaiting
		case s.history.Len() == 0:
			return errors.New("there is nothing to compact")
		case l.Window == 0: // unknown: what there is now must become less
			l = s.agent.Compact.LimitsFor(max(s.history.Tokens(), assumedWindow), 0, 0)
		}
		done, err := r.summarise(l, becauseUser, focus)
		if err == nil && !done {
			err = r.cut(l, becauseUser, min(l.Aim, s.history.Tokens()/2))
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

	Usable int              `json:"usable"` // of it for a request
	Tokens int              `json:"tokens"` // of the next request, as estimated
	Parts  []contentShare   `json:"parts"`
	Limits CompactionLimits `json:"limits"`
}

// Window returns the tokens of the model's window; 0: not known.
func (s *Session) Window() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.agent.Model == nil {
		return 0
	}
	return s.limitsFor(s.agent.Model.Info(), s.agent.Compact).Window
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
	h.Base(info.String(), s.agent.System, s.tools.specs)
	l := s.limitsFor(info, s.agent.Compact)
	return Context{Model: info.String(), Window: l.Window, Assumed: info.Assumed, Usable: l.Usable, Tokens: h.Tokens(), Parts: h.Parts(s.agent.System), Limits: l}
}
