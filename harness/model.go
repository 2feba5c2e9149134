package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rein/agent"
	"rein/harness/settings"
	"rein/internal/plainfile"
	"rein/kit/catalog"
	"rein/kit/dialect"
	"rein/kit/providers"
	"rein/model"
)

// openModel opens the model that a session names, or the first one that is found here. With a dialect the model writes its
// calls as text. Calls that any model writes into its text by mistake are recovered.
func (h *Harness) openModel(ctx context.Context, how How) (model.Model, error) {
	if err := dialect.IsKnown(how.Dialect); err != nil {
		return nil, wrongValue("dialect", h.options.Dialect, err)
	}
	o := ProviderOptions(h.settings)
	o.Warn = h.warnOnce
	m, err := providers.Open(ctx, how.Model, o)
	if err != nil {
		return nil, h.modelError(how.Model, err)
	}
	if m, err = dialect.WrapTextCalls(m, how.Dialect); err != nil {
		return nil, usageError(err)
	}
	return dialect.WrapRecovery(m), nil
}

// warnOnce shows a line that is the same at each start, the first time only. Where that cannot be kept, the line is shown again.
func (h *Harness) warnOnce(line string) {
	name := filepath.Join(h.dirs.State, "warned")
	if shown, err := plainfile.Read(name); err == nil && slices.Contains(strings.Split(string(shown), "\n"), line) {
		return
	}
	h.options.Warn(line)
	f, err := plainfile.Append(name)
	if err == nil {
		_, err = f.WriteString(line + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		h.log.Debug("a warning is shown again at the next start", "error", err)
	}
}

// ProviderOptions returns where the environment and the settings say that models are.
func ProviderOptions(s settings.Settings) *providers.Options {
	o := &providers.Options{Getenv: os.Getenv, Addresses: map[string]providers.Address{}, Models: s.Models}
	for name, p := range s.Providers {
		o.Addresses[name] = providers.Address(p)
	}
	return o
}

// Available returns the models that can be asked with the environment and the settings of a directory.
func Available(ctx context.Context, dir string) ([]catalog.Model, error) {
	layers, _, err := settings.Load(settings.DefaultDirs(), dir)
	if err != nil {
		return nil, err
	}
	return ProviderOptions(settings.Merge(layers)).Available(ctx), nil
}

// wrongValue names the option, or the setting when the option is empty, whose value cannot be used.
func wrongValue(name, option string, err error) error {
	if err == nil {
		return nil
	}
	if option == "" {
		return settings.Error{Err: fmt.Errorf("the setting %q: %w", name, err)}
	}
	return usageError(fmt.Errorf("--%s: %w", name, err))
}

// modelError gives the kind of a model that cannot be opened.
func (h *Harness) modelError(ref string, err error) error {
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.Auth {
		return kindError(Auth, err)
	}
	if none, ok := errors.AsType[*providers.NoModel](err); ok {
		return kindError(Auth, errors.New(none.Help()))
	}
	if strings.HasPrefix(ref, "script/") {
		return inputError(err)
	}
	return wrongValue("model", h.options.Model, err)
}

// compacting is when the conversation is compacted, by the settings.
func (s *Session) compacting() agent.Compaction {
	set := s.h.settings.Compact
	c := agent.Compaction{Timeout: time.Duration(set.Timeout)}
	c.Off, c.References, c.Summary, c.Cut, c.Most = set.Off, set.References, set.Summary, set.Cut, set.Most
	return c
}

// openNamed opens another model for the session.
func (s *Session) openNamed(ctx context.Context, ref string) (model.Model, error) {
	how := s.How()
	how.Model = ref
	return s.h.openModel(ctx, how)
}

// openHelpers opens the models that help the session's own: one for summaries, and the fallback models. One that cannot be
// opened is left out with a warning: the session runs without it.
func (s *Session) openHelpers(ctx context.Context) {
	s.compaction = s.compacting()
	open := func(what, ref string) model.Model {
		m, err := s.openNamed(ctx, ref)
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

// budgets are what the session may spend: the choices for one message, and the settings.
func (s *Session) budgets() agent.Limits {
	how, set := s.how, s.h.settings.Limits // as agent, which is also called while the choices are locked
	var l agent.Limits
	m, whole := set.Message, set.Session
	l.Message.Tokens, l.Message.Calls, l.Message.Requests, l.Message.SubAgents = m.Tokens, m.Calls, m.Requests, m.SubAgents
	l.Message.USD, l.Message.Time = how.MaxUSD, time.Duration(how.MaxTime)
	l.Session.Tokens, l.Session.Calls, l.Session.Requests, l.Session.SubAgents = whole.Tokens, whole.Calls, whole.Requests, whole.SubAgents
	l.Session.USD, l.Session.Time = whole.USD, time.Duration(whole.Time)
	l.Depth, l.AtOnce, l.Wakes = s.h.settings.Agents.Depth, s.h.settings.Agents.Max, s.h.settings.Agents.WakeUps
	return l
}

// askSmall sends a prompt to the small model of the settings and returns its answer.
func (s *Session) askSmall(ctx context.Context, prompt string) (string, error) {
	how := s.How()
	how.Model, how.Dialect = s.h.settings.SmallModel, "none"
	m, err := s.h.openModel(ctx, how)
	if err != nil {
		return "", err
	}
	answer, used, err := ask(ctx, m, "", prompt)
	s.paid("a tool asked the small model", used)
	return answer, err
}
