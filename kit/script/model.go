package script

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"rein/model"
)

// Model is a model.Model that answers from its script. Which turn is next is read from the request, so a session that is
// resumed continues where it was, and many sessions may use one Model. It must not be copied.
type Model struct {
	Script *Script
	Name   string // as in "script/name"

	Context   int // tokens that the model takes; 0: what the script says
	MaxOutput int // tokens of an answer; 0: what the script says

	mu     sync.Mutex
	failed map[*Turn]int
}

// Info implements model.Model.
func (m *Model) Info() model.Info {
	return model.Info{Provider: "script", Name: m.Name, Context: cmp.Or(m.Context, m.Script.Context), MaxOutput: cmp.Or(m.MaxOutput, m.Script.MaxOutput)}
}

// Stream implements model.Model.
func (m *Model) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		turn, err := m.Script.Find(AskedOf(r))
		if err != nil {
			yield(model.Chunk{}, &model.Error{Provider: "script", Kind: model.BadRequest, Text: err.Error()})
			return
		}
		if n := promptTokens(r); m.Info().Context > 0 && n > m.Info().Context {
			yield(model.Chunk{}, &model.Error{Provider: "script", Kind: model.ContextLength, Status: http.StatusBadRequest,
				Text: fmt.Sprintf("prompt is too long: %d tokens > %d maximum", n, m.Info().Context)})
			return
		}
		say := saying{ctx: ctx, script: m.Script, yield: yield}
		if !say.wait(turn.Delay) {
			yield(model.Chunk{}, context.Cause(ctx))
			return
		}
		if m.fails(turn) {
			yield(model.Chunk{}, turn.Error.asError())
			return
		}
		say.turn(m.Info().String(), turn, r)
	}
}

// fails reports whether the turn fails this time.
func (m *Model) fails(t *Turn) bool {
	if t.Error == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed == nil {
		m.failed = make(map[*Turn]int)
	}
	m.failed[t]++
	return t.Error.Times == 0 || m.failed[t] <= t.Error.Times
}

func (f *Failure) asError() *model.Error {
	status := f.Status
	if status == 0 {
		status = http.StatusInternalServerError
	}
	return &model.Error{Provider: "script", Status: status, Kind: model.KindOf(status, "", strings.ToLower(f.Text)),
		Text: cmp.Or(f.Text, http.StatusText(status)), RetryAfter: f.RetryAfter}
}

// saying streams one turn.
type saying struct {
	ctx    context.Context
	script *Script
	yield  func(model.Chunk, error) bool
	draft  model.Draft
}

func (s *saying) turn(from string, t *Turn, r *model.Request) {
	ok := s.pieces(t.Think, s.draft.Thinking) && s.pieces(t.Text, s.draft.Text)
	for _, c := range t.Calls {
		if !ok {
			return
		}
		ok = s.call(c)
	}
	if ok {
		s.yield(s.draft.Done(from, t.StopReason(), t.Tokens(r), nil), nil)
	}
}

func (s *saying) call(c Call) bool {
	start := s.draft.Start(c.ID, c.Name)
	if !s.yield(start, nil) {
		return false
	}
	add := func(piece []byte) model.Chunk { return s.draft.Args(start.Call, piece) }
	return s.pieces(string(c.Args), add) && s.yield(s.draft.End(start.Call), nil)
}

// pieces streams a text, and reports whether anyone still listens.
func (s *saying) pieces(text string, add func([]byte) model.Chunk) bool {
	for _, piece := range s.script.Pieces(text) {
		if !s.wait(s.script.Pace) {
			s.yield(model.Chunk{}, context.Cause(s.ctx))
			return false
		}
		if !s.yield(add([]byte(piece)), nil) {
			return false
		}
	}
	return true
}

func (s *saying) wait(d time.Duration) bool {
	if d <= 0 {
		return s.ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// Pieces cuts a text as the script streams it, never inside a character.
func (s *Script) Pieces(text string) []string {
	size := s.Delta
	if size <= 0 {
		size = 64
	}
	var pieces []string
	for len(text) > size {
		n := size
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		pieces, text = append(pieces, text[:n]), text[n:]
	}
	if text != "" {
		pieces = append(pieces, text)
	}
	return pieces
}

// StopReason returns why the turn stops.
func (t *Turn) StopReason() model.Stop {
	switch {
	case t.Stop != "":
		return model.Stop(t.Stop)
	case len(t.Calls) > 0:
		return model.StopCalls
	}
	return model.StopEnd
}

// Tokens returns the usage of the turn; r may be nil.
func (t *Turn) Tokens(r *model.Request) model.Usage {
	u := model.Usage{Input: t.Usage.Input, Output: t.Usage.Output, CacheRead: t.Usage.Cached, CacheWrite: t.Usage.CacheWrite, Thinking: t.Usage.Thinking, Cost: t.Usage.Cost}
	if u.Input == 0 && r != nil {
		u.Input = int64(promptTokens(r))
	}
	if u.Output == 0 {
		u.Output = int64(len(t.Think)+len(t.Text)) / 4
		for _, c := range t.Calls {
			u.Output += int64(len(c.Name)+len(c.Args)) / 4
		}
	}
	return u
}

// promptTokens counts a request, 4 bytes a token.
func promptTokens(r *model.Request) int {
	n := len(r.System)
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			n += len(p.Text) + len(p.Args) + len(p.Data)
		}
	}
	return n / 4
}
