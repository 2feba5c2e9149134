package telemetry

import (
	"context"
	"errors"
	"iter"
	"time"

	"rein/model"
)

// Model returns a model that reports what the events of sessions do not have: why a request failed, why an answer stopped, and requests
// that belong to no session. A nil *Telemetry returns the model itself.
func (t *Telemetry) Model(m model.Model) model.Model {
	if t == nil {
		return m
	}
	return tracedModel{m, t}
}

type tracedModel struct {
	model.Model
	t *Telemetry
}

// Stream implements model.Model.
func (m tracedModel) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		start := time.Now()
		for c, err := range m.Model.Stream(ctx, r) {
			if err != nil || c.Kind == model.Done {
				m.t.ended(r.Session, m.Info().String(), start, c, err)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// ended reports the end of a request: to the session, or as a trace of its own.
func (t *Telemetry) ended(id, ref string, start time.Time, done model.Chunk, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	class := ""
	if err != nil {
		class = "_OTHER"
		if e, ok := errors.AsType[*model.Error](err); ok {
			class = string(e.Kind)
		} else if errors.Is(err, context.Canceled) {
			class = "cancelled"
		}
	}
	s, parent := t.sessions[id], t.remote
	if s != nil && s.chat != nil {
		s.class, s.finish = class, string(done.Stop)
		return
	}
	if s != nil && s.agent != nil { // for a summary
		parent = s.agent.spanContext
	}
	now, base := time.Now(), modelAttrs(ref)
	c := t.begin(parent, opChat+" "+base[2].value.(string), kindOut, start, base...)
	if id != "" {
		c.attrs = append(c.attrs, attr{conversation, id})
	}
	if err != nil {
		base = append(base, attr{errorType, class})
		t.fail(c, class, err.Error())
	} else {
		c.attrs = append(append(c.attrs, attr{finishReasons, []string{string(done.Stop)}}), usageAttrs(done.Usage)...)
		t.used(done.Usage, base)
	}
	t.counts.record(mChat, now.Sub(start).Seconds(), base...)
	t.finish(c, now)
}
