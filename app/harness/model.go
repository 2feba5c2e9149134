package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/agent"
	"rein/app/settings"
	"rein/event"
	"rein/internal/plainfile"
	"rein/kit/catalog"
	"rein/kit/dialect"
	"rein/kit/providers"
	"rein/model"
	"rein/redact"
)

// models are those that a session asks: its own, and others beside the conversation.
type models struct {
	h      *Harness
	terms  *conditions
	record *record
}

// open opens the model that terms name, or the first one that is found here. With a dialect the model writes its
// calls as text. Calls that any model writes into its text by mistake are recovered.
func (s *models) open(ctx context.Context, terms event.Terms) (model.Model, error) {
	if err := dialect.CheckName(terms.Dialect); err != nil {
		return nil, wrongValue("dialect", s.h.options.Dialect, err)
	}
	m, err := s.h.options.Models[terms.Model], error(nil)
	if m == nil {
		o := ProviderOptions(s.h.settings)
		o.Warn, o.Run = s.warnOnce, s.h.options.Sampling
		if m, err = providers.Open(ctx, terms.Model, o); err != nil {
			return nil, s.modelError(terms.Model, err)
		}
		if i := m.Info(); i.InputPrice+i.OutputPrice == 0 && !i.Assumed && i.Provider != "script" && (terms.MaxUSD > 0 || s.h.settings.Limits.Session.USD > 0) {
			s.h.options.Warn(fmt.Sprintf("no price is known of %s: a limit in US dollars bounds it only where its provider says what a request cost", i))
		}
	}
	if m, err = dialect.WrapTextCalls(m, terms.Dialect); err != nil {
		return nil, usageError(err)
	}
	return s.watched(dialect.WrapRecovery(m)), nil
}

// watched returns a model whose requests are reported and, where the user wants it, recorded.
func (s *models) watched(m model.Model) model.Model {
	return s.h.reports.Model(s.record.recorder.Model(m))
}

// masking is a model whose requests hold no secret that is known by now, whatever was known when a text came to the conversation.
// What the user and the model itself wrote stays as it is.
type masking struct {
	model.Model
	known *hiddenTexts
}

func newMasking(m model.Model, mask *redact.Filter) masking {
	return masking{m, &hiddenTexts{mask: mask}}
}

// Stream sends the request without secrets.
func (m masking) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return m.Model.Stream(ctx, m.known.request(r))
}

// hiddenTexts remembers texts without their secrets, as long as no secret becomes known: each request has all results again.
type hiddenTexts struct {
	mask  *redact.Filter
	mu    sync.Mutex
	state any // of the mask
	texts map[textPlace]hiddenText
	asked int // in this request
}

// textPlace is where a text is: a part of a message, or the zero value for the text before them.
type textPlace struct {
	message *model.Message
	part    int
}

// hiddenText is a text, and what of it is sent.
type hiddenText struct{ text, hidden string }

// request returns a request without secrets.
func (h *hiddenTexts) request(r *model.Request) *model.Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begin()
	hidden := *r
	hidden.System, hidden.Messages = h.hide(textPlace{}, r.System), slices.Clone(r.Messages)
	for i, message := range hidden.Messages {
		for k, p := range message.Parts {
			if p.Kind != model.ResultKind {
				continue
			}
			text := h.hide(textPlace{message, k}, p.Text)
			if text == p.Text {
				continue
			}
			if hidden.Messages[i] == message {
				hidden.Messages[i] = &model.Message{Role: message.Role, Parts: slices.Clone(message.Parts), From: message.From, Raw: message.Raw}
			}
			hidden.Messages[i].Parts[k].Text = text
		}
	}
	if len(h.texts) > 2*h.asked+64 { // most of it is of messages that are gone
		h.texts = nil
	}
	return &hidden
}

// begin forgets all when a secret came to be known.
func (h *hiddenTexts) begin() {
	if now := h.mask.State(); h.texts == nil || now != h.state {
		h.texts, h.state = map[textPlace]hiddenText{}, now
	}
	h.asked = 0
}

// hide returns a text without secrets.
func (h *hiddenTexts) hide(at textPlace, text string) string {
	h.asked++
	known, ok := h.texts[at]
	if !ok || known.text != text { // the same text has the same address: that is compared first
		known = hiddenText{text, h.mask.String(text)}
		h.texts[at] = known
	}
	return known.hidden
}

