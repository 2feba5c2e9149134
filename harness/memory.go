package harness

import (
	"context"
	"fmt"
	"iter"
	"time"

	"rein/agent"
	"rein/agent/compact"
	"rein/event"
	"rein/model"
)

// Compact replaces the older part of the conversation by a summary now; focus says what must be kept, and may be empty. It
// gives events as Send does.
func (s *Session) Compact(ctx context.Context, focus string) iter.Seq2[event.Event, error] {
	return s.conversation.Compact(ctx, focus)
}

// Context gives what fills the window of the model, by part. It may be called at any time.
func (s *Session) Context() agent.Context { return s.conversation.Context() }

// openHelpers opens the models that help the session's own: one for summaries, and the fallback models. One that cannot be
// opened is left out with a warning: the session runs without it.
func (s *Session) openHelpers(ctx context.Context) {
	set := s.h.settings.Compact
	c := agent.Compaction{Options: compact.Options{Off: set.Off, References: set.References, Summary: set.Summary, Cut: set.Cut, Most: set.Most},
		Timeout: time.Duration(set.Timeout)}
	open := func(what, ref string) model.Model {
		how := s.How()
		how.Model = ref
		m, err := s.h.openModel(ctx, how)
		if err != nil {
			s.h.options.Warn(fmt.Sprintf("%s %s is not used: %v", what, ref, err))
			return nil
		}
		return m
	}
	if set.Model != "" {
		c.Model = open("the model for summaries", set.Model)
	}
	s.compaction = c
	for _, ref := range s.How().Fallback {
		if m := open("the fallback model", ref); m != nil {
			s.fallback = append(s.fallback, m)
		}
	}
}
