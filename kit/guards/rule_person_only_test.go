package guards

import (
	"context"
	"testing"

	"rein/guard"

	"rein/tool"
)

// nothing is a guard without an objection.
func nothing(context.Context, guard.Case) guard.Verdict { return guard.Verdict{} }

// TestNoRuleApprovesForThePerson: an allow rule, also one for high risk, approves only what it covers. What else asks
// about the same call, and weighs as much, is not answered with it.
func TestNoRuleApprovesForThePerson(t *testing.T) {
	bold := &Rules{Programs: home, List: rules(t, User, `{"allow":[{"rule":"bash(git push:*)","risk":"high"},"bash(npm install:*)"]}`)}
	push, install := bash("git push --force origin main"), bash("npm install x")
	circles, often := &Loops{}, &Rate{PerSession: 1}
	for range 5 {
		circles.Ran(install, tool.Result{Text: "x"})
	}
	often.Judge(t.Context(), install)
	rows := []struct {
		rule string
		more guard.Guard
		c    guard.Case
		want guard.Choice
	}{
		{"what it foresees", guard.Func(nothing), push, guard.Approved},
		{"what it foresees, of low weight", guard.Func(nothing), install, guard.Approved},
		{"an ask rule of the same weight", &Rules{Programs: home, List: rules(t, Managed, `{"ask":["bash(git push --force:*)"]}`)}, push, guard.Abstain},
		{"what was refused before", refusing("", push), push, guard.Abstain},
		{"going in circles", circles, install, guard.Abstain},
		{"too many calls", often, install, guard.Abstain},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			for _, order := range [][]guard.Guard{{home, row.more}, {row.more, home}} {
				v := (guard.All{Guards: order}).Judge(t.Context(), row.c)
				a, err := bold.Approve(t.Context(), row.c, v)
				if v.Decision != guard.Ask || err != nil || a.Choice != row.want {
					t.Errorf("%+v of %+v, %v", a, v, err)
				}
				if row.want == guard.Abstain && len(OfferRules(row.c, v, home)) > 0 {
					t.Error("a lasting approval is on offer")
				}
			}
		})
	}
}
