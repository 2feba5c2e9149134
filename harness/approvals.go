package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/internal/plainfile"
	"rein/toolcall"
)

// Person shows approval requests to a person and returns the answers. Ask may be called at once from several goroutines,
// one request each. It blocks until there is an answer or ctx is done; ctx is done with a guard.Answered as its cause
// when another client has answered. An error means denied.
type Person interface {
	Ask(ctx context.Context, r *Request) (guard.Answer, error)
}

// approvers answer what the guards leave to ask, in this order: an answer that was left for a suspended call, the allow
// rules, what was approved for the session, what another session has kept in the settings meanwhile, and then whoever
// answers first: the person, another client, the deadline.
func (s *Session) approvers() guard.Approver {
	others := newKept(s.h.dirs, s.h.project, s.guards.Programs)
	all := guard.Approvers{guard.ApproverFunc(s.left), guard.ApproverFunc(s.byUser), s.guards.Rules, others, toolcall.HookApprover(s.hooks, s.h.mask, s.report), s.reviewer, guard.ApproverFunc(s.unattended), s.h.inbox.Unchanged(s.fingerprint, s.anyone(others))}
	return guard.ApproverFunc(func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
		answer, err := all.Approve(ctx, c, v)
		if err == nil && answer.Choice == guard.Later {
			return answer, nil // the request stays in the inbox
		}
		err = errors.Join(err, s.h.inbox.Remove(c.Session, c.Call.ID))
		if err == nil && answer.Choice == guard.Approved && answer.Args == "" && !c.Intent.RequestsAccess {
			contacts, _ := s.guards.Programs.Contacts(c)
			s.access.Approved(c.Call.ID, contacts)
		}
		return answer, err
	})
}

// byUser approves what the user asks of a tool server by hand.
func (s *Session) byUser(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	if s.servers == nil {
		return guard.Answer{Choice: guard.Abstain}, nil
	}
	return s.servers.Approve(ctx, c, v)
}

// left takes the answer that was left for exactly this call. When that answer does not count any more, the user reads why: the
// call waits again.
func (s *Session) left(_ context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
	answer, void, err := s.h.inbox.Begin(c)
	if void != "" {
		s.report(event.Event{Kind: event.Notice, Text: "The answer to " + c.Call.Name + " does not count: " + void + ". It waits for a new one."})
	}
	return s.kept(c, answer), err
}

// unattended answers when no person is connected: the call is denied or the session is suspended.
func (s *Session) unattended(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	switch {
	case s.h.options.Person != nil || s.h.options.Unattended == Wait:
		return guard.Answer{Choice: guard.Abstain}, nil
	case s.h.options.Unattended == Suspend:
		s.notifyHooks(ctx, c, v)
		return guard.Answer{Choice: guard.Later}, s.h.inbox.Put(s.request(c, v).Request)
	}
	return guard.Nobody{}.Approve(ctx, c, v)
}

// anyone asks the person and waits for answers from elsewhere at the same time. The first answer counts.
func (s *Session) anyone(others *kept) guard.Approver {
	all := guard.Anyone{s.h.inbox.Elsewhere(s.h.suspended, others, s.kept)}
	if s.h.options.Person != nil {
		all = append(all, guard.ApproverFunc(func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
			return s.h.options.Person.Ask(ctx, s.request(c, v))
		}))
	}
	all = append(all, s.h.inbox.Deadline(time.Duration(s.h.settings.Limits.Answer)))
	return guard.ApproverFunc(func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
		request := s.request(c, v).Request
		if err := s.h.inbox.Put(request); err != nil {
			return guard.Answer{}, err
		}
		waiting, answered := context.WithCancel(ctx)
		defer answered()
		s.notes.Waits(waiting, "rein waits for an answer: "+c.Call.Name, strings.Join(request.Lines, "\n"))
		s.notifyHooks(ctx, c, v)
		return all.Approve(ctx, c, v)
	})
}

// notifyHooks lets the user's hooks know that a request waits for a person.
func (s *Session) notifyHooks(ctx context.Context, c guard.Case, v guard.Verdict) {
	if s.hooks.Has(hook.Notification) {
		s.running.Go(func() { toolcall.NotifyHooks(context.WithoutCancel(ctx), s.hooks, c, v) })
	}
}

// kept stores an approval for as long as its scope lasts. An approval that cannot be stored counts once, with a warning. One that
// changes the call approves nothing yet.
func (s *Session) kept(c guard.Case, a guard.Answer) guard.Answer {
	if a.Args != "" {
		a.Scope = guard.Once
	}
	if a.Choice != guard.Approved || a.Scope == guard.Once {
		return a
	}
	if err := s.keep(c, a.Scope); err != nil {
		s.h.options.Warn(fmt.Sprintf("the approval counts only once, because it could not be kept: %v", err))
		a.Scope = guard.Once
	}
	return a
}

// fingerprint identifies what a call would change now: the changes as they are shown, and the files themselves.
func (s *Session) fingerprint(c guard.Case) string {
	changes, err := s.files.Preview(c.Call.Name, c.Call.Args)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, f := range changes {
		fmt.Fprintln(&b, f)
		if info, err := os.Lstat(filepath.Join(s.workspace.Dir(), f.Path)); err == nil {
			fmt.Fprintln(&b, plainfile.Stamp(info))
		}
	}
	return b.String()
}
