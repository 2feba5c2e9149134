package guards

import (
	"slices"
	"testing"

	"rein/guard"

	"rein/tool"
)

func TestWhatWasRefusedIsNotGrantedByARule(t *testing.T) {
	c := bash("npm install x")
	m := remembered(offered(t, "npm install x")...)
	all := guard.All{Guards: []guard.Guard{home, refusing("", c)}}
	a, err := m.Approve(t.Context(), c, all.Judge(t.Context(), c))
	if err != nil || a.Choice != guard.Abstain {
		t.Errorf("got %+v, %v", a, err)
	}
	if list := OfferRules(c, all.Judge(t.Context(), c), home); len(list) > 0 {
		t.Errorf("a lasting approval is on offer: %v", list)
	}
}

// TestOnlyAPersonApprovesTaintedCalls: after untrusted and private text were read, no remembered answer and no
// ordinary rule approves a call that sends data out.
func TestOnlyAPersonApprovesTaintedCalls(t *testing.T) {
	list := rules(t, User, `{"allow":["bash(npm install:*)", "web_fetch(domain:a.test)"]}`)
	risky := rules(t, User, `{"allow":[{"rule":"bash(npm install:*)","risk":"high"}]}`)
	taint := &Taint{Programs: home}
	taint.Ran(call("web_fetch", tool.Intent{Hosts: []string{"a.test"}}), tool.Result{})
	taint.Ran(call("read_file", tool.Intent{Reads: []string{".env"}}), tool.Result{})
	all := guard.All{Guards: []guard.Guard{home, Hosts{}, taint}}
	for _, c := range []guard.Case{bash("npm install x"), bash("ls; npm install x"), call("web_fetch", tool.Intent{Hosts: []string{"a.test"}})} {
		v := all.Judge(t.Context(), c)
		if a, _ := (&Rules{List: list, Programs: home}).Approve(t.Context(), c, v); a.Choice != guard.Abstain || len(OfferRules(c, v, home)) > 0 {
			t.Errorf("%q: a rule answers: %+v", c.Intent.Command, a)
		}
	}
	c := bash("ls; npm install x")
	if a, _ := (&Rules{List: risky, Programs: home}).Approve(t.Context(), c, all.Judge(t.Context(), c)); a.Choice != guard.Approved {
		t.Error("a rule with risk: high does not count")
	}
}

func TestRulesInTheStandardSet(t *testing.T) {
	t.Run("what a person refused asks again, and no rule approves it", func(t *testing.T) {
		s, c := full(rules(t, User, `{"allow":["bash(npm install:*)"]}`)), bash("npm install x")
		if v, a := s.Decide(t.Context(), c); v.Decision != guard.Allow || a.Choice != guard.Approved {
			t.Fatalf("the rule does not approve it: %+v", v)
		}
		s.Refused(c, guard.Answer{By: guard.ByDeadline()})
		if v, _ := s.Decide(t.Context(), c); v.Decision != guard.Allow {
			t.Errorf("a deadline counts as a person: %+v", v)
		}
		s.Refused(c, guard.Answer{By: guard.ByPerson("")})
		if v, _ := s.Decide(t.Context(), c); v.Decision != guard.Ask || !slices.Contains(v.Rules, "refused.before") {
			t.Errorf("%+v", v)
		}
		s.Granted(c, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")})
		if v, _ := s.Decide(t.Context(), c); v.Decision != guard.Allow {
			t.Errorf("after an approval: %+v", v)
		}
	})
}
