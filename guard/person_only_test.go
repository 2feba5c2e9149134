package guard

import (
	"context"
	"testing"

	"rein/tool"
)

// nothing is a guard without an objection.
func nothing(context.Context, Case) Verdict { return Verdict{} }

// TestNoRuleApprovesForThePerson: an allow rule, also one for high risk, approves only what it covers. What else asks
// about the same call, and weighs as much, is not answered with it.
func TestNoRuleApprovesForThePerson(t *testing.T) {
	bold := &Rules{Programs: home, List: rules(t, User, `{"allow":[{"rule":"bash(git push:*)","risk":"high"},"bash(npm install:*)"]}`)}
	push, install := bash("git push --force origin main"), bash("npm install x")
	circles, often := &Repetition{}, &Rate{PerSession: 1}
	for range askAfter {
		circles.Ran(install, tool.Result{Text: "x"})
	}
	often.Judge(t.Context(), install)
	rows := []struct {
		rule string
		more Guard
		c    Case
		want Choice
	}{
		{"what it foresees", Func(nothing), push, Approved},
		{"what it foresees, of low weight", Func(nothing), install, Approved},
		{"an ask rule of the same weight", &Rules{Programs: home, List: rules(t, Managed, `{"ask":["bash(git push --force:*)"]}`)}, push, Abstain},
		{"what was refused before", refusing("", push), push, Abstain},
		{"going in circles", circles, install, Abstain},
		{"too many calls", often, install, Abstain},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			for _, order := range [][]Guard{{home, row.more}, {row.more, home}} {
				v := (All{Guards: order}).Judge(t.Context(), row.c)
				a, err := bold.Approve(t.Context(), row.c, v)
				if v.Decision != Ask || err != nil || a.Choice != row.want {
					t.Errorf("%+v of %+v, %v", a, v, err)
				}
				if row.want == Abstain && len(Offer(row.c, v, home)) > 0 {
					t.Error("a lasting approval is on offer")
				}
			}
		})
	}
}
