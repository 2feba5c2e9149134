package harness

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/internal/plainfile"
	"rein/kit/sandbox"
)

// Person shows approval requests to a person and returns the answers. Ask may be called at once from several goroutines,
// one request each. It blocks until there is an answer or ctx is done; ctx is done with a guard.Answered as its cause
// when another client has answered. An error means denied.
type Person interface {
	Ask(ctx context.Context, r *Request) (guard.Answer, error)
}

// approvals decide what the guards leave to ask.
type approvals struct {
	*equipped
	guards GuardSet
	others *keptRules // what other sessions keep
	void   sync.Map   // why the last answer to a call did not count, by the call
}

// approver asks, in this order: an answer that was left for a suspended call, the allow rules, what was approved for the session, what
// another session has kept in the settings meanwhile, what needs no approval in this sandbox, and then whoever answers first: the person, another client, the deadline.
func (a *approvals) approver() guard.Approver {
	known := guard.Approvers{guard.ApproverFunc(a.left), guard.ApproverFunc(a.byUser), a.guards.Rules, a.others, guard.ApproverFunc(a.byUndo), guard.ApproverFunc(a.byLoopback)}
	all := append(known[:len(known):len(known)], hookApprover(a.hooks, a.h.mask, a.record.report), a.reviewer)
	if a.later != nil {
		return approver{a, known, append(all, guard.ApproverFunc(a.elsewhere))}
	}
	return approver{a, known, append(all, guard.ApproverFunc(a.unattended), a.h.inbox.Unchanged(a.fingerprint, a.anyone()))}
}

// approver is the approver of a session.
type approver struct {
	*approvals
	known guard.Approvers // they have their answers at once
	all   guard.Approvers
}

// Approve returns the first answer. When it is recorded, the request is removed from the inbox: see Settles.
func (p approver) Approve(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	answer, err := p.all.Approve(ctx, c, v)
	if err == nil {
		answer = p.unlessDenied(ctx, c, answer)
		err = p.open(ctx, c, answer)
	}
	return answer, err
}

// unlessDenied is the answer, where no rule that was saved while the request waited denies the call. A changed call is judged again anyway.
func (a *approvals) unlessDenied(ctx context.Context, c guard.Case, answer guard.Answer) guard.Answer {
	if answer.Choice != guard.Approved || answer.Args != "" {
		return answer
	}
	if v := a.others.Judge(ctx, c); v.Decision == guard.Deny {
		return guard.Answer{By: guard.ByPolicy("rule"), Words: v.Reason + ", a rule that was saved while the call waited"}
	}
	return answer
}

// Store puts a request that goes to a person into the inbox, before the journal and its watchers have it. A request that a hook or the
// reviewer may answer first is put there when they have not.
func (p approver) Store(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	for _, k := range p.known {
		answer, err := k.Approve(ctx, c, v)
		if err != nil || answer.Choice != guard.Abstain {
			return answer, errors.Join(err, p.open(ctx, c, answer))
		}
	}
	none := guard.Answer{Choice: guard.Abstain}
	if p.later != nil || p.hooks.Has(hook.PermissionRequest) || c.Mode == guard.Auto && p.reviewer != nil || p.h.options.Person == nil && p.h.options.Unattended == Refuse {
		return none, nil
	}
	return none, p.h.inbox.Put(p.request(c, v).Request)
}

// open opens what an approved call needs beyond the sandbox, for this call.
func (a *approvals) open(ctx context.Context, c guard.Case, answer guard.Answer) error {
	if answer.Choice != guard.Approved || answer.Args != "" || c.Intent.RequestsAccess || answer.By == byLoopback {
		return nil
	}
	contacts, _ := a.guards.Programs.Contacts(c)
	var opened sandbox.Opened
	if c.Intent.Command != "" && opensPlaces(answer, len(a.guards.Programs.Read(c).Parts)) {
		var err error
		if opened, _, err = a.opening(ctx, a.guards.Programs, c); err != nil {
			return err
		}
	}
	a.access.Approved(c.Call.ID, contacts, opened)
	return nil
}

