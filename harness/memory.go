package harness

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"rein/agent"
	"rein/agent/compact"
	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/model/catalog"
	"rein/model/providers"
)

// Compact replaces the older part of the conversation by a summary now; focus says what must be kept, and may be empty. It
// gives events as Send does.
func (s *Session) Compact(ctx context.Context, focus string) iter.Seq2[event.Event, error] {
	return s.conversation.Compact(ctx, focus)
}

// Context gives what fills the window of the model, by part. It may be called at any time.
func (s *Session) Context() agent.Context { return s.conversation.Context() }

// compacting is when the conversation is compacted, by the settings.
func (s *Session) compacting() agent.Compaction {
	set := s.h.settings.Compact
	return agent.Compaction{Options: compact.Options{Off: set.Off, References: set.References, Summary: set.Summary, Cut: set.Cut, Most: set.Most},
		Timeout: time.Duration(set.Timeout)}
}

// openHelpers opens the models that help the session's own: one for summaries, and the fallback models. One that cannot be
// opened is left out with a warning: the session runs without it.
func (s *Session) openHelpers(ctx context.Context) {
	s.compaction = s.compacting()
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
	if ref := s.h.settings.Compact.Model; ref != "" {
		s.compaction.Model = open("the model for summaries", ref)
	}
	for _, ref := range s.How().Fallback {
		if m := open("the fallback model", ref); m != nil {
			s.fallback = append(s.fallback, m)
		}
	}
}

// Context gives what fills the window of a recorded session, without opening it: it may be at work in another process. The
// model is not asked and needs no key.
func (h *Harness) Context(ctx context.Context, id string) (c agent.Context, err error) {
	name, err := journalFile(h.dirs.Sessions, id)
	if err != nil {
		return c, err
	}
	recorded, err := recordedHow(name)
	if err != nil {
		return c, err
	}
	how, err := h.howResumed(recorded)
	if err != nil {
		return c, err
	}
	s, err := h.newSession(id, how)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, s.Close(ctx)) }()
	m, err := h.openModel(ctx, how)
	if err != nil { // no key, or no server: what is known of it is enough
		provider, name, _ := strings.Cut(recorded.Model, "/")
		m = named{info: info(ProviderOptions(h.settings).Facts(ctx, providers.Provider{Name: provider}, name))}
	}
	a := s.agent(m)
	a.Compact = s.compacting()
	past, err := a.Load(agent.SessionOptions{ID: id}, journal.Read(name))
	if err != nil {
		return c, inputError(fmt.Errorf("session %s: %w", id, err))
	}
	return past.Context(), nil
}

// info is what the facts of a model say about its sizes.
func info(m catalog.Model) model.Info {
	return model.Info{Provider: m.Provider, Name: m.ID, Context: m.Limit.Context, MaxInput: m.Limit.Input, MaxOutput: m.Limit.Output, TextOnly: m.TextOnly()}
}

// named is a model that is not asked.
type named struct {
	model.Model
	info model.Info
}

// Info implements model.Model.
func (n named) Info() model.Info { return n.info }
