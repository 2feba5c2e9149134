package harness

import (
	"context"
	"fmt"
	"iter"

	"rein/agent"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/model"
	"rein/tool"
)

// Message makes the parts of a user's message from a text and attached images and documents.
func Message(text string, attached ...tool.Part) []model.Part {
	parts := []model.Part{model.Text(text)}
	for _, p := range attached {
		switch p.Kind {
		case tool.ImagePart:
			parts = append(parts, model.Part{Kind: model.ImageKind, MediaType: p.MediaType, Data: p.Data})
		case tool.DocumentPart:
			parts = append(parts, model.Part{Kind: model.DocumentKind, MediaType: p.MediaType, Data: p.Data, Name: p.Name})
		}
	}
	return parts
}

// Steer gives the model a message while the session is at work: see agent.Session.
func (s *Session) Steer(parts ...model.Part) error {
	_, err := s.Enqueue(true, parts...)
	return err
}

// Queue keeps a message until the model has answered: see agent.Session.
func (s *Session) Queue(parts ...model.Part) error {
	_, err := s.Enqueue(false, parts...)
	return err
}

// ErrIdle means that the session is not running a turn: Send the message.
var ErrIdle = agent.ErrIdle

// Queued is a message of the user that waits while the session is at work.
type Queued struct {
	ID    int
	Steer bool   // the model gets it with its next request, else after its answer
	Text  string // without what is attached
}

// Queued returns the messages of Steer and Queue that the model has not got.
func (s *Session) Queued() (all []Queued) {
	for _, q := range s.record.conversation.Queue().List() {
		w := Queued{ID: q.ID, Steer: q.Steer}
		for _, p := range q.Parts {
			w.Text += p.Text
		}
		all = append(all, w)
	}
	return all
}

// Unqueue takes such a message back and reports whether it was still there.
func (s *Session) Unqueue(id int) bool {
	taken := s.record.conversation.Queue().Remove(id)
	if taken {
		s.unsent.forget(func(m *unsentMessage) bool { return m.id == id })
	}
	return taken
}

// SetMode changes the mode, because the user wants it: no model and no resumed journal can. Calls that were judged before
// keep their verdicts. The journal records the mode, and a resumed session keeps it.
func (s *Session) SetMode(name string) error { return s.setMode(name) }

func (o *opened) setMode(name string) error {
	mode, err := settings.Mode(name)
	if err != nil {
		return usageError(err)
	}
	o.terms.changing.Lock()
	defer o.terms.changing.Unlock()
	changed := o.terms.now()
	before := modeOf(changed)
	if mode == before {
		return nil
	}
	changed.Mode, changed.Before, changed.Kept = mode.String(), "", ""
	if mode == guard.Plan && before > guard.Plan {
		changed.Before = before.String()
	}
	if err := o.record.runs(event.Changed, changed, false); err != nil { // front ends see it, and may ask for the mode
		return err
	}
	o.terms.set(changed)
	o.record.hint("mode", fmt.Sprintf("The user changed the mode to %s.%s", mode, aboutMode(mode)))
	return nil
}

// Allowed returns the rules by which calls run because a person allowed their kind for this session.
func Allowed(s *Session) (rules []string) {
	for _, r := range s.guards.Rules.Kept() {
		rules = append(rules, r.String())
	}
	return rules
}

// Disallow takes such a rule away, and reports whether there was one.
func Disallow(s *Session, rule string) bool { return s.guards.Rules.Forget(rule) }

// planFeature gives plan mode the tool that ends it, where the user approves the plan.
func planFeature(c *confined) (featureParts, error) {
	h := c.h
	if h.options.OneCall {
		return featureParts{}, nil
	}
	m := &planMode{File: planFile, Mode: c.terms.mode,
		Back: c.modeAfterPlan,
		Read: func(file string) (string, error) {
			text, err := c.workspace.ReadFile(file)
			return string(text), err
		},
		Set:  c.setMode,
		Asks: func() bool { return h.options.Person != nil || h.options.Unattended != Refuse || c.record.asked }}
	return featureParts{tools: []*tool.Tool{m.Tool()}, checks: []guard.Guard{m}}, nil
}

// modeAfterPlan is the mode before plan mode, else that of the settings where it lets the model work, else supervised.
func (o *opened) modeAfterPlan() string {
	return nextPlanMode(o.terms.now().Before, o.h.settings.Mode)
}

// SetModel gives an idle session another model, named as provider/name. agent.ErrBusy means that the session is at work.
func (s *Session) SetModel(ctx context.Context, ref string) error {
	m, err := s.models.named(ctx, ref)
	if err != nil {
		return err
	}
	s.terms.changing.Lock()
	defer s.terms.changing.Unlock()
	before := s.terms.now()
	changed := before
	changed.Model = ref
	s.terms.set(changed)
	if err := s.record.conversation.Use(s.agent(m)); err != nil {
		s.terms.set(before)
		return err
	}
	return s.record.runs(event.Changed, changed, false)
}

// Compact replaces the older part of the conversation by a summary now; focus says what must be kept, and may be empty. It
// gives events as Send does.
func (s *Session) Compact(ctx context.Context, focus string) iter.Seq2[event.Event, error] {
	return s.record.conversation.Compact(ctx, focus)
}

// Context returns what fills the window of the model, by part. It may be called at any time.
func (s *Session) Context() agent.Context { return s.record.conversation.Context() }
