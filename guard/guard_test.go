package guard

import (
	"context"
	"slices"
	"testing"
)

func TestTheStrictestVerdictStands(t *testing.T) {
	allow := Verdict{Effects: []string{"reads a"}}
	ask := Verdict{Decision: Ask, Severity: Low, Reason: "one", Rules: []string{"r1"}, Effects: []string{"writes b"}}
	worse := Verdict{Decision: Ask, Severity: High, Reason: "two", Rules: []string{"r2"}}
	deny := Verdict{Decision: Deny, Reason: "never"}
	rows := []struct {
		rule string
		all  []Verdict
		want Verdict
	}{
		{"no objection allows", nil, Verdict{}},
		{"allow keeps its effects", []Verdict{allow, ask}, Verdict{Decision: Ask, Severity: Low, Reason: "one", Rules: []string{"r1"}, Effects: []string{"writes b", "reads a"}}},
		{"equally strict ones are joined, the worse first", []Verdict{ask, worse}, Verdict{Decision: Ask, Severity: High, Reason: "two; one", Rules: []string{"r2", "r1"}, Effects: []string{"writes b"}}},
		{"deny wins in any order", []Verdict{deny, ask}, Verdict{Decision: Deny, Severity: Low, Reason: "never", Effects: []string{"writes b"}}},
		{"deny wins in the other order", []Verdict{ask, deny}, Verdict{Decision: Deny, Severity: Low, Reason: "never", Effects: []string{"writes b"}}},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			var got Verdict
			for _, v := range row.all {
				got = Stricter(got, v)
			}
			if got.Decision != row.want.Decision || got.Severity != row.want.Severity || got.Reason != row.want.Reason ||
				!slices.Equal(got.Rules, row.want.Rules) || !slices.Equal(got.Effects, row.want.Effects) {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
		})
	}
}

func TestAPanickingGuardAsksAndIsReported(t *testing.T) {
	reported := ""
	g := All{Guards: []Guard{Func(func(context.Context, Case) Verdict { panic("boom") })}, OnPanic: func(_ Case, text string) { reported = text }}
	if v := g.Judge(t.Context(), Case{}); v.Decision != Ask || v.Severity != High || reported == "" {
		t.Errorf("got %+v, reported %q", v, reported)
	}
}

func TestApproversAreAskedInTurn(t *testing.T) {
	pass := ApproverFunc(func(context.Context, Case, Verdict) (Answer, error) { return Answer{Choice: Abstain}, nil })
	yes := ApproverFunc(func(context.Context, Case, Verdict) (Answer, error) {
		return Answer{Choice: Approved, By: ByPerson("")}, nil
	})
	if a, err := (Approvers{pass, yes}).Approve(t.Context(), Case{}, Verdict{}); a.Choice != Approved || err != nil {
		t.Errorf("got %+v, %v", a, err)
	}
	if a, err := (Approvers{pass}).Approve(t.Context(), Case{}, Verdict{}); a.Choice != Denied || err == nil {
		t.Errorf("nobody left: got %+v, %v", a, err)
	}
}

func TestModes(t *testing.T) {
	for _, m := range []Mode{ReadOnly, Plan, Supervised, Full} {
		if got, err := ParseMode(m.String()); got != m || err != nil {
			t.Errorf("%v: %v, %v", m, got, err)
		}
	}
	if m, err := ParseMode("yes"); m != ReadOnly || err == nil {
		t.Errorf("got %v, %v", m, err)
	}
}

func TestWithoutGuardsEveryCallAsks(t *testing.T) {
	for _, c := range []Case{{}, {Mode: Full}, {Mode: Full, Isolation: FullIsolation}} {
		if v := (All{}).Judge(t.Context(), c); v.Decision != Ask || v.Reason == "" {
			t.Errorf("%+v: %+v", c, v)
		}
	}
}