// elsewhere lets those know of a request who answer it from other machines: see Step.
func (a *approvals) elsewhere(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	if a.later.Asked != nil {
		if err := a.later.Asked(a.request(c, v).Request); err != nil {
			a.h.log.Warn("what a person is shown of a request is not kept", "call", c.Call.ID, "error", err)
		}
	}
	return a.later.Later.Approve(ctx, c, v)
}

// byUser approves what the user asks of a tool server by hand.
func (a *approvals) byUser(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	if a.servers == nil {
		return guard.Answer{Choice: guard.Abstain}, nil
	}
	return a.servers.Approve(ctx, c, v)
}

// left takes the answer that was left for exactly this call. When that answer does not count any more, the user reads why: the
// call waits again.
func (a *approvals) left(_ context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
	answer, void, err := a.h.inbox.Begin(c)
	if answer.Choice == guard.Approved && answer.Args == "" && a.h.inbox.Outdated(c, a.fingerprint(c)) {
		_, _, err = a.h.inbox.Begin(c) // clears the answer, which was to something else
		return guard.Answer{}, cmp.Or(err, guard.ErrFilesChanged)
	}
	if void != "" {
		a.void.Store(c.Call.ID, void)
		a.record.report(event.Event{Kind: event.Notice, Text: "The answer to " + c.Call.Name + " does not count: " + void + ". It waits for a new one."})
	}
	return a.kept(c, answer), err
}

// unattended answers when no person is connected: the call is denied or the session is suspended.
func (a *approvals) unattended(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	switch {
	case a.h.options.Person != nil || a.h.options.Unattended == Wait:
		return guard.Answer{Choice: guard.Abstain}, nil
	case a.h.options.Unattended == Suspend:
		a.notifyHooks(ctx, c, v)
		return guard.Answer{Choice: guard.Later}, a.h.inbox.Put(a.request(c, v).Request)
	}
	return guard.Nobody{}.Approve(ctx, c, v)
}

// anyone asks the person and waits for answers from elsewhere at the same time. The first answer counts.
func (a *approvals) anyone() guard.Approver {
	all := guard.Anyone{a.h.inbox.Elsewhere(a.h.suspended, a.others, a.kept)}
	if a.h.options.Person != nil {
		all = append(all, guard.ApproverFunc(func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
			return a.h.options.Person.Ask(ctx, a.request(c, v))
		}))
	}
	all = append(all, a.h.inbox.Deadline(time.Duration(a.h.settings.Limits.Answer)))
	return guard.ApproverFunc(func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
		request := a.request(c, v).Request
		if err := a.h.inbox.Put(request); err != nil {
			return guard.Answer{}, err
		}
		waiting, answered := context.WithCancel(ctx)
		defer answered()
		a.notes.Waits(waiting, "rein waits for an answer: "+c.Call.Name, strings.Join(request.Lines, "\n"))
		a.notifyHooks(ctx, c, v)
		return all.Approve(ctx, c, v)
	})
}

// notifyHooks lets the user's hooks know that a request waits for a person.
func (a *approvals) notifyHooks(ctx context.Context, c guard.Case, v guard.Verdict) {
	if a.hooks.Has(hook.Notification) {
		a.running.Go(func() { notifyHooks(context.WithoutCancel(ctx), a.hooks, c, v) })
	}
}

// kept stores an approval for as long as its scope lasts. An approval that cannot be stored counts once, with a warning. One that
// changes the call approves nothing yet.
func (a *approvals) kept(c guard.Case, answer guard.Answer) guard.Answer {
	if answer.Args != "" {
		answer.Scope = guard.Once
	}
	if answer.Choice != guard.Approved || answer.Scope == guard.Once {
		return answer
	}
	if err := a.keep(c, answer.Scope); err != nil {
		a.h.options.Warn(fmt.Sprintf("the approval counts only once, because it could not be kept: %v", err))
		answer.Scope = guard.Once
	}
	return answer
}

// fingerprint identifies what a call would change now: the changes as they are shown, and the files themselves. "": it shows none.
func (a *approvals) fingerprint(c guard.Case) string {
	changes, err := a.files.Preview(c.Call.Name, c.Call.Args)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, f := range changes {
		fmt.Fprintln(&b, f)
		if info, err := os.Lstat(filepath.Join(a.workspace.Dir(), f.Path)); err == nil {
			fmt.Fprintln(&b, plainfile.Stamp(info))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(b.String())))
}
