package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"rein/harness/settings"
	"strings"
	"time"

	"rein/guard"
	"rein/journal"
)

// approvers are asked in turn: answers that were left for parked calls, the rules that allow, what was answered for the
// session or meanwhile kept by another one, and then the person, wherever they are.
func (w *wired) approvers(person guard.Approver) guard.Approver {
	if t, ok := person.(interface{ use(asks) }); ok {
		t.use(asks{asked: w.question, covered: w.guards.Memory.Approve, claim: w.claim})
	}
	left := func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
		n, err := w.notes()
		if err != nil {
			return guard.Answer{}, err
		}
		return n.Approve(ctx, c, v)
	}
	others := newKept(w.dirs, w.workspace.Dir(), w.guards.Programs)
	all := guard.Anyone{person, w.elsewhere(others)}
	if limit := time.Duration(w.settings.Limits.Answer); limit > 0 {
		all = append(all, w.deadline(limit))
	}
	return guard.Approvers{guard.ApproverFunc(left), w.guards.Rules, w.guards.Memory, others, w.unchanged(all)}
}

// unchanged asks again where the files that a call would change are not what was shown any more when the yes comes.
func (w *wired) unchanged(person guard.Approver) guard.Approver {
	return guard.ApproverFunc(func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
		for {
			shown := w.fingerprint(c)
			a, err := person.Approve(ctx, c, v)
			if err != nil || a.Choice != guard.Approved || w.fingerprint(c) == shown {
				return a, err
			}
			n, err := w.notes()
			if err == nil {
				_, err = n.Approve(ctx, c, v) // the answer was to something else
			}
			if err != nil {
				return guard.Answer{}, err
			}
			if !strings.HasPrefix(v.Reason, changedSince) {
				v.Reason = changedSince + v.Reason
			}
		}
	})
}

const changedSince = "asked again, because the files have changed since they were shown; "

// fingerprint is what a call would change now: the changes as they are shown, and which files they are.
func (w *wired) fingerprint(c guard.Case) string {
	changes, err := w.files.Preview(c.Call.Name, c.Call.Args)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, f := range changes {
		fmt.Fprintln(&b, f)
		if info, err := os.Lstat(filepath.Join(w.workspace.Dir(), f.Path)); err == nil {
			fmt.Fprintln(&b, settings.FileID(info), info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

func (w *wired) notes() (notes, error) {
	dir, err := journal.Dir(w.dirs.Sessions, w.session)
	return notes{dir}, err
}

// claim makes an answer the one that stands, in this process and all others, or gives the one that was first.
func (w *wired) claim(c guard.Case, a guard.Answer) (guard.Answer, error) {
	n, err := w.notes()
	if err != nil {
		return guard.Answer{}, err
	}
	return n.claim(c, a)
}

// glance is how often a standing question looks whether it was answered elsewhere: soon enough for a person who has
// answered in another terminal and looks up.
const glance = 200 * time.Millisecond

// elsewhere is the approver that waits for an answer by another process, or for a lasting one to another question that
// covers this one. It never answers by itself.
func (w *wired) elsewhere(others *kept) guard.Approver {
	return guard.ApproverFunc(func(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
		n, err := w.notes()
		if err != nil {
			return guard.Answer{}, err
		}
		look := time.NewTicker(glance)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return guard.Answer{Choice: guard.Abstain}, nil
			case <-look.C:
			}
			if a, err := n.taken(c); err != nil || a.Choice != guard.Abstain {
				return a, err
			}
			if a, err := others.Approve(ctx, c, v); err == nil && a.Choice == guard.Approved {
				return w.claim(c, a)
			}
		}
	})
}

// deadline is the approver that says no after a while, where the user has set one.
func (w *wired) deadline(limit time.Duration) guard.Approver {
	return guard.ApproverFunc(func(ctx context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
		late := time.NewTimer(limit)
		defer late.Stop()
		select {
		case <-ctx.Done():
			return guard.Answer{Choice: guard.Abstain}, nil
		case <-late.C:
			no := guard.Answer{Choice: guard.Denied, By: "the deadline", Words: fmt.Sprintf("nobody answered within %v", limit)}
			stands, err := w.claim(c, no)
			if stands == no {
				err = guard.ErrNobody
			}
			return stands, err
		}
	})
}
