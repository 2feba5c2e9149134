package temporal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rein/agent"
	"rein/event"
)

// How often a step looks at the journals of the sub-agents for which it waits, and how often it asks for the state of their workflows.
const (
	leastLook   = 100 * time.Millisecond
	mostLook    = time.Second
	looksAt     = 3 * time.Second
	longestStop = 30 * time.Second // for a sub-agent that is stopped
)

// Work implements agent.Elsewhere: the sub-agent is a child workflow of the session, which this step asks for.
func (s *step) Work(ctx context.Context, a agent.Assignment) error {
	if len(a.Above) > s.levels {
		return fmt.Errorf("the workers of the host work on sub-agents down to the depth %d", s.levels)
	}
	if err := s.signal(ctx, s.in.Session, ChildName, ChildTask{a, s.host}); err != nil {
		return fmt.Errorf("the sub-agent %s cannot be started: %w", a.Kind, err)
	}
	err := s.until(ctx, a)
	if ctx.Err() == nil || agent.GoesOn(ctx) || s.log.failed() != nil { // another step waits for it
		return err
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestStop)
	defer cancel()
	if err := s.signal(stopping, a.ID, CancelName, ""); err != nil && !Gone(err) {
		return err
	}
	return s.until(stopping, a)
}

// until waits until a sub-agent has stopped or waits for an approval.
func (s *step) until(ctx context.Context, a agent.Assignment) error {
	var seen journalEnd
	for pause, asked := leastLook, time.Now(); ; pause = min(pause*2, mostLook) {
		for e, err := range s.store.Events(ctx, a.ID, seen.seq) {
			if err != nil {
				break // it has not begun
			}
			pause = leastLook
			seen.saw(e)
		}
		if seen.task >= a.Task && seen.stop != "" && seen.stop != event.Waiting {
			return nil
		}
		if suspended := seen.stop == event.Waiting; suspended || time.Since(asked) > looksAt {
			asked = time.Now()
			state, err := s.state(ctx, a.ID)
			switch {
			case err == nil && state.Trouble != "": // its parent goes on without it, so nobody waits for it
				err = fmt.Errorf("its session is in trouble: %s", state.Trouble)
				if closing := s.signal(ctx, a.ID, CloseName, ""); closing != nil && !Gone(closing) {
					err = errors.Join(err, closing)
				}
				return err
			case err == nil && suspended && state.Seq >= seen.seq && s.suspended(state):
				s.asksPerson(state.Pending)
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// suspended reports whether a sub-agent waits for answers that nobody has given. Those that this step has been given are on their way to it.
func (s *step) suspended(state State) bool {
	given := func(p Pending) bool {
		return slices.ContainsFunc(s.in.Answers, func(a Answer) bool { return a.Hash == p.Hash && (a.Request == p.ID || a.Request == p.Session+"/"+p.ID) })
	}
	return state.Stop == event.Waiting && state.Working == "" && len(state.Answers) == 0 && !state.Cancel && !slices.ContainsFunc(state.Pending, given)
}

// journalEnd is how the journal of a sub-agent ends.
type journalEnd struct {
	seq, task int64
	stop      event.Stop
}

func (j *journalEnd) saw(e event.Event) {
	j.seq = max(j.seq, e.Seq)
	switch e.Kind {
	case event.Stopped:
		j.stop = e.Stop
	case event.Prompted:
		j.task, j.stop = max(j.task, e.At), ""
	case event.Responded, event.Replied, event.Requested:
		j.stop = ""
	}
}

// asksPerson takes note of the requests that only a person may approve.
func (s *step) asksPerson(all []Pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.personOnly == nil {
		s.personOnly = map[string]bool{}
	}
	for _, p := range all {
		id := p.ID
		if !strings.Contains(id, "/") {
			id = p.Session + "/" + id
		}
		s.personOnly[id] = p.PersonOnly
	}
}

// Tell implements agent.Elsewhere.
func (s *step) Tell(ctx context.Context, id, text string) error {
	m := Message{ID: "parent-" + sumOf(fmt.Sprint(id, s.in.Session, time.Now()))[:16], Steer: true, Text: text}
	if len(text) > mostInline {
		return errors.New("the message is too long")
	}
	return s.signal(ctx, id, SendName, m)
}
