package harness

import (
	"context"
	"fmt"
	"iter"
	"time"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/harness/planmode"
	"rein/harness/settings"
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
func (s *Session) Steer(parts ...model.Part) error { return s.conversation.Steer(parts...) }

// Queue keeps a message until the model has answered: see agent.Session.
func (s *Session) Queue(parts ...model.Part) error { return s.conversation.Queue(parts...) }

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
	for _, q := range s.conversation.Queued() {
		w := Queued{ID: q.ID, Steer: q.Steer}
		for _, p := range q.Parts {
			w.Text += p.Text
		}
		all = append(all, w)
	}
	return all
}

// Unqueue takes such a message back and reports whether it was still there.
func (s *Session) Unqueue(id int) bool { return s.conversation.Unqueue(id) }

// SetMode changes the mode, because the user wants it: no model and no resumed journal can. Calls that were judged before
// keep their verdicts. The journal records the mode, and a resumed session keeps it.
func (s *Session) SetMode(name string) error {
	mode, err := settings.Mode(name)
	if err != nil {
		return usageError(err)
	}
	s.oneChange.Lock()
	defer s.oneChange.Unlock()
	before, changed := s.mode, s.how // only who holds oneChange writes them
	if mode == before {
		return nil
	}
	changed.Mode, changed.Before = mode.String(), ""
	if mode == guard.Plan && before > guard.Plan {
		changed.Before = before.String()
	}
	if err := s.record(changed); err != nil { // front ends see it, and may ask for the mode
		return err
	}
	s.changing.Lock()
	s.how, s.mode = changed, mode
	s.changing.Unlock()
	if s.conversation != nil {
		s.conversation.Hint(fmt.Sprintf("The user changed the mode to %s.%s", mode, aboutMode(mode)))
	}
	return nil
}

// plan is the feature of plan mode: the tool that ends it, where the user approves the plan.
func (s *Session) plan() (feature, error) {
	m := &planmode.Mode{File: planFile, On: func() bool { return s.modeNow() == guard.Plan }, Back: s.modeAfterPlan,
		Read: func(file string) (string, error) {
			text, err := s.workspace.ReadFile(file)
			return string(text), err
		},
		End:  s.SetMode,
		Asks: func() bool { return s.h.options.Person != nil || s.h.options.Unattended != Refuse || s.asked }}
	if s.h.options.OneCall {
		return feature{}, nil
	}
	return feature{tools: []*tool.Tool{m.Tool()}, guards: []guard.Guard{m}}, nil
}

// modeAfterPlan is the mode before plan mode, else that of the settings where it lets the model work, else supervised.
func (s *Session) modeAfterPlan() string { return planmode.After(s.How().Before, s.h.settings.Mode) }

// SetModel gives an idle session another model, named as provider/name. agent.ErrBusy means that the session is at work.
func (s *Session) SetModel(ctx context.Context, ref string) error {
	how := s.How()
	how.Model = ref
	m, err := s.h.openModel(ctx, how)
	if err != nil {
		return err
	}
	s.oneChange.Lock()
	defer s.oneChange.Unlock()
	before := s.how
	use := func(how How) {
		s.changing.Lock()
		s.how = how
		s.changing.Unlock()
	}
	changed := before
	changed.Model = ref
	use(changed)
	if err := s.conversation.Use(s.agent(m)); err != nil {
		use(before)
		return err
	}
	return s.record(changed)
}

// record records how the session runs from now on.
func (s *Session) record(how How) error {
	if s.journal == nil {
		return nil
	}
	start := how.start()
	start.Tools, start.Version = s.runner.Tools.Names(), s.h.options.Version
	return s.journal.Append(event.Event{Kind: event.Changed, Start: &start, Time: time.Now(), Session: s.id})
}

// policy is the mode of the session, and the epoch under which approvals count.
func (s *Session) policy() (guard.Mode, string) {
	if s.above != nil {
		return s.above.policy()
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.mode, s.epoch()
}

func (s *Session) modeNow() guard.Mode {
	mode, _ := s.policy()
	return mode
}

// Compact replaces the older part of the conversation by a summary now; focus says what must be kept, and may be empty. It
// gives events as Send does.
func (s *Session) Compact(ctx context.Context, focus string) iter.Seq2[event.Event, error] {
	return s.conversation.Compact(ctx, focus)
}

// Context returns what fills the window of the model, by part. It may be called at any time.
func (s *Session) Context() agent.Context { return s.conversation.Context() }
