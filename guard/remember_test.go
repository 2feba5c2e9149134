package guard

import (
	"context"
	"errors"
	"testing"
)

func TestRememberKeepsLastingApprovals(t *testing.T) {
	install, push := bash("npm install x"), bash("git push --force origin main")
	for _, row := range []struct {
		rule    string
		c       Case
		scope   Scope
		saveErr error
		want    Scope // of the answer
		saved   int
		covered bool // the next call of its kind
	}{
		{"once", install, Once, nil, Once, 0, false},
		{"for the session", install, ForSession, nil, ForSession, 0, true},
		{"for the project", install, ForProject, nil, ForProject, 1, true},
		{"settings that cannot be written", install, Always, errors.New("read-only"), ForSession, 0, true},
		{"a call without a lasting approval", push, Always, nil, Once, 0, false},
	} {
		t.Run(row.rule, func(t *testing.T) {
			saved, reported := 0, false
			memory := &Memory{Programs: home}
			person := ApproverFunc(func(context.Context, Case, Verdict) (Answer, error) {
				return Answer{Choice: Approved, By: ByUser, Scope: row.scope}, nil
			})
			r := Remember{Next: person, Programs: home, Memory: memory, OnError: func(error) { reported = true }, Save: func(_ Scope, rules []Rule) error {
				if row.saveErr == nil {
					saved += len(rules)
				}
				return row.saveErr
			}}
			a, err := r.Approve(t.Context(), row.c, home.Judge(t.Context(), row.c))
			if err != nil || a.Choice != Approved || a.Scope != row.want || saved != row.saved || reported != (row.saveErr != nil) {
				t.Errorf("%+v, %v, %d saved, reported: %v", a, err, saved, reported)
			}
			next := row.c
			next.Call.ID = "2"
			if got := asksAndCovered(t, memory, next); got != row.covered {
				t.Errorf("the next call is covered: %v", got)
			}
		})
	}
}
