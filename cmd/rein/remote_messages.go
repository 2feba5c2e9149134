package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"rein/app/client"
	"rein/app/harness"
	"rein/app/server/api"
	"rein/event"
	"rein/tool"
)

func (s *remoteSession) Send(ctx context.Context, text string, attached []tool.Part) iter.Seq2[event.Event, error] {
	if strings.HasPrefix(text, "/") && len(attached) == 0 {
		text = "/" + text // no slash command: the server takes one slash away
	}
	return s.send(ctx, text, attached)
}

func (s *remoteSession) SendLine(ctx context.Context, line string) iter.Seq2[event.Event, error] {
	return s.send(ctx, line, nil)
}

func (s *remoteSession) send(ctx context.Context, text string, attached []tool.Part) iter.Seq2[event.Event, error] {
	return s.turns.Show(ctx, func(ctx context.Context) error {
		_, err := s.post(ctx, rand.Text(), text, attached, false)
		if err != nil && s.ctx.Err() != nil && !s.given() {
			s.place.person.Warn("the other terminal has ended, and may not have got your message: Up brings it back")
		}
		if _, refused := errors.AsType[*client.Problem](err); refused {
			s.place.person.Back(text)
		}
		return err
	})
}

// post sends a message once, however often the connection breaks. waits means that it came while the server was at work.
func (s *remoteSession) post(ctx context.Context, id, text string, attached []tool.Part, steer bool) (waits bool, err error) {
	m := api.NewMessage{ID: id, Text: text, Steer: steer}
	for i, p := range attached {
		name := p.Name
		if name == "" {
			name = fmt.Sprintf("file-%d", i+1)
		}
		err := s.reach(ctx, func(ctx context.Context) error {
			a, err := s.place.client.Attach(ctx, s.id, api.Upload{Name: name, Data: p.Data})
			if err == nil {
				m.Attachments = append(m.Attachments, a.ID)
			}
			return err
		})
		if err != nil {
			return false, err
		}
	}
	err = s.reach(ctx, func(ctx context.Context) error {
		sent, err := s.place.client.Send(ctx, s.id, m)
		waits = sent.State != "sent"
		return err
	})
	return waits, err
}

func (s *remoteSession) Resume(ctx context.Context) iter.Seq2[event.Event, error] {
	return s.turns.Show(ctx, nil)
}

// Continue continues a turn that was interrupted. The server says where there is none.
func (s *remoteSession) Continue() func(context.Context) iter.Seq2[event.Event, error] {
	return func(ctx context.Context) iter.Seq2[event.Event, error] {
		return s.turns.Show(ctx, func(ctx context.Context) error {
			_, err := s.place.client.Resume(ctx, s.id)
			return err
		})
	}
}

func (s *remoteSession) Compact(ctx context.Context, focus string) iter.Seq2[event.Event, error] {
	return s.turns.Show(ctx, func(ctx context.Context) error {
		_, err := s.place.client.Compact(ctx, s.id, api.Compaction{Focus: focus})
		return err
	})
}

func (s *remoteSession) Steer(text string, attached []tool.Part) error {
	return s.wait(text, attached, true)
}

func (s *remoteSession) Queue(text string, attached []tool.Part) error {
	return s.wait(text, attached, false)
}

// wait sends a message while the server is at work. One that it does not take is shown.
func (s *remoteSession) wait(text string, attached []tool.Part, steer bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbers++
	w := remoteMessage{Queued: harness.Queued{ID: s.numbers, Steer: steer, Text: text}, id: rand.Text(), after: s.seen}
	s.own = append(s.own, w)
	before := s.sending
	sent := make(chan struct{})
	s.sending = sent
	go func() {
		defer close(sent)
		if before != nil {
			<-before // messages keep their order
		}
		waits, err := s.post(s.ctx, w.id, text, attached, steer)
		switch {
		case err == nil && waits:
			s.taken(w.id)
		case err != nil && s.ctx.Err() == nil:
			s.mu.Lock()
			s.own = slices.DeleteFunc(s.own, func(o remoteMessage) bool { return o.id == w.id })
			s.mu.Unlock()
			s.place.person.Warn("the message was not sent: " + err.Error())
			s.place.person.Back(text)
		}
	}()
	return nil
}

// sentWithin is how long the end of a stopped turn waits for messages that are on their way, so that the screen gets them back with it.
const sentWithin = time.Second

func (s *remoteSession) awaitSent() {
	s.mu.Lock()
	sending := s.sending
	s.mu.Unlock()
	if sending == nil {
		return
	}
	select {
	case <-sending:
	case <-s.ctx.Done():
	case <-time.After(sentWithin):
	}
}

// taken notes that the server has a message. When a turn was stopped while the message was on its way, only the server knows whether it
// dropped the message or got it afterwards.
func (s *remoteSession) taken(id string) {
	s.mu.Lock()
	own := remoteMessage{}
	if w := s.ownLocked(id); w != nil {
		w.taken = true
		own = *w
	}
	s.mu.Unlock()
	if !own.stopped {
		return
	}
	now, err := s.place.client.Session(s.ctx, s.id)
	if err != nil || slices.ContainsFunc(now.Queued, func(q api.Queued) bool { return q.ID == id }) {
		return
	}
	past, err := s.place.client.Past(s.ctx, s.id, 0, 200)
	if err != nil || slices.ContainsFunc(past.Events, func(e event.Event) bool {
		return e.Kind == event.Prompted && e.Seq > own.after && strings.HasPrefix(e.Text, own.Text)
	}) { // the model got it, and this screen hears so in a moment
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.ownLocked(id); w != nil {
		w.back = true
	}
}

// ownLocked returns a message of this screen that the model has not got, by its id; nil: it has got it. s.mu is held.
func (s *remoteSession) ownLocked(id string) *remoteMessage {
	if i := slices.IndexFunc(s.own, func(w remoteMessage) bool { return w.id == id }); i >= 0 {
		return &s.own[i]
	}
	return nil
}

// Queued returns the messages of all clients that wait.
func (s *remoteSession) Queued() (all []harness.Queued) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.own {
		all = append(all, w.Queued)
	}
	for i, q := range s.now.Queued {
		if !slices.ContainsFunc(s.own, func(w remoteMessage) bool { return w.id == q.ID }) {
			all = append(all, harness.Queued{ID: -1 - i, Steer: q.Steer, Text: q.Text})
		}
	}
	return all
}

// Unqueue takes back a message that the server has dropped.
func (s *remoteSession) Unqueue(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.own, func(w remoteMessage) bool { return w.ID == id && w.back })
	if i < 0 {
		return false
	}
	message := s.own[i].id
	s.own = slices.Delete(s.own, i, i+1)
	go func() { _, _ = s.place.client.TakeBack(s.ctx, s.id, message) }() // the server has it still, as not sent, where another user stopped the turn
	return true
}