// warnOnce shows a line that is the same at each start, the first time only. Where that cannot be kept, the line is shown again.
func (s *models) warnOnce(line string) {
	name := filepath.Join(s.h.dirs.State, "warned")
	if shown, err := plainfile.Read(name); err == nil && slices.Contains(strings.Split(string(shown), "\n"), line) {
		return
	}
	s.h.options.Warn(line)
	f, err := plainfile.Append(name)
	if err == nil {
		_, err = f.WriteString(line + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		s.h.log.Debug("a warning is shown again at the next start", "error", err)
	}
}

// ProviderOptions returns where the environment and the settings say that models are.
func ProviderOptions(s settings.Settings) *providers.Options {
	o := &providers.Options{Getenv: os.Getenv, Addresses: map[string]providers.Address{}, Models: s.Models, Sampling: s.Sampling}
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
func (s *models) modelError(ref string, err error) error {
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.Auth {
		return withKind(Auth, err)
	}
	if none, ok := errors.AsType[*providers.NoModel](err); ok {
		return withKind(Auth, noModel{none})
	}
	if strings.HasPrefix(ref, "script/") {
		return inputError(err)
	}
	if ref != cmp.Or(s.h.options.Model, s.h.settings.Model) {
		return usageError(err) // the user chose it in the session
	}
	return wrongValue("model", s.h.options.Model, err)
}

// noModel says how a model is had where none is found.
type noModel struct{ *providers.NoModel }

func (e noModel) Error() string { return e.Help() }
func (e noModel) Unwrap() error { return e.NoModel }

// compaction is when the conversation is compacted, by the settings.
func compaction(set settings.Compact) agent.Compaction {
	c := agent.Compaction{Timeout: time.Duration(set.Timeout)}
	c.Off, c.References, c.Summary, c.Cut, c.Most = set.Off, set.References, set.Summary, set.Cut, set.Most
	return c
}

// named opens another model for the session.
func (s *models) named(ctx context.Context, ref string) (model.Model, error) {
	terms := s.terms.now()
	terms.Model = ref
	m, err := s.open(ctx, terms)
	if err != nil {
		return nil, err
	}
	return newMasking(m, s.h.mask), nil
}

// orWarn opens a model that helps the session's own. One that cannot be opened is left out with a warning: the session runs without it.
func (s *models) orWarn(ctx context.Context, what, ref string) model.Model {
	m, err := s.named(ctx, ref)
	if err != nil {
		s.h.options.Warn(fmt.Sprintf("%s %s is not used: %v", what, ref, err))
		return nil
	}
	return m
}

// modelInfo is what the facts of a model say about its sizes.
func modelInfo(m catalog.Model) model.Info {
	return model.Info{Provider: m.Provider, Name: m.ID, Context: m.Limit.Context, MaxInput: m.Limit.Input, MaxOutput: m.Limit.Output, TextOnly: m.TextOnly()}
}

// unasked is a model of which only the facts are known: this process does not ask it.
func (s *models) unasked(ctx context.Context, ref string) model.Model {
	provider, name, _ := strings.Cut(ref, "/")
	info := modelInfo(ProviderOptions(s.h.settings).Facts(ctx, providers.Provider{Name: provider}, name))
	info.Provider, info.Name = provider, name
	return unaskedModel{info}
}

type unaskedModel struct{ info model.Info }

// Info implements model.Model.
func (m unaskedModel) Info() model.Info { return m.info }

// Stream implements model.Model.
func (m unaskedModel) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		yield(model.Chunk{}, fmt.Errorf("another process asks the model %s, and this one cannot", m.info))
	}
}

// helped sets the models that help the session's own, for summaries and where that one fails. open may give none.
func helped(s *Session, open func(what, ref string) model.Model) {
	s.compaction = compaction(s.h.settings.Compact)
	if ref := s.h.settings.Compact.Model; ref != "" {
		s.compaction.Model = open("the model for summaries", ref)
	}
	for _, ref := range s.Terms().Fallback {
		if m := open("the fallback model", ref); m != nil {
			s.fallback = append(s.fallback, m)
		}
	}
}

// budgets are what a session may spend: its terms for one message, and the settings.
func budgets(terms event.Terms, set settings.Settings) agent.Limits {
	var l agent.Limits
	m, whole := set.Limits.Message, set.Limits.Session
	l.Message.Tokens, l.Message.Calls, l.Message.Requests, l.Message.SubAgents = m.Tokens, m.Calls, m.Requests, m.SubAgents
	l.Message.USD, l.Message.Time = terms.MaxUSD, terms.MaxTime
	l.Session.Tokens, l.Session.Calls, l.Session.Requests, l.Session.SubAgents = whole.Tokens, whole.Calls, whole.Requests, whole.SubAgents
	l.Session.USD, l.Session.Time = whole.USD, time.Duration(whole.Time)
	l.Depth, l.AtOnce, l.Wakes = set.Agents.Depth, set.Agents.Max, set.Agents.WakeUps
	return l
}

// ask returns the answer of a model to a text, outside of the conversation. ref is provider/name; "" is the session's model.
func (s *models) ask(ctx context.Context, ref, system, text string) (answer string, used event.Usage, err error) {
	m, err := s.named(ctx, cmp.Or(ref, s.terms.now().Model))
	if err != nil {
		return "", used, err
	}
	return askModel(ctx, m, system, text)
}

// small sends a prompt to the small model of the settings and returns its answer.
func (s *models) small(ctx context.Context, prompt string) (string, error) {
	terms := s.terms.now()
	terms.Model, terms.Dialect = s.h.settings.SmallModel, "none"
	m, err := s.open(ctx, terms)
	if err != nil {
		return "", err
	}
	answer, used, err := askModel(ctx, m, "", prompt)
	s.record.paid("a tool asked the small model", used)
	return answer, err
}

func askModel(ctx context.Context, m model.Model, system, text string) (answer string, used event.Usage, err error) {
	done, err := model.Ask(ctx, m, &model.Request{System: system, Messages: []*model.Message{model.UserText(text)}, MaxTokens: 4000})
	if err == nil {
		answer = done.Message.Text()
	}
	return answer, usageOf(done), err
}

// usageOf is what an answer used.
func usageOf(done model.Chunk) event.Usage {
	return event.Usage{Input: done.Usage.Input, Output: done.Usage.Output, Cost: done.Usage.Cost}
}
